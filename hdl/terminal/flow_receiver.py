"""From the network to AXI4-Stream, inviting packets; the twin of golden's FlowReceiver."""

from typing import Any, NamedTuple

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data
from amaranth.lib.fifo import SyncFIFO
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from fingerpost.golden.header import bits
from fingerpost.golden.terminal.flow_layout import (
    ACK,
    EAGER,
    GRANT,
    REQUEST,
    SLOTS,
    FlowControl,
    FlowLayout,
)
from fingerpost.hdl.bus.axi import AxiStreamSignature
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.header import LinkSignature, struct
from fingerpost.hdl.lib.memory import NO_RW_CHECK, BlockQueue
from fingerpost.hdl.terminal.flow_sender import answer_layout
from fingerpost.hdl.terminal.reassembly import Reassembly
from fingerpost.hdl.terminal.windows import most_invited


class Front(NamedTuple):
    """The beat that is next, if any; `rests`: none is, nor will be in the next cycle."""

    valid: Value
    pop: Signal
    body: Value
    last: Value
    eager: Value
    source: Value
    rests: Value


class Wanted(NamedTuple):
    """The request that is next, if any."""

    valid: Value
    pop: Signal
    peer: Value
    slot: Value
    length: Value
    base: Value


class FlowReceiver(Component):
    """Take every flit in the cycle in which it arrives; hand packets over in order by source.

    There is room for all that senders may send: the windows of all sources, and `receive` beats for
    packets that were granted. Where the network keeps the order of packets, they wait in a queue in
    the order of arrival, and requests in another; else `Reassembly` puts them in order. Requests
    are granted in the order in which their turns come, so sources take turns.

    Windows are closed at first: `withheld` units of each are not acknowledged, so there is room for
    one packet at a time, or for a few short ones. A window opens when a packet from its source has
    been handed over, once for each rest of the receiver: a cycle in which nothing waits here. From
    then on units are acknowledged, all together, once there are at least `batch`. When there was
    no rest for `busy` cycles, windows close again. So a hot spot does not fill the network.

    Senders are invited at the pace of `Pace`: the next eager packet is handed over, and the next
    request granted, only while it is `open`.

    Parameters
    ----------
    layout : FlowLayout
    flow : FlowControl
    flit_width : int

    Members
    -------
    eject : ``In(LinkSignature)``           From the router.
    clear, cleared : ``In``                 Row to be cleared after a reset; all are.
    acked, granted : ``Out(1)``             An acknowledge, a grant arrives.
    peer, slot, units : ``Out``             Its sender; slot of a grant; units of an acknowledge.
    base : ``Out``                          Sequence number of the first beat that is granted.
    answer, answer_valid : ``Out``          The oldest answer.
    answered : ``In(1)``                    It is sent.
    open, invites, invited                  Those of `Pace`.
    stream : ``Out(AxiStreamSignature)``    `tuser` is the source above the error mark.
    """

    def __init__(self, layout: FlowLayout, flow: FlowControl, *, flit_width: int) -> None:
        self.layout, self.flow, self.flit_width = layout, flow, flit_width
        super().__init__(
            eject=In(LinkSignature(channels=1, flit_width=flit_width)),
            clear=In(bits(flow.clearing)),
            cleared=In(1),
            acked=Out(1),
            granted=Out(1),
            peer=Out(layout.number),
            slot=Out(bits(SLOTS)),
            units=Out(bits(flow.window + 1)),
            base=Out(flow.sequence),
            answer=Out(answer_layout(layout, flow)),
            answer_valid=Out(1),
            answered=In(1),
            open=In(1),
            invites=Out(1),
            invited=Out(range(most_invited(flow) + 1)),
            stream=Out(AxiStreamSignature(layout.data_width, user=layout.number + 1)),
        )

    def elaborate(self, platform: object) -> Module:
        """Sort what arrives; hand over, grant and answer at the pace of the network."""
        m = Module()
        flow, layout, eject, stream = self.flow, self.layout, self.eject, self.stream
        m.submodules.answers = answers = SyncFIFO(
            width=answer_layout(layout, flow).size, depth=flow.answers
        )
        # For a tail that is offered, or was handed over; for what is begun now.
        room = answers.r_level <= flow.answers - 2

        # What arrives.
        head: Any = data.View(struct(layout.head), eject.flit.data[: layout.head.width])
        source, eager = Signal(layout.number), Signal()  # of the packet that arrives
        is_head, is_beat, last = Signal(), Signal(), Signal()
        beat: Any = Signal(struct(layout.body))
        offset = layout.mark.width if layout.single else 0
        status: Value = eject.flit.data[self.flit_width - layout.status :]
        m.d.comb += [
            is_head.eq(eject.valid & (1 if layout.single else eject.flit.head)),
            is_beat.eq(
                is_head & (head.kind > REQUEST) if layout.single else eject.valid & ~is_head
            ),
            last.eq(head.last if layout.single else eject.flit.tail),
            self.acked.eq(is_head & (head.kind == ACK)),
            self.granted.eq(is_head & (head.kind == GRANT)),
            self.peer.eq(head.source),
            self.slot.eq(head.slot),
            self.units.eq(head.length),
            beat.eq(eject.flit.data[offset : offset + layout.body.width]),
        ]
        if layout.status:
            m.d.comb += beat.error.eq(
                eject.flit.data[layout.body["error"].offset] | (eject.flit.tail & status.any())
            )
        m.d.sync += eject.credit.eq(eject.valid)
        if layout.single:
            m.d.comb += [source.eq(head.source), eager.eq(head.kind == EAGER)]
        else:
            with m.If(is_head):
                m.d.sync += [source.eq(head.source), eager.eq(head.kind == EAGER)]
        request = is_head & (head.kind == REQUEST)
        queues = self._in_order if flow.ordered else self._anywhere
        front, wanted = queues(m, head, request, source, eager, is_beat, beat, last)

        # Hand over.
        body: Any = data.View(struct(layout.body), front.body)
        middle, offered = Signal(), Signal()  # of a packet; tvalid was asserted and not tready
        late = Signal()  # a packet was handed over in the cycle before
        may_invite, may_begin, may_end, taken = (
            Signal(name=name) for name in ("may_invite", "may_begin", "may_end", "taken")
        )
        m.d.comb += [
            may_invite.eq(self.open & ~late),
            may_begin.eq(~front.eager | middle | may_invite),
            may_end.eq(~front.last | room),
            stream.tvalid.eq(front.valid & (offered | (may_begin & may_end))),
            taken.eq(stream.tvalid & stream.tready),
            front.pop.eq(taken),
            stream.tdata.eq(body.data),
            stream.tlast.eq(front.last),
            stream.tuser.eq(Cat(front.last & body.error, front.source)),
        ]
        if layout.bytes > 1:
            kept = [~front.last | (body.last_byte >= byte) for byte in range(1, layout.bytes)]
            m.d.comb += stream.tkeep.eq(Cat(1, *kept))
        m.d.sync += offered.eq(stream.tvalid & ~stream.tready)
        units = Signal(range(flow.window + 1), init=1)  # of the packet, with the beat at the front
        with m.If(taken):
            m.d.sync += middle.eq(~front.last)
            m.d.sync += units.eq(Mux(front.last | ~front.eager, 1, units + 1))

        # Grant.
        space = Signal(range(flow.receive + 1), init=flow.receive)
        grants = Signal()
        left = Signal(len(space) + 1)  # its highest bit: there is not enough
        m.d.comb += [
            left.eq(space - wanted.length),
            grants.eq(wanted.valid & may_invite & ~left[-1] & room),
            wanted.pop.eq(grants),
        ]
        m.d.sync += space.eq(Mux(grants, left, space) + (taken & ~front.eager))
        first = 0 if layout.single else ~middle  # a head flit
        beats = Mux(taken & front.eager, 1 + first, 0)
        m.d.comb += [
            self.invites.eq(grants | (taken & front.eager)),
            self.invited.eq(Mux(grants, wanted.length + 1, 0) + beats),
        ]

        # Answer.
        answer: Any = Signal(answer_layout(layout, flow))
        handed = taken & front.last
        m.d.sync += late.eq(handed)
        rests = self.open & front.rests & ~wanted.valid
        acks, acked_source, acked_units = self._batches(m, late, front.source, units, rests)
        m.d.comb += [
            answer.peer.eq(Mux(late, acked_source, wanted.peer)),
            answer.grant.eq(~late),
            answer.number.eq(Mux(late, acked_units, wanted.slot)),
            *([answer.base.eq(Mux(late, 0, wanted.base))] if flow.sequence else []),
            answers.w_data.eq(answer),
            answers.w_en.eq(acks | grants),
            self.answer.eq(answers.r_data),
            self.answer_valid.eq(answers.r_rdy),
            answers.r_en.eq(self.answered),
        ]
        return m

    def _in_order(
        self, m: Module, head: Any, request: Value, source: Value, eager: Value, is_beat: Value,
        beat: Any, last: Value,
    ) -> tuple[Front, Wanted]:  # fmt: skip
        """Keep what arrives in two queues."""
        flow, layout = self.flow, self.layout
        entry = data.StructLayout(
            {"body": layout.body.width, "last": 1, "eager": 1, "source": layout.number}
        )
        request_layout = data.StructLayout(
            {"peer": layout.number, "slot": bits(SLOTS), "length": layout.length}
        )
        m.submodules.arrivals = arrivals = BlockQueue(entry, depth=flow.arrivals)
        m.submodules.requests = requests = BlockQueue(request_layout, depth=flow.requests)
        arriving, asked = arrivals.entry, requests.entry
        m.d.comb += [
            *(asked.peer.eq(head.source), asked.slot.eq(head.slot), asked.length.eq(head.length)),
            requests.push.eq(request),
            *(arriving.body.eq(beat), arriving.last.eq(last)),
            *(arriving.eager.eq(eager), arriving.source.eq(source)),
            arrivals.push.eq(is_beat),
        ]
        front, wanted = arrivals.front, requests.front
        return (
            Front(
                *(arrivals.valid, arrivals.pop, front.body, front.last, front.eager),
                *(front.source, ~arrivals.valid),
            ),
            Wanted(requests.valid, requests.pop, wanted.peer, wanted.slot, wanted.length, Const(0)),
        )

    def _anywhere(
        self, m: Module, head: Any, request: Value, source: Value, eager: Value, is_beat: Value,
        beat: Any, last: Value,
    ) -> tuple[Front, Wanted]:  # fmt: skip
        """Put what arrives in order."""
        layout = self.layout
        m.submodules.reassembly = order = Reassembly(layout, self.flow)
        sequence = head.sequence
        if not layout.single:
            following = Signal.like(sequence)
            is_head = self.eject.flit.head
            sequence = Mux(is_head, head.sequence, following)
            source = Mux(is_head, head.source, source)
            with m.If(self.eject.valid):
                m.d.sync += following.eq(sequence + is_beat)
        m.d.comb += [
            self.base.eq(head.sequence),
            *(order.clear.eq(self.clear), order.cleared.eq(self.cleared)),
            order.push.eq(request | is_beat),
            order.granted.eq(~request & ~eager),
            *(order.source.eq(source), order.sequence.eq(sequence)),
            *(order.request.eq(request), order.last.eq(last)),
            order.body.eq(Mux(request, Cat(head.length, head.slot), beat.as_value())),
        ]
        wanted = order.wanted
        return (
            Front(
                *(order.valid, order.pop, order.front_body, order.front_last, order.front_eager),
                *(order.front_source, order.rests & ~order.wanted_valid),
            ),
            Wanted(
                *(order.wanted_valid & order.may_grant, order.grant, wanted.peer, wanted.slot),
                *(wanted.length, order.base),
            ),
        )

    def _batches(
        self, m: Module, late: Value, source: Value, units: Value, rests: Value
    ) -> tuple[Value, Value, Value]:
        """Return whether an acknowledge is due, its peer and units: a cycle after the tail."""
        flow = self.flow
        late_source, late_units = Signal(self.layout.number), Signal.like(units)
        m.d.sync += [late_source.eq(source), late_units.eq(units)]
        if flow.batch == 1 and flow.withheld == 0:
            return late, late_source, late_units
        # No two packets are handed over in two cycles, so no row is used that is just written.
        withheld: Memory = Memory(
            shape=bits(max(flow.batch, flow.withheld + 1)),
            depth=flow.peers,
            init=[],
            attrs=NO_RW_CHECK,
        )
        m.submodules.withheld = withheld
        write, read = withheld.write_port(), withheld.read_port()
        total, due = Signal.like(units), Signal()
        rested, busy = Signal(), Signal(range(flow.busy + 1))
        closed, shut = Signal(), Signal()
        kept = Mux(shut, flow.withheld, 0)
        m.d.comb += [
            closed.eq(read.data >= flow.withheld),
            shut.eq(~rested & (closed | (busy == flow.busy))),
            total.eq(read.data + late_units),
            due.eq(Mux(shut, total > flow.withheld, total >= flow.batch)),
            read.addr.eq(source),
            write.addr.eq(Mux(self.cleared, late_source, self.clear)),
            write.data.eq(Mux(self.cleared, Mux(due, kept, total), flow.withheld)),
            write.en.eq(late | ~self.cleared),
        ]
        with m.If(rests):
            m.d.sync += [rested.eq(1), busy.eq(0)]
        with m.Else():
            with m.If(late & due & closed & ~shut):
                m.d.sync += rested.eq(0)
            with m.If(busy != flow.busy):
                m.d.sync += busy.eq(busy + 1)
        return late & due, late_source, (total - kept)[: len(total)]

"""From the network to AXI4-Stream, inviting packets; the twin of golden's FlowReceiver."""

from typing import Any

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from fingerpost.golden.header import bits
from fingerpost.golden.terminal.flow_layout import (
    ACK,
    ANSWERS,
    EAGER,
    GRANT,
    REQUEST,
    SLOTS,
    FlowControl,
    FlowLayout,
)
from fingerpost.hdl.bus.axi_stream import AxiStreamSignature
from fingerpost.hdl.lib.block_queue import BlockQueue
from fingerpost.hdl.lib.flit import LinkSignature
from fingerpost.hdl.lib.header import struct
from fingerpost.hdl.terminal.flow_sender import answer_layout

__all__ = ["FlowReceiver"]


class FlowReceiver(wiring.Component):
    """Take every flit in the cycle in which it arrives; hand beats over in the order of arrival.

    There is room for all that senders may send: the windows of all sources, and `receive` beats for
    packets that were granted. When a packet has been handed over, its units are acknowledged, once
    there are at least `batch` of its source. Requests are granted in the order of arrival, so
    sources take turns.

    Senders are invited a little more slowly than flits can arrive, so that a queue stands here and
    not in routers: the next eager packet is handed over, and the next request granted, 1 + 8 F / 7
    cycles after one of F flits.

    Parameters
    ----------
    layout : FlowLayout
    flow : FlowControl
    flit_width : int

    Members
    -------
    eject : ``In(LinkSignature)``           From the router.
    cleared : ``In(1)``                     Asserted from the end of the clearing after a reset.
    acked, granted : ``Out(1)``             An acknowledge, a grant arrives.
    peer, slot, units : ``Out``             Its sender; slot of a grant; units of an acknowledge.
    answer, answer_valid : ``Out``          The oldest answer.
    answered : ``In(1)``                    It is sent.
    stream : ``Out(AxiStreamSignature)``    `tuser` is the source above the error mark.
    """

    eject: Any
    cleared: Signal
    acked: Signal
    granted: Signal
    peer: Signal
    slot: Signal
    units: Signal
    answer: Any
    answer_valid: Signal
    answered: Signal
    stream: Any

    def __init__(self, layout: FlowLayout, flow: FlowControl, *, flit_width: int) -> None:
        self.layout, self.flow, self.flit_width = layout, flow, flit_width
        super().__init__(
            {
                "eject": In(LinkSignature(channels=1, flit_width=flit_width)),
                "cleared": In(1),
                "acked": Out(1),
                "granted": Out(1),
                "peer": Out(layout.number),
                "slot": Out(bits(SLOTS)),
                "units": Out(bits(flow.window + 1)),
                "answer": Out(answer_layout(layout)),
                "answer_valid": Out(1),
                "answered": In(1),
                "stream": Out(AxiStreamSignature(layout.bytes, user=layout.number + 1)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Sort what arrives; hand over, grant and answer at the pace of the network."""
        m = Module()
        flow, layout, eject, stream = self.flow, self.layout, self.eject, self.stream
        entry = data.StructLayout(
            {"body": layout.body.width, "last": 1, "eager": 1, "source": layout.number}
        )
        request_layout = data.StructLayout(
            {"peer": layout.number, "slot": bits(SLOTS), "length": layout.length}
        )
        m.submodules.arrivals = arrivals = BlockQueue(entry, depth=flow.arrivals)
        m.submodules.requests = requests = BlockQueue(request_layout, depth=flow.requests)
        m.submodules.answers = answers = BlockQueue(answer_layout(layout), depth=ANSWERS)

        # What arrives.
        head: Any = data.View(struct(layout.head), eject.flit.data[: layout.head.width])
        arriving, request = arrivals.entry, requests.entry
        arriving_body: Any = data.View(struct(layout.body), arriving.body)
        source, eager = Signal(layout.number), Signal()  # of the packet that arrives
        is_head = Signal()
        status: Value = eject.flit.data[self.flit_width - layout.status :]
        m.d.comb += [
            is_head.eq(eject.valid & eject.flit.head),
            self.acked.eq(is_head & (head.kind == ACK)),
            self.granted.eq(is_head & (head.kind == GRANT)),
            self.peer.eq(head.source),
            self.slot.eq(head.slot),
            self.units.eq(head.length),
            request.peer.eq(head.source),
            request.slot.eq(head.slot),
            request.length.eq(head.length),
            requests.push.eq(is_head & (head.kind == REQUEST)),
            arriving.body.eq(eject.flit.data[: layout.body.width]),
            arriving.last.eq(eject.flit.tail),
            arriving.eager.eq(eager),
            arriving.source.eq(source),
            arrivals.push.eq(eject.valid & ~eject.flit.head),
        ]
        if layout.status:
            m.d.comb += arriving_body.error.eq(
                eject.flit.data[layout.body["error"].offset] | (eject.flit.tail & status.any())
            )
        m.d.sync += eject.credit.eq(eject.valid)
        with m.If(is_head):
            m.d.sync += [source.eq(head.source), eager.eq(head.kind == EAGER)]

        # The pace: cycles to wait, of which each eighth does not count.
        wait = Signal(range(2 * flow.packet_limit + 4))
        eighth = Signal(3)
        m.d.sync += eighth.eq(eighth + 1)

        # Hand over.
        front = arrivals.front
        body: Any = data.View(struct(layout.body), front.body)
        middle, offered = Signal(), Signal()  # of a packet; tvalid was asserted and not tready
        invites, room, taken = Signal(), Signal(2), Signal()
        m.d.comb += [
            invites.eq(front.eager & ~middle),
            stream.tvalid.eq(
                arrivals.valid & (offered | ((~invites | (wait == 0)) & (~front.last | room[0])))
            ),
            taken.eq(stream.tvalid & stream.tready),
            arrivals.pop.eq(taken),
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
        wanted = requests.front
        grants, handed = Signal(), Signal()
        length = Signal(layout.length)
        m.d.comb += [
            handed.eq(taken & front.last),
            length.eq(Mux(grants, wanted.length, 0)),
            requests.pop.eq(grants),
        ]
        m.d.sync += space.eq(space - length + (taken & ~front.eager))
        flits = Mux(grants, wanted.length + 1, 0) + Mux(taken & front.eager, 1 + ~middle, 0)
        m.d.sync += wait.eq(wait + flits - ((wait != 0) & (eighth != 0)))

        # Answer.
        acks, acked_source, acked_units = self._batches(m, handed, front.source, units)
        m.d.comb += [
            room[0].eq(answers.level <= ANSWERS - 3),
            room[1].eq(answers.level <= ANSWERS - 4),
            grants.eq(requests.valid & (wait == 0) & (space >= wanted.length) & room[1] & ~acks),
            answers.entry.peer.eq(Mux(acks, acked_source, wanted.peer)),
            answers.entry.grant.eq(~acks),
            answers.entry.slot.eq(Mux(acks, 0, wanted.slot)),
            answers.entry.units.eq(Mux(acks, acked_units, 0)),
            answers.push.eq(acks | grants),
            self.answer.eq(answers.front),
            self.answer_valid.eq(answers.valid),
            answers.pop.eq(self.answered),
        ]
        return m

    def _batches(
        self, m: Module, handed: Value, source: Value, units: Value
    ) -> tuple[Value, Value, Value]:
        """Return whether an acknowledge is due, its peer and units: a cycle after the tail."""
        flow = self.flow
        late, late_source, late_units = Signal(), Signal(self.layout.number), Signal.like(units)
        m.d.sync += [late.eq(handed), late_source.eq(source), late_units.eq(units)]
        if flow.batch == 1:
            return late, late_source, late_units
        withheld: Memory = Memory(shape=bits(flow.batch), depth=flow.peers, init=[])
        m.submodules.withheld = withheld
        write = withheld.write_port()
        read = withheld.read_port(transparent_for=(write,))
        clear, total, due = Signal(range(flow.peers)), Signal.like(units), Signal()
        with m.If(~self.cleared):
            m.d.sync += clear.eq(clear + 1)
        m.d.comb += [
            total.eq(read.data + late_units),
            due.eq(total >= flow.batch),
            read.addr.eq(source),
            write.addr.eq(Mux(self.cleared, late_source, clear)),
            write.data.eq(Mux(self.cleared & ~due, total, 0)),
            write.en.eq(late | ~self.cleared),
        ]
        return late & due, late_source, total

"""From AXI4-Stream into the network, with end-to-end flow control; the twin of golden's."""

from typing import Any

from amaranth import Array, Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from fingerpost.golden.header import bits
from fingerpost.golden.terminal.beat import REFUSED
from fingerpost.golden.terminal.flow_layout import (
    ACK,
    DATA,
    EAGER,
    GRANT,
    REQUEST,
    SLOTS,
    FlowControl,
    FlowLayout,
)
from fingerpost.hdl.bus.axi_stream import AxiStreamSignature
from fingerpost.hdl.lib.flit import LinkSignature
from fingerpost.hdl.lib.header import struct
from fingerpost.hdl.lib.logic import count, thermometer
from fingerpost.hdl.terminal.packet_store import PacketStore, packet_layout
from fingerpost.hdl.terminal.windows import Windows

__all__ = ["FlowSender", "answer_layout"]


def answer_layout(layout: FlowLayout) -> data.StructLayout:
    """Return what a receiver answers: an acknowledge of units, or the grant of a slot."""
    return data.StructLayout(
        {"peer": layout.number, "grant": 1, "slot": bits(SLOTS), "units": layout.length}
    )


class FlowSender(wiring.Component):
    """Store packets, and send each when its destination has room for it.

    A packet enters the network only when it is complete, and when the window of its destination
    has room for it. A packet of at most `eager` beats needs nothing else. For a longer one a
    request is sent, and the packet itself when the request is granted; packets to other
    destinations may go before it. A packet to no terminal is dropped.

    A flit is *chosen* in one cycle, in which the header and the window of its destination are read,
    and sent in a later one. Answers of the receiver come first, then the oldest packet that has not
    asked for room, then the packet that has had room for longest; these two take turns while the
    former has to wait.

    Parameters
    ----------
    layout : FlowLayout
    flow : FlowControl
    flit_width : int
    credits : int
        At the start.
    shared : bool
        Whether other senders send to the same port, each on a channel of its own.

    Members
    -------
    stream : ``In(AxiStreamSignature)``
    dest : ``In``                        Destination of the packet, with its first beat.
    peer : ``Out``                       Node whose header is looked up.
    header, known : ``In``               That header; there is a terminal of that number.
    source : ``In``                      Number of this node.
    answer, answer_valid : ``In``        The oldest answer of the receiver.
    answered : ``Out(1)``                It is sent.
    acked, acked_peer, acked_units : ``In``    An acknowledge arrives.
    granted, granted_slot : ``In``       A grant arrives.
    cleared : ``Out(1)``                 The windows are ready after a reset.
    inject : ``Out(LinkSignature)``      To the router.
    request : ``Out(1)``                 If shared: there is a flit, and a credit.
    grant : ``In(1)``                    If shared: it is sent.
    refused : ``Out(8)``                 Packets that were dropped; stops at 255.
    """

    stream: Any
    dest: Signal
    peer: Signal
    header: Signal
    known: Signal
    source: Signal
    answer: Any
    answer_valid: Signal
    answered: Signal
    acked: Signal
    acked_peer: Signal
    acked_units: Signal
    granted: Signal
    granted_slot: Signal
    cleared: Signal
    inject: Any
    request: Signal
    grant: Signal
    refused: Signal

    def __init__(
        self,
        layout: FlowLayout,
        flow: FlowControl,
        *,
        flit_width: int,
        credits: int,
        shared: bool = False,
    ) -> None:
        self.layout, self.flow, self.credits, self.shared = layout, flow, credits, shared
        super().__init__(
            {
                "stream": In(AxiStreamSignature(layout.bytes, user=1)),
                "dest": In(layout.number),
                "peer": Out(layout.number),
                "header": In(layout.header),
                "known": In(1),
                "source": In(layout.number),
                "answer": In(answer_layout(layout)),
                "answer_valid": In(1),
                "answered": Out(1),
                "acked": In(1),
                "acked_peer": In(layout.number),
                "acked_units": In(bits(flow.window + 1)),
                "granted": In(1),
                "granted_slot": In(bits(flow.slots)),
                "cleared": Out(1),
                "inject": Out(LinkSignature(channels=1, flit_width=flit_width)),
                **({"request": Out(1), "grant": In(1)} if shared else {}),
                REFUSED.name: Out(REFUSED.width),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Keep the packets in slots; choose, then send."""
        m = Module()
        flow = self.flow
        m.submodules.store = store = PacketStore(self.layout, flow)
        m.submodules.windows = windows = Windows(flow)
        connect(m, flipped(self.stream), store.stream)

        # Slots: written, then asked for, in turn; sent in the order in which they get room.
        write, ask = Signal(bits(flow.slots)), Signal(bits(flow.slots))
        used, fresh, requests = (
            Signal(flow.slots, name=name) for name in ("used", "fresh", "requests")
        )
        layout = packet_layout(self.layout)
        packets: Any = Array(Signal(layout, name=f"packet_{i}") for i in range(flow.slots))
        first_ready, last_ready = Signal(bits(flow.slots)), Signal(bits(flow.slots))
        ready = Array(Signal(bits(flow.slots), name=f"ready_{i}") for i in range(flow.slots))
        can_send = Signal(flow.slots + 1, init=1)  # one-hot: slots in `ready`
        send = Signal(bits(flow.slots))
        asking: Any = Signal(layout)
        sending: Any = Signal(layout)
        m.d.comb += [
            store.dest.eq(self.dest),
            store.slot.eq(write),
            store.enable.eq(windows.cleared & ~used.bit_select(write, 1)),
            asking.eq(packets[ask]),
            send.eq(ready[first_ready]),
            sending.eq(packets[send]),
            self.cleared.eq(windows.cleared),
        ]
        with m.If(store.complete):
            m.d.sync += [
                packets[write].eq(store.packet),
                used.bit_select(write, 1).eq(1),
                fresh.bit_select(write, 1).eq(1),
                write.eq(write + 1),
            ]

        # Choose.
        chosen, answers, asks, sends = (
            Signal(name=name) for name in ("chosen", "answers", "asks", "sends")
        )
        answer: Any = Signal.like(self.answer)
        packet: Any = Signal(layout)
        slot = Signal.like(send)
        header, known = Signal.like(self.header), Signal()
        waited = Signal()  # the last packet that was chosen to ask
        choice = Signal(3)
        m.d.comb += [
            choice[0].eq(self.answer_valid),
            choice[1].eq(~choice[0] & fresh.bit_select(ask, 1) & ~(waited & ~can_send[0])),
            choice[2].eq(~choice[0] & ~choice[1] & ~can_send[0]),
            self.peer.eq(
                Mux(choice[0], self.answer.peer, Mux(choice[1], asking.dest, sending.dest))
            ),
            windows.peer.eq(Mux(chosen, packet.dest, asking.dest)),
        ]
        with m.If(~chosen):
            m.d.sync += [
                chosen.eq(choice.any()),
                answers.eq(choice[0]),
                asks.eq(choice[1]),
                sends.eq(choice[2]),
                answer.eq(self.answer),
                packet.eq(Mux(choice[1], asking, sending)),
                slot.eq(Mux(choice[1], ask, send)),
                header.eq(self.header),
                known.eq(self.known),
            ]

        # Send.
        remaining = Signal(range(flow.packet_limit + 1))  # beats of the packet that is being sent
        credit, free, eager, body, last = Signal(), Signal(), Signal(), Signal(), Signal()
        follows, has_room, waits, issues = Signal(), Signal(), Signal(), Signal()
        units = Mux(eager, packet.length, 1)
        fits = (
            windows.outstanding + units <= flow.window if flow.ordered else windows.outstanding == 0
        )
        rejected, requested, passed, direct, starts = (
            Signal(name=name) for name in ("rejected", "requested", "passed", "direct", "starts")
        )
        same = [requests[i] & (packets[i].dest == packet.dest) for i in range(flow.slots)]
        m.d.comb += [
            free.eq(credit & (remaining == 0)),
            eager.eq(packet.length <= flow.eager),
            self.answered.eq(chosen & answers & free),
            follows.eq(Cat(*same).any()),  # a longer one to the same destination
            has_room.eq(fits & ~(eager & follows)),
            rejected.eq(chosen & asks & ~known),
            waits.eq(chosen & asks & known & ~has_room),
            requested.eq(chosen & asks & known & has_room & ~eager & free),
            direct.eq(chosen & asks & known & has_room & eager & can_send[0] & free),
            passed.eq(chosen & asks & known & has_room & eager & ~can_send[0] & ~self.granted),
            starts.eq(direct | (chosen & sends & free)),
            body.eq(credit & (remaining != 0)),
            last.eq(remaining == 1),
            issues.eq(requested | passed | direct),
            windows.units.eq(Mux(issues, units, 0)),
            windows.acked.eq(self.acked),
            windows.acked_peer.eq(self.acked_peer),
            windows.acked_units.eq(self.acked_units),
        ]
        with m.If(issues | rejected):
            m.d.sync += [ask.eq(ask + 1), fresh.bit_select(ask, 1).eq(0)]
        with m.If(requested):
            m.d.sync += requests.bit_select(slot, 1).eq(1)
        gets_room, leaves = self.granted | passed, starts & sends
        with m.If(gets_room):
            m.d.sync += [
                ready[last_ready].eq(Mux(self.granted, self.granted_slot, slot)),
                last_ready.eq(last_ready + 1),
            ]
        with m.If(leaves):
            m.d.sync += [first_ready.eq(first_ready + 1), requests.bit_select(slot, 1).eq(0)]
        with m.If(gets_room & ~leaves):
            m.d.sync += can_send.eq(can_send << 1)
        with m.Elif(leaves & ~gets_room):
            m.d.sync += can_send.eq(can_send >> 1)
        with m.If(chosen):
            m.d.sync += waited.eq(waits)
        with m.If(self.answered | issues | rejected | starts | waits):
            m.d.sync += chosen.eq(0)

        # The beats of a packet.
        sent_slot, index = Signal.like(slot), Signal.like(store.read_index)
        with m.If(starts):
            m.d.sync += [remaining.eq(packet.length), sent_slot.eq(slot), index.eq(0)]
        with m.Elif(body):
            m.d.sync += [remaining.eq(remaining - 1), index.eq(index + 1)]
        m.d.comb += [
            store.read_slot.eq(Mux(starts, slot, sent_slot)),
            store.read_index.eq(Mux(starts, 0, index + body)),
        ]
        with m.If(rejected):
            m.d.sync += used.bit_select(slot, 1).eq(0)
        with m.If(body & last):
            m.d.sync += used.bit_select(sent_slot, 1).eq(0)

        # Flits.
        head: Any = Signal(struct(self.layout.head))
        inject, alone, sent = self.inject, self.answered | requested, Signal()
        credits = thermometer(
            m, "credits", self.credits, init=self.credits, up=inject.credit[0], down=sent
        )
        kind = Mux(requested, REQUEST, Mux(eager, EAGER, DATA))
        m.d.comb += [
            credit.eq(credits[0] & (self.grant if self.shared else 1)),
            head.header.eq(header),
            head.source.eq(self.source),
            head.kind.eq(Mux(answers, Mux(answer.grant, GRANT, ACK), kind)),
            head.slot.eq(Mux(answers, answer.slot, slot)),
            head.length.eq(Mux(answers, answer.units, packet.length)),
            sent.eq(alone | starts | body),
            inject.valid.eq(sent),
            inject.flit.head.eq(alone | starts),
            inject.flit.tail.eq(alone | (body & last)),
            inject.flit.data.eq(Mux(body, store.beat, head)),
        ]
        if self.shared:
            asks_flit = asks & known & has_room & (~eager | can_send[0])
            flit = (remaining != 0) | (chosen & (answers | sends | asks_flit))
            m.d.comb += self.request.eq(credits[0] & flit)
        count(m, self.refused, rejected | store.dropped)
        return m

"""From AXI4-Stream into the network, with end-to-end flow control; the twin of golden's."""

from typing import Any

from amaranth import Array, Module, Mux, Signal
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
    """Return what a receiver answers: an acknowledge, or the grant of a slot."""
    return data.StructLayout({"peer": layout.number, "grant": 1, "slot": bits(SLOTS)})


class FlowSender(wiring.Component):
    """Store packets, and send each when its destination has room for it.

    A packet enters the network only when it is complete, and in the order of arrival. At most
    `window` packets to one destination are outstanding. A packet of at most `eager` beats needs
    nothing else. For a longer one a request is sent, ahead of the packets before it, and the packet
    itself when the request is granted. A packet to no terminal is dropped.

    A flit is *chosen* in one cycle, in which the header and the window of its destination are read,
    and sent in a later one. Answers of the receiver come first, then the oldest packet that has no
    room yet, then the oldest that has; these two take turns while the window of the former is full.

    Parameters
    ----------
    layout : FlowLayout
    flow : FlowControl
    flit_width : int
    credits : int
        At the start.

    Members
    -------
    stream : ``In(AxiStreamSignature)``
    dest : ``In``                        Destination of the packet, with its first beat.
    peer : ``Out``                       Node whose header is looked up.
    header, known : ``In``               That header; there is a terminal of that number.
    source : ``In``                      Number of this node.
    answer, answer_valid : ``In``        The oldest answer of the receiver.
    answered : ``Out(1)``                It is sent.
    acked, acked_peer : ``In``           An acknowledge arrives.
    granted, granted_slot : ``In``       A grant arrives.
    cleared : ``Out(1)``                 The windows are ready after a reset.
    inject : ``Out(LinkSignature)``      To the router.
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
    granted: Signal
    granted_slot: Signal
    cleared: Signal
    inject: Any
    refused: Signal

    def __init__(
        self, layout: FlowLayout, flow: FlowControl, *, flit_width: int, credits: int
    ) -> None:
        self.layout, self.flow, self.credits = layout, flow, credits
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
                "granted": In(1),
                "granted_slot": In(bits(SLOTS)),
                "cleared": Out(1),
                "inject": Out(LinkSignature(channels=1, flit_width=flit_width)),
                REFUSED.name: Out(REFUSED.width),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Keep the packets in slots; choose, then send."""
        m = Module()
        flow, slot_bits = self.flow, bits(SLOTS)
        m.submodules.store = store = PacketStore(self.layout, flow)
        m.submodules.windows = windows = Windows(flow)

        # Packets between `ask` and `write` have no room yet; those between `send` and `ask` have
        # it, or wait for the grant, or are to be dropped.
        write, ask, send = (Signal(slot_bits + 1, name=name) for name in ("write", "ask", "send"))
        write_slot, ask_slot, send_slot = (p[:slot_bits] for p in (write, ask, send))
        has_room, void = Signal(SLOTS), Signal(SLOTS)
        layout = packet_layout(self.layout)
        packets = Array(Signal(layout, name=f"packet_{i}") for i in range(SLOTS))
        asking: Any = Signal(layout)
        sending: Any = Signal(layout)
        connect(m, flipped(self.stream), store.stream)
        m.d.comb += [
            store.dest.eq(self.dest),
            store.enable.eq(windows.cleared & ((write - send)[: slot_bits + 1] != SLOTS)),
            asking.eq(packets[ask_slot]),
            sending.eq(packets[send_slot]),
            self.cleared.eq(windows.cleared),
        ]
        with m.If(store.complete):
            m.d.sync += [packets[write_slot].eq(store.packet), write.eq(write + 1)]

        # Choose.
        chosen, answers, asks, sends = (
            Signal(name=name) for name in ("chosen", "answers", "asks", "sends")
        )
        answer: Any = Signal.like(self.answer)
        packet: Any = Signal(layout)
        header, known = Signal.like(self.header), Signal()
        full = Signal()  # the window was full when `ask` was chosen last
        can_send, choice = Signal(), Signal(3)
        m.d.comb += [
            can_send.eq((send != ask) & has_room.bit_select(send_slot, 1)),
            choice[0].eq(self.answer_valid),
            choice[1].eq(~choice[0] & (ask != write) & ~(full & can_send)),
            choice[2].eq(~choice[0] & ~choice[1] & can_send),
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
                header.eq(self.header),
                known.eq(self.known),
            ]

        # Send.
        remaining = Signal(range(flow.packet_limit + 1))  # beats of the packet that is being sent
        credit, free, eager, body = Signal(), Signal(), Signal(), Signal()
        open_, direct, passed, requested, rejected, starts, discards = (
            Signal(name=name)
            for name in (
                *("open", "direct", "passed", "requested", "rejected", "starts", "discards"),
            )
        )
        m.d.comb += [
            free.eq(credit & (remaining == 0)),
            eager.eq(packet.length <= flow.eager),
            self.answered.eq(chosen & answers & free),
            open_.eq(chosen & asks & known & windows.open),
            rejected.eq(chosen & asks & ~known),
            requested.eq(open_ & ~eager & free),
            passed.eq(open_ & eager & (ask != send)),
            direct.eq(open_ & eager & (ask == send) & free),
            discards.eq(chosen & sends & void.bit_select(send_slot, 1) & (remaining == 0)),
            starts.eq(direct | (chosen & sends & ~void.bit_select(send_slot, 1) & free)),
            body.eq(credit & (remaining != 0)),
            windows.issue.eq(requested | passed | direct),
            windows.acked.eq(self.acked),
            windows.acked_peer.eq(self.acked_peer),
            store.pop.eq(body),
            store.discard.eq(Mux(discards, packet.length, 0)),
        ]
        with m.If(self.granted):
            m.d.sync += has_room.bit_select(self.granted_slot, 1).eq(1)
        with m.If(windows.issue | rejected):
            m.d.sync += [
                ask.eq(ask + 1),
                has_room.bit_select(ask_slot, 1).eq(passed | rejected),
                void.bit_select(ask_slot, 1).eq(rejected),
            ]
        with m.If(starts | discards):
            m.d.sync += send.eq(send + 1)
        with m.If(chosen & asks):
            m.d.sync += full.eq(known & ~windows.open)
        with m.Elif(chosen & sends):
            m.d.sync += full.eq(0)
        done = self.answered | windows.issue | rejected | starts | discards
        with m.If(done | (chosen & asks & ~windows.open)):
            m.d.sync += chosen.eq(0)
        with m.If(starts):
            m.d.sync += remaining.eq(packet.length)
        with m.Elif(body):
            m.d.sync += remaining.eq(remaining - 1)

        # Flits.
        head: Any = Signal(struct(self.layout.head))
        inject, alone = self.inject, self.answered | requested
        sent = Signal()
        credits = thermometer(
            m, "credits", self.credits, init=self.credits, up=inject.credit[0], down=sent
        )
        kind = Mux(requested, REQUEST, Mux(eager, EAGER, DATA))
        m.d.comb += [
            credit.eq(credits[0]),
            head.header.eq(header),
            head.source.eq(self.source),
            head.kind.eq(Mux(answers, Mux(answer.grant, GRANT, ACK), kind)),
            head.slot.eq(Mux(answers, answer.slot, ask_slot)),
            head.length.eq(Mux(answers, 0, packet.length)),
            sent.eq(alone | starts | body),
            inject.valid.eq(sent),
            inject.flit.head.eq(alone | starts),
            inject.flit.tail.eq(alone | (body & (remaining == 1))),
            inject.flit.data.eq(Mux(body, store.beat, head)),
        ]
        count(m, self.refused, rejected | store.dropped)
        return m

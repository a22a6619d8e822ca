"""From AXI4-Stream into the network, with end-to-end flow control; the twin of golden's."""

from typing import Any

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import data
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out, connect, flipped

from fingerpost.golden.header import bits
from fingerpost.golden.terminal.beat import REFUSED
from fingerpost.golden.terminal.flow_layout import (
    ACK,
    DATA,
    EAGER,
    GRANT,
    KINDS,
    REQUEST,
    SLOTS,
    FlowControl,
    FlowLayout,
)
from fingerpost.hdl.bus.axi import AxiStreamSignature
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.header import LinkSignature, struct
from fingerpost.hdl.lib.logic import count, thermometer
from fingerpost.hdl.terminal.packet_store import PacketStore, packet_layout
from fingerpost.hdl.terminal.windows import Windows


def answer_layout(layout: FlowLayout, flow: FlowControl) -> data.StructLayout:
    """Return what a receiver answers: an acknowledge of units, or the grant of a slot."""
    number = max(bits(flow.window + 1), bits(SLOTS))
    base = {"base": flow.sequence} if flow.sequence else {}
    return data.StructLayout({"peer": layout.number, "grant": 1, "number": number, **base})


class FlowSender(Component):
    """Store packets, and send each when its destination has room for it.

    A packet enters the network only when it is complete, and when the window of its destination
    has room for it. A packet of at most `eager` beats needs nothing else. For a longer one a
    request is sent, and the packet itself when the request is granted; packets to other
    destinations may go before it. A packet to no terminal is dropped.

    What is next is *chosen* in one cycle, in which the window of its destination is read; in the
    next one its header is looked up, and it is decided whether it is sent; its head is sent in a
    later one. Answers of the receiver come first, then the oldest packet that has not asked for
    room, then the packet that has had room for longest. When the former has to wait, it is not
    chosen in the next cycle.

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
    answered : ``Out(1)``                It is taken.
    acked, acked_peer, acked_units : ``In``    An acknowledge arrives.
    granted, granted_slot : ``In``       A grant arrives.
    granted_base : ``In``                Sequence number of the first beat that is granted.
    clear, cleared : ``Out``             Row that is cleared after a reset; the windows are ready.
    inject : ``Out(LinkSignature)``      To the router.
    dest_out : ``Out``                   Where packets have one flit: destination of this one.
    request : ``Out(1)``                 If shared: there is a flit, and a credit.
    grant : ``In(1)``                    If shared: it is sent.
    refused : ``Out(8)``                 Packets that were dropped; stops at 255.
    """

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
                "stream": In(AxiStreamSignature(layout.data_width, user=1)),
                "dest": In(layout.number),
                "peer": Out(layout.number),
                "header": In(layout.header),
                "known": In(1),
                "source": In(layout.number),
                "answer": In(answer_layout(layout, flow)),
                "answer_valid": In(1),
                "answered": Out(1),
                "acked": In(1),
                "acked_peer": In(layout.number),
                "acked_units": In(bits(flow.window + 1)),
                "granted": In(1),
                "granted_slot": In(bits(flow.slots)),
                "granted_base": In(flow.sequence),
                "clear": Out(bits(flow.clearing)),
                "cleared": Out(1),
                "inject": Out(LinkSignature(channels=1, flit_width=flit_width)),
                **({"dest_out": Out(layout.header)} if layout.single else {}),
                **({"request": Out(1), "grant": In(1)} if shared else {}),
                REFUSED.name: Out(REFUSED.width),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Keep the packets in slots; choose, decide, then send."""
        m = Module()
        flow, number = self.flow, bits(self.flow.slots)
        m.submodules.store = store = PacketStore(self.layout, flow)
        m.submodules.windows = windows = Windows(flow)
        connect(m, flipped(self.stream), store.stream)

        # Slots: written, then asked for, in turn; sent in the order in which they get room. The
        # counts have a bit more than the number of a slot, so they differ while any is between.
        write, ask, first_ready, last_ready = (
            Signal(number + 1, name=name) for name in ("write", "ask", "first_ready", "last_ready")
        )
        used = Signal(flow.slots)
        kept = {**packet_layout(self.layout).members, "short": 1}
        if flow.ordered:
            kept["same"] = flow.slots  # slots with packets to the same destination
        packets: Memory = Memory(shape=data.StructLayout(kept), depth=flow.slots, init=[])
        turn = data.StructLayout({"slot": number, "sequence": flow.sequence})
        ready: Memory = Memory(shape=turn, depth=flow.slots, init=[])
        m.submodules.packets, m.submodules.ready = packets, ready
        complete, gets_room = packets.write_port(), ready.write_port()
        packet_read, ready_read = (memory.read_port(domain="comb") for memory in (packets, ready))
        packet: Any = packet_read.data
        m.d.comb += [
            store.dest.eq(self.dest),
            store.slot.eq(write),
            store.enable.eq(windows.cleared & ~used.bit_select(store.slot, 1)),
            complete.addr.eq(store.slot),
            complete.data.dest.eq(store.packet.dest),
            complete.data.length.eq(store.packet.length),
            complete.data.short.eq(store.packet.length <= flow.eager),
            complete.en.eq(store.complete),
            ready_read.addr.eq(first_ready),
            self.clear.eq(windows.clear),
            self.cleared.eq(windows.cleared),
        ]
        with m.If(store.complete):
            m.d.sync += [used.bit_select(store.slot, 1).eq(1), write.eq(write + 1)]

        # Choose.
        chosen, asks, waited = Signal(), Signal(), Signal()  # waited: it asked just now
        answers, eager, kind = Signal(), Signal(), Signal(bits(len(KINDS)))
        peer, slot, length = (
            Signal(width, name=name)
            for name, width in (
                ("peer", self.layout.number),
                ("slot", bits(SLOTS)),
                ("length", self.layout.length),
            )
        )
        sequence = Signal(flow.sequence)
        choice, ask_now, any_ready = Signal(3), Signal(), Signal()
        known = self.known
        reply = self.answer
        m.d.comb += [
            choice[0].eq(self.answer_valid),
            ask_now.eq((ask != write) & ~waited),
            choice[1].eq(~self.answer_valid & ask_now),
            choice[2].eq(~self.answer_valid & ~ask_now & any_ready),
            packet_read.addr.eq(Mux(ask_now, ask, ready_read.data.slot)),
            windows.peer.eq(packet.dest),
            windows.read.eq(~chosen),
            self.peer.eq(peer),
            self.answered.eq(choice[0] & ~chosen),
        ]
        with m.If(~chosen):
            m.d.sync += [
                *(chosen.eq(choice.any()), answers.eq(choice[0]), asks.eq(choice[1])),
                peer.eq(Mux(choice[0], reply.peer, packet.dest)),
                eager.eq(~choice[0] & packet.short),
            ]
            with m.If(choice[0]):
                m.d.sync += [
                    kind.eq(Mux(reply.grant, GRANT, ACK)),
                    slot.eq(Mux(reply.grant, reply.number, 0)),
                    length.eq(Mux(reply.grant, 0, reply.number)),
                    *([sequence.eq(reply.base)] if flow.sequence else []),
                ]
            with m.Else():
                m.d.sync += [
                    kind.eq(Mux(packet.short, EAGER, Mux(ask_now, REQUEST, DATA))),
                    *(slot.eq(packet_read.addr), length.eq(packet.length)),
                    sequence.eq(ready_read.data.sequence),
                ]

        # Decide. What goes on is loaded behind the flit that is sent.
        loads, ends = Signal(), Signal()
        asking, follows, queues, may_issue, issues, goes, leaves, passed, rejected, waits = (
            Signal(name=name)
            for name in (
                *("asking", "follows", "queues", "may_issue", "issues"),
                *("goes", "leaves", "passed", "rejected", "waits"),
            )
        )
        units = Mux(eager, length, 1)
        m.d.comb += [
            asking.eq(chosen & asks & known),
            queues.eq(eager & any_ready),  # behind packets that have had room for longer
            may_issue.eq(asking & ~follows & Mux(queues, ~self.granted, loads)),
            issues.eq(may_issue & windows.fits),
            goes.eq((chosen & ~asks & loads) | (issues & ~queues)),
            leaves.eq(goes & ~asks & ~answers),
            passed.eq(issues & queues),
            rejected.eq(chosen & asks & ~known & ~ends),
            waits.eq(asking & (follows | ~windows.fits)),
            windows.issued.eq(issues),
            windows.issued_peer.eq(peer),
            windows.units.eq(units),
            windows.acked.eq(self.acked),
            windows.acked_peer.eq(self.acked_peer),
            windows.acked_units.eq(self.acked_units),
            gets_room.addr.eq(last_ready),
            gets_room.data.slot.eq(Mux(self.granted, self.granted_slot, slot)),
            gets_room.data.sequence.eq(Mux(self.granted, self.granted_base, windows.sequence)),
            gets_room.en.eq(self.granted | passed),
        ]
        if flow.ordered:
            m.d.comb += complete.data.same.eq(self._same(m, store))
            same, requests = Signal(flow.slots), Signal(flow.slots)
            late = Signal()  # what was sent is still chosen, and nothing is decided
            m.d.comb += follows.eq(eager & (requests & same).any())
            m.d.sync += late.eq(goes & ~answers)
            with m.If(~chosen):
                m.d.sync += same.eq(packet.same)
            with m.If(late):
                m.d.sync += requests.bit_select(slot[:number], 1).eq(kind == REQUEST)
        m.d.sync += waited.eq(waits)
        with m.If(chosen):
            m.d.sync += chosen.eq(~(goes | passed | rejected | waits))
        with m.If(issues | rejected):
            m.d.sync += ask.eq(ask + 1)
        with m.If(gets_room.en):
            m.d.sync += last_ready.eq(last_ready + 1)
        with m.If(leaves):
            m.d.sync += first_ready.eq(first_ready + 1)
        one_ready = (first_ready + 1)[: number + 1] == last_ready
        m.d.sync += any_ready.eq(gets_room.en | (any_ready & ~(leaves & one_ready)))

        # Send: a head, and the beats of its packet. Where packets have one flit there is none, and
        # in its cycle the first beat is read.
        layout = self.layout
        head: Any = Signal(struct(layout.head))
        busy, in_body, index = Signal(), Signal(), Signal(range(flow.packet_limit + 1))
        next_index, sent, last = Signal.like(index), Signal(), Signal()
        moves = sent
        inject = self.inject
        credits = thermometer(
            m, "credits", self.credits, init=self.credits, up=inject.credit[0], down=sent
        )
        sent_kind, sent_slot, sent_length, sent_header, sent_sequence = (
            Signal(width, name=f"sent_{name}")
            for name, width in (
                *((name, layout.head[name].width) for name in ("kind", "slot", "length")),
                ("header", layout.header),
                ("sequence", flow.sequence),
            )
        )
        beat, may_send = Value.cast(store.beat), Value.cast(1)
        if layout.single:
            may_send, moves = in_body | last, Signal()
            m.d.comb += [moves.eq(sent | (busy & ~may_send)), self.dest_out.eq(sent_header)]
            beat = Cat(head.as_value()[: layout.mark.width], store.beat)
        else:
            m.d.comb += head.header.eq(sent_header)
        if flow.sequence:
            m.d.comb += head.sequence.eq(sent_sequence)
        if layout.single:
            m.d.comb += head.last.eq(last)
        m.d.comb += [
            head.source.eq(self.source),
            head.kind.eq(sent_kind),
            head.slot.eq(sent_slot),
            head.length.eq(sent_length),
            sent.eq(busy & credits[0] & may_send & (self.grant if self.shared else 1)),
            next_index.eq(index + 1),
            ends.eq(sent & last),
            loads.eq(~busy | ends),
            store.read_slot.eq(sent_slot),
            store.read_index.eq(index),
            store.read.eq(moves),
            inject.valid.eq(sent),
            inject.flit.head.eq(1 if layout.single else ~in_body),
            inject.flit.tail.eq(1 if layout.single else last),
            inject.flit.data.eq(Mux(in_body, beat, head)),
        ]
        with m.If(moves):
            m.d.sync += [
                *(in_body.eq(~last), index.eq(next_index), last.eq(next_index == sent_length)),
            ]
            if layout.single:
                m.d.sync += sent_sequence.eq(sent_sequence + in_body)
        with m.If(loads):  # whether it goes or not: the windows are known late
            m.d.sync += [
                busy.eq(goes),
                *(
                    index.eq(0),
                    last.eq(answers | (kind == REQUEST)),
                    sent_header.eq(self.header),
                    sent_kind.eq(kind),
                ),
                *(sent_slot.eq(slot), sent_length.eq(length)),
                sent_sequence.eq(Mux(asks, windows.sequence, sequence)),
            ]
        with m.If(rejected | (ends & in_body)):
            m.d.sync += used.bit_select(Mux(ends, sent_slot, slot)[:number], 1).eq(0)
        if self.shared:
            m.d.comb += self.request.eq(busy & credits[0])
        count(m, self.refused, rejected + store.dropped)
        return m

    def _same(self, m: Module, store: PacketStore) -> Value:
        """Return which slots were last filled with a packet to where the complete one goes to."""
        peers = [Signal(self.layout.number, name=f"peer_{i}") for i in range(self.flow.slots)]
        with m.If(store.complete), m.Switch(store.slot):
            for i, peer in enumerate(peers):
                with m.Case(i):
                    m.d.sync += peer.eq(store.packet.dest)
        return Cat(peer == store.packet.dest for peer in peers)

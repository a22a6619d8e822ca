"""From AXI4-Stream into the network, with end-to-end flow control; the twin of hdl's."""

from collections.abc import Callable

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.flit import Flits
from fingerpost.golden.terminal.axi_sender import Beats
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
from fingerpost.golden.terminal.packet_store import PacketStore
from fingerpost.golden.terminal.shared_port import SharedPorts
from fingerpost.golden.terminal.windows import Windows

__all__ = ["Answers", "FlowSender", "Lookup"]

Lookup = Callable[[IntArray, IntArray], tuple[IntArray, BoolArray]]
"""The headers from some nodes to others; whether there is a terminal of that number."""

Answers = tuple[BoolArray, IntArray, IntArray, IntArray, IntArray]
"""Of each terminal: there is an answer, to which peer, it is a grant, its slot, its units."""


class FlowSender:
    """Stores packets, and sends each when its destination has room for it.

    See hdl's FlowSender for the rules.

    Attributes
    ----------
    answered : (terminals,) array of bool
        The answer is sent in this cycle.
    refused : (terminals,)
        Packets that were dropped; it stops as the counter does.
    expired : (terminals,)
        0: a packet does not enter the network before it is complete.
    """

    def __init__(
        self,
        terminals: int,
        flow: FlowControl,
        *,
        credits: int,
        layout: FlowLayout,
        lookup: Lookup,
        classes: int = 1,
    ) -> None:
        self.flow, self.layout, self.lookup = flow, layout, lookup
        self.classes, self.ports = classes, SharedPorts(terminals, classes)
        self.every = np.arange(terminals)
        self.store, self.windows = PacketStore(terminals, flow), Windows(terminals, flow)
        self.write, self.ask = np.zeros((2, terminals), np.int64)
        self.used, self.fresh, self.requests = np.zeros((3, terminals, SLOTS), np.bool_)
        self.packets = np.zeros((terminals, SLOTS, 2), np.int64)  # destination, length
        self.first_ready, self.readies = np.zeros((2, terminals), np.int64)
        self.ready_slots = np.zeros((terminals, SLOTS), np.int64)
        none = np.zeros(terminals, np.bool_)
        self.chosen, self.answers, self.asks, self.sends, self.known, self.waited = (none,) * 6
        self.answer_peer, self.answer_grant, self.answer_slot, self.answer_units = np.zeros(
            (4, terminals), np.int64
        )
        self.packet_dest, self.packet_length, self.header = np.zeros((3, terminals), np.int64)
        self.slot, self.remaining, self.sent_slot, self.index = np.zeros((4, terminals), np.int64)
        self.credits = np.full(terminals, credits)
        self.refused = np.zeros(terminals, np.int64)
        self.expired = np.zeros(terminals, np.int64)
        self._settle()

    def _settle(self) -> None:
        """Follow what is sent from the registers."""
        self.eager = self.packet_length <= self.flow.eager
        asks = self.chosen & self.asks
        same = self.packets[:, :, 0] == self.packet_dest[:, None]
        follows = (self.requests & same).any(axis=1)
        self.units = np.where(self.eager, self.packet_length, 1)
        outstanding = self.windows.outstanding
        fits = outstanding + self.units <= self.flow.window
        has_room = (fits if self.flow.ordered else outstanding == 0) & ~(self.eager & follows)
        opened, none_ready = asks & self.known & has_room, self.readies == 0
        has_flit = self.answers | self.sends | (opened & (~self.eager | none_ready))
        has_flit = (self.chosen & has_flit) | (self.remaining != 0)
        credit = self.ports.granted((self.credits > 0) & has_flit)
        free = credit & (self.remaining == 0)
        self.answered = self.chosen & self.answers & free
        self.rejected = asks & ~self.known
        self.waits = asks & self.known & ~has_room
        self.requested = opened & ~self.eager & free
        self.direct = opened & self.eager & none_ready & free
        self.may_pass = opened & self.eager & ~none_ready  # but for a grant
        self.starts = self.direct | (self.chosen & self.sends & free)
        self.body = credit & (self.remaining != 0)
        self.alone = self.answered | self.requested

    @property
    def ready(self) -> BoolArray:
        """Return tready."""
        enable = ~self.used[self.every, self.write] & self.windows.cleared
        return self.store.dropping | enable

    @property
    def empty(self) -> bool:
        """Return whether no packet is stored, complete or not."""
        return not (self.used.any() or self.store.filled.any())

    def flits(self, place: IntArray) -> Flits:
        """Return what is sent in this cycle, from the `place` of each terminal."""
        beat, body = self.store.beat(self.sent_slot, self.index), self.layout.body
        heads = self.alone | self.starts
        tail = self.alone | (self.body & (self.remaining == 1))
        mark = {"last_byte": beat.last_byte} if "last_byte" in body else {}
        data = body.join(error=beat.error.astype(np.int64), data=beat.data, **mark)
        kind = np.where(self.requested, REQUEST, np.where(self.eager, EAGER, DATA))
        answer = np.where(self.answer_grant > 0, GRANT, ACK)
        head = self.layout.head.join(
            header=self.header,
            source=self.every // self.classes,
            kind=np.where(self.answers, answer, kind),
            slot=np.where(self.answers, self.answer_slot, self.slot),
            length=np.where(self.answers, self.answer_units, self.packet_length),
        )
        at = np.flatnonzero(heads | self.body)
        tag = np.where(heads, -1, beat.tag)
        data = np.where(self.body, data, head)
        return Flits(place[at], at % self.classes, heads[at], tail[at], data[at], tag[at])

    def step(
        self,
        taken: BoolArray,
        beats: Beats,
        dest: IntArray,
        credit: IntArray,
        answer: Answers,
        acked: tuple[IntArray, ...],
        granted: tuple[IntArray, IntArray],
    ) -> None:
        """Go through a clock edge.

        Parameters
        ----------
        taken : array
            tvalid and tready.
        beats : Beats
        dest : array
            tdest.
        credit : array
            1 where a credit comes back.
        answer : Answers
            The oldest answers of the receivers.
        acked, granted : tuples of arrays
            Terminals at which an acknowledge arrives, its peer and units; a grant, and its slot.
        """
        every, ask = self.every, self.ask
        # What is chosen, by the registers of now.
        send = self.ready_slots[every, self.first_ready]
        asking, sending = self.packets[every, ask].T, self.packets[every, send].T
        answers, peer, grant, number, units = answer
        can_send = self.readies > 0
        asks = ~answers & self.fresh[every, ask] & ~(self.waited & can_send)
        sends = ~answers & ~asks & can_send
        read = np.where(self.chosen, self.packet_dest, asking[0])

        # Slots.
        passed = self.may_pass.copy()
        passed[granted[0]] = False
        issue = self.requested | self.direct | passed
        asked, leaves = issue | self.rejected, self.starts & self.sends
        pushed = np.flatnonzero(passed), self.slot[passed]
        for at, slot in (pushed, granted):
            self.ready_slots[at, (self.first_ready + self.readies)[at] % SLOTS] = slot
            self.readies[at] += 1
        self.readies -= leaves
        self.first_ready = (self.first_ready + leaves) % SLOTS
        self.fresh[asked, ask[asked]] = False
        self.ask = (ask + asked) % SLOTS
        self.requests[self.requested, self.slot[self.requested]] = True
        self.requests[leaves, self.slot[leaves]] = False
        self.used[self.rejected, self.slot[self.rejected]] = False
        last = self.body & (self.remaining == 1)
        self.used[last, self.sent_slot[last]] = False
        self.windows.step(read, np.where(issue, self.units, 0), acked)
        self.store.step(taken, beats, dest, self.write)
        complete = np.flatnonzero(self.store.complete)
        slot = self.write[complete]
        self.packets[complete, slot, 0] = self.store.dest[complete]
        self.packets[complete, slot, 1] = self.store.length[complete]
        self.used[complete, slot] = self.fresh[complete, slot] = True
        self.write = (self.write + self.store.complete) % SLOTS

        # The beats of a packet.
        sends_flit = self.alone | self.starts | self.body
        self.credits = self.credits + credit - sends_flit
        self.ports.step(sends_flit)
        self.remaining = np.where(self.starts, self.packet_length, self.remaining - self.body)
        self.index = np.where(self.starts, 0, (self.index + self.body) % self.flow.packet_limit)
        self.sent_slot = np.where(self.starts, self.slot, self.sent_slot)
        dropped = self.rejected | self.store.dropped
        self.refused = np.minimum(self.refused + dropped, REFUSED.most)

        # The choice.
        chosen = self.chosen
        done = self.answered | asked | self.starts | self.waits
        self.waited = np.where(chosen, self.waits, self.waited)
        self.chosen = np.where(chosen, ~done, answers | asks | sends)
        self.answers = np.where(chosen, self.answers, answers)
        self.asks = np.where(chosen, self.asks, asks)
        self.sends = np.where(chosen, self.sends, sends)
        self.answer_peer = np.where(chosen, self.answer_peer, peer)
        self.answer_grant = np.where(chosen, self.answer_grant, grant)
        self.answer_slot = np.where(chosen, self.answer_slot, number)
        self.answer_units = np.where(chosen, self.answer_units, units)
        packet = np.where(asks, asking, sending)
        self.packet_dest = np.where(chosen, self.packet_dest, packet[0])
        self.packet_length = np.where(chosen, self.packet_length, packet[1])
        self.slot = np.where(chosen, self.slot, np.where(asks, ask, send))
        at = np.flatnonzero(self.chosen & ~chosen)
        self.header, self.known = self.header.copy(), self.known.copy()
        self.header[at], self.known[at] = self.lookup(
            at // self.classes, np.where(answers, peer, packet[0])[at]
        )
        self._settle()

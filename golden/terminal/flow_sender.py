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
from fingerpost.golden.terminal.windows import Windows

__all__ = ["Answers", "FlowSender", "Lookup"]

Lookup = Callable[[IntArray, IntArray], tuple[IntArray, BoolArray]]
"""The headers from some nodes to others; whether there is a terminal of that number."""

Answers = tuple[BoolArray, IntArray, IntArray, IntArray]
"""Of each terminal: there is an answer, to which peer, it is a grant, of which slot."""


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
        self, terminals: int, flow: FlowControl, *, credits: int, layout: FlowLayout, lookup: Lookup
    ) -> None:
        self.flow, self.layout, self.lookup = flow, layout, lookup
        self.every = np.arange(terminals)
        self.store, self.windows = PacketStore(terminals, flow), Windows(terminals, flow)
        self.write, self.ask, self.send = np.zeros((3, terminals), np.int64)
        self.has_room, self.void = np.zeros((2, terminals, SLOTS), np.bool_)
        self.packets = np.zeros((terminals, SLOTS, 2), np.int64)  # destination, length
        none = np.zeros(terminals, np.bool_)
        self.chosen, self.answers, self.asks, self.sends, self.known, self.full = (none,) * 6
        self.answer_peer, self.answer_grant, self.answer_slot = np.zeros((3, terminals), np.int64)
        self.packet_dest, self.packet_length, self.header = np.zeros((3, terminals), np.int64)
        self.remaining = np.zeros(terminals, np.int64)
        self.credits = np.full(terminals, credits)
        self.refused = np.zeros(terminals, np.int64)
        self.expired = np.zeros(terminals, np.int64)
        self._settle()

    def _settle(self) -> None:
        """Follow what is sent from the registers."""
        slot = self.send % SLOTS
        credit = self.credits > 0
        free = credit & (self.remaining == 0)
        self.eager = self.packet_length <= self.flow.eager
        behind = self.ask != self.send
        is_void = self.void[self.every, slot]
        asks, sends = self.chosen & self.asks, self.chosen & self.sends
        opened = asks & self.known & self.windows.open
        self.answered = self.chosen & self.answers & free
        self.rejected = asks & ~self.known
        self.requested = opened & ~self.eager & free
        self.passed = opened & self.eager & behind
        direct = opened & self.eager & ~behind & free
        self.discards = sends & is_void & (self.remaining == 0)
        self.starts = direct | (sends & ~is_void & free)
        self.body = credit & (self.remaining != 0)
        self.issue = self.requested | self.passed | direct
        self.alone = self.answered | self.requested

    @property
    def ready(self) -> BoolArray:
        """Return tready."""
        enable = (self.write - self.send != SLOTS) & self.windows.cleared
        return self.store.ready(enable)

    def flits(self, place: IntArray) -> Flits:
        """Return what is sent in this cycle, from the `place` of each terminal."""
        beat, body = self.store.beat(), self.layout.body
        tail = self.body & (self.remaining == 1)
        mark = {"last_byte": beat.last_byte} if "last_byte" in body else {}
        data = body.join(error=beat.error.astype(np.int64), data=beat.data, **mark)
        kind = np.where(self.requested, REQUEST, np.where(self.eager, EAGER, DATA))
        answer = np.where(self.answer_grant > 0, GRANT, ACK)
        head = self.layout.head.join(
            header=self.header,
            source=self.every,
            kind=np.where(self.answers, answer, kind),
            slot=np.where(self.answers, self.answer_slot, self.ask % SLOTS),
            length=np.where(self.answers, 0, self.packet_length),
        )
        heads = self.alone | self.starts
        at = np.flatnonzero(heads | self.body)
        tag = np.where(self.alone, -1, beat.tag)
        data = np.where(self.body, data, head)
        tail |= self.alone
        return Flits(place[at], np.zeros_like(at), heads[at], tail[at], data[at], tag[at])

    def step(
        self,
        taken: BoolArray,
        beats: Beats,
        dest: IntArray,
        credit: IntArray,
        answer: Answers,
        acked: tuple[IntArray, IntArray],
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
        acked, granted : pairs of arrays
            Terminals at which an acknowledge arrives, and its peer; a grant, and its slot.
        """
        every = self.every
        # What is chosen, by the registers of now.
        ask_slot, send_slot = self.ask % SLOTS, self.send % SLOTS
        asking, sending = self.packets[every, ask_slot].T, self.packets[every, send_slot].T
        can_send = (self.send != self.ask) & self.has_room[every, send_slot]
        valid, peer, grant, number = answer
        answers = valid
        asks = ~answers & (self.ask != self.write) & ~(self.full & can_send)
        sends = ~answers & ~asks & can_send
        read = np.where(self.chosen, self.packet_dest, asking[0])
        chooses = ~self.chosen & (answers | asks | sends)
        done = self.answered | self.issue | self.rejected | self.starts | self.discards
        waits = self.chosen & self.asks & ~self.windows.open

        # Slots.
        self.has_room[granted] = True
        at = np.flatnonzero(self.issue | self.rejected)
        self.has_room[at, ask_slot[at]] = (self.passed | self.rejected)[at]
        self.void[at, ask_slot[at]] = self.rejected[at]
        is_full = self.known & ~self.windows.open
        chosen = self.chosen
        self.full = np.where(chosen & self.asks, is_full, self.full & ~(chosen & self.sends))
        self.ask = self.ask + (self.issue | self.rejected)
        self.send = self.send + (self.starts | self.discards)
        discard = np.where(self.discards, self.packet_length, 0)
        self.remaining = np.where(self.starts, self.packet_length, self.remaining - self.body)
        self.credits = self.credits + credit - (self.alone | self.starts | self.body)
        self.windows.step(read, self.issue, *acked)
        self.store.step(taken, beats, dest, self.body, discard)
        complete = np.flatnonzero(self.store.complete)
        self.packets[complete, self.write[complete] % SLOTS, 0] = self.store.dest[complete]
        self.packets[complete, self.write[complete] % SLOTS, 1] = self.store.length[complete]
        self.write = self.write + self.store.complete
        self.refused = np.minimum(self.refused + (self.rejected | self.store.dropped), REFUSED.most)

        # The choice.
        at = np.flatnonzero(chooses)
        self.chosen = chooses | (chosen & ~done & ~waits)
        self.answers = np.where(chosen, self.answers, answers)
        self.asks = np.where(chosen, self.asks, asks)
        self.sends = np.where(chosen, self.sends, sends)
        self.answer_peer[at], self.answer_grant[at] = peer[at], grant[at]
        self.answer_slot[at] = number[at]
        self.packet_dest = np.where(chosen, self.packet_dest, np.where(asks, asking[0], sending[0]))
        self.packet_length = np.where(
            chosen, self.packet_length, np.where(asks, asking[1], sending[1])
        )
        towards = np.where(answers, peer, np.where(asks, asking[0], sending[0]))
        header, known = self.lookup(at, towards[at])
        self.header = self.header.copy()
        self.known = self.known.copy()
        self.header[at], self.known[at] = header, known
        self._settle()

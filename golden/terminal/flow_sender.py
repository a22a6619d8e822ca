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

Lookup = Callable[[IntArray, IntArray], tuple[IntArray, BoolArray]]
"""The headers from some nodes to others; whether there is a terminal of that number."""

Answers = tuple[BoolArray, IntArray, IntArray, IntArray, IntArray, IntArray]
"""Of each terminal: there is an answer, to which peer, it is a grant, its slot, its units, the
sequence number of the first beat that is granted."""


class FlowSender:
    """Stores packets, and sends each when its destination has room for it.

    See hdl's FlowSender for the rules.

    Attributes
    ----------
    chosen : (terminals,) array of bool
        Something is chosen; if not, the oldest answer is taken in this cycle.
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
        self.write, self.ask = np.zeros((2, terminals), np.int64)  # modulo 2 SLOTS
        self.used, self.requests = np.zeros((2, terminals, SLOTS), np.bool_)
        self.packets = np.zeros((terminals, SLOTS, 2), np.int64)  # destination, length
        self.first_ready, self.readies = np.zeros((2, terminals), np.int64)
        self.ready_slots, self.ready_sequences = np.zeros((2, terminals, SLOTS), np.int64)
        none = np.zeros(terminals, np.bool_)
        self.chosen, self.asks, self.waited, self.busy, self.in_body = (none,) * 5
        self.peer, self.kind, self.slot, self.length, self.sequence = np.zeros(
            (5, terminals), np.int64
        )
        self.header, self.known = np.zeros(terminals, np.int64), none
        self.sent_header, self.sent_kind, self.sent_slot, self.sent_length = np.zeros(
            (4, terminals), np.int64
        )
        self.index, self.sent_sequence = np.zeros((2, terminals), np.int64)
        self.credits = np.full(terminals, credits)
        self.refused = np.zeros(terminals, np.int64)
        self.expired = np.zeros(terminals, np.int64)
        self._settle()

    def _settle(self) -> None:
        """Follow what is sent, and taken, from the registers."""
        self.sent = self.busy & self.ports.granted((self.credits > 0) & self.busy)
        at_end = self.index == self.sent_length
        self.last = np.where(self.in_body, at_end, self.sent_kind <= REQUEST)
        reads = self.busy & ~self.in_body & ~self.last & self.layout.single
        self.sent &= ~reads
        self.moves = self.sent | reads
        self.ends = self.sent & self.last

    @property
    def ready(self) -> BoolArray:
        """Return tready."""
        enable = ~self.used[self.every, self.write % SLOTS] & self.windows.cleared
        return self.store.dropping | enable

    @property
    def empty(self) -> bool:
        """Return whether no packet is stored, complete or not, and no answer."""
        busy = self.chosen | self.busy
        return not (self.used.any() or self.store.filled.any() or busy.any())

    def flits(self, places: IntArray) -> Flits:
        """Return what is sent in this cycle, from the place of each terminal."""
        index = (self.index - 1) % self.flow.packet_limit  # the beat behind the head is at 1
        beat, layout = self.store.beat(self.sent_slot, index), self.layout
        mark = {"last_byte": beat.last_byte} if "last_byte" in layout.body else {}
        data = layout.body.join(error=beat.error.astype(np.int64), data=beat.data, **mark)
        common = {"source": self.every // self.classes, "kind": self.sent_kind}
        if not layout.single:
            common["header"] = self.sent_header
        else:
            common["last"] = self.last.astype(np.int64)
        sequence = {"sequence": self.sent_sequence} if layout.sequence else {}
        head = layout.head.join(**common, **sequence, slot=self.sent_slot, length=self.sent_length)
        if layout.single:
            place = (self.sent_sequence + index) % (1 << layout.sequence)
            low = layout.mark.join(**common, sequence=place)
            data = data << layout.mark.width | low
        at = np.flatnonzero(self.sent)
        tag = np.where(self.in_body, beat.tag, -1)
        data = np.where(self.in_body, data, head)
        heads, tails = ~self.in_body | layout.single, self.last | layout.single
        if layout.single:
            data = data << layout.header | self.sent_header
        return Flits(places[at], at % self.classes, heads[at], tails[at], data[at], tag[at])

    def step(
        self,
        taken: BoolArray,
        beats: Beats,
        dest_in: IntArray,
        credit: IntArray,
        answer: Answers,
        acked: tuple[IntArray, ...],
        granted: tuple[IntArray, ...],
    ) -> None:
        """Go through a clock edge.

        Parameters
        ----------
        taken : array
            tvalid and tready.
        beats : Beats
        dest_in : array
            tdest.
        credit : array
            1 where a credit comes back.
        answer : Answers
            The oldest answers of the receivers.
        acked, granted : tuples of arrays
            Terminals at which an acknowledge arrives, its peer and units; a grant, its slot, and
            the sequence number of its first beat.
        """
        flow, every = self.flow, self.every
        # What is chosen, by the registers of now.
        any_ready, chosen = self.readies > 0, self.chosen
        has_answer, answer_peer, is_grant, answer_slot, answer_units, answer_base = answer
        asks = ~has_answer & (self.ask != self.write) & ~self.waited
        sends = ~has_answer & ~asks & any_ready
        slot = np.where(asks, self.ask % SLOTS, self.ready_slots[every, self.first_ready])
        sequence = self.ready_sequences[every, self.first_ready]
        dest, length = self.packets[every, slot].T
        kind = np.where(length <= flow.eager, EAGER, np.where(asks, REQUEST, DATA))

        # What is decided.
        loads, answers, eager = ~self.busy | self.ends, self.kind <= GRANT, self.kind == EAGER
        same = self.packets[:, :, 0] == self.peer[:, None]
        follows = eager & (self.requests & same).any(axis=1) & flow.ordered
        units, is_granted = np.where(eager, self.length, 1), np.zeros_like(chosen)
        is_granted[granted[0]] = True
        asking, queues = chosen & self.asks & self.known, eager & any_ready
        may_issue = asking & ~follows & np.where(queues, ~is_granted, loads)
        issues = may_issue & self.windows.fits
        goes = (chosen & ~self.asks & loads) | (issues & ~queues)
        leaves = goes & ~self.asks & ~answers
        passed = issues & queues
        rejected = chosen & self.asks & ~self.known & ~self.ends
        waits = asking & (follows | ~self.windows.fits)
        pushed = np.flatnonzero(passed), self.slot[passed], self.windows.sequence[passed]
        for at, number, first in (pushed, granted):
            row = (self.first_ready + self.readies)[at] % SLOTS
            self.ready_slots[at, row], self.ready_sequences[at, row] = number, first
            self.readies[at] += 1
        self.readies -= leaves
        self.first_ready = (self.first_ready + leaves) % SLOTS
        self.ask = (self.ask + (issues | rejected)) % (2 * SLOTS)
        at = np.flatnonzero(goes & ~answers)
        self.requests[at, self.slot[at]] = self.kind[at] == REQUEST
        issued = self.windows.sequence
        self.windows.step(~chosen, dest, np.where(issues, units, 0), acked)

        # Slots.
        for freed, number in ((rejected, self.slot), (self.ends & self.in_body, self.sent_slot)):
            self.used[freed, number[freed]] = False
        write = self.write % SLOTS
        self.store.step(taken, beats, dest_in, write)
        complete = np.flatnonzero(self.store.complete)
        written = write[complete]
        self.packets[complete, written, 0] = self.store.dest[complete]
        self.packets[complete, written, 1] = self.store.length[complete]
        self.used[complete, written] = True
        self.write = (self.write + self.store.complete) % (2 * SLOTS)

        # What is sent.
        self.credits = self.credits + credit - self.sent
        self.ports.step(self.sent)
        self.busy = goes | (self.busy & ~self.ends)
        self.in_body = np.where(self.moves, ~self.last, self.in_body)
        self.index = np.where(goes, 0, self.index + self.moves)
        self.sent_sequence = np.where(
            goes, np.where(self.asks, issued, self.sequence), self.sent_sequence
        )
        self.sent_header = np.where(goes, self.header, self.sent_header)
        self.sent_kind = np.where(goes, self.kind, self.sent_kind)
        self.sent_slot = np.where(goes, self.slot, self.sent_slot)
        self.sent_length = np.where(goes, self.length, self.sent_length)
        dropped = rejected | self.store.dropped
        self.refused = np.minimum(self.refused + dropped, REFUSED.most)

        # The choice.
        done = goes | passed | rejected | waits
        self.waited = waits
        self.chosen = np.where(chosen, ~done, has_answer | asks | sends)
        self.asks = np.where(chosen, self.asks, asks)
        self.peer = np.where(chosen, self.peer, np.where(has_answer, answer_peer, dest))
        self.kind = np.where(
            chosen, self.kind, np.where(has_answer, np.where(is_grant > 0, GRANT, ACK), kind)
        )
        self.slot = np.where(chosen, self.slot, np.where(has_answer, answer_slot, slot))
        self.length = np.where(chosen, self.length, np.where(has_answer, answer_units, length))
        self.sequence = np.where(chosen, self.sequence, np.where(has_answer, answer_base, sequence))
        at = np.flatnonzero(self.chosen & ~chosen)
        self.header, self.known = self.header.copy(), self.known.copy()
        self.header[at], self.known[at] = self.lookup(at // self.classes, self.peer[at])
        self._settle()

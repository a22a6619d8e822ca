"""Beats put in order at every terminal at once; the twin of hdl's Reassembly."""

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.terminal.flow_layout import FlowControl
from fingerpost.golden.terminal.queues import BlockQueues, Queues

IDLE, SHOW, CHECK = range(3)

WORD, LAST, REQUEST, NEXT_ROUND, TAG = range(5)
"""Columns of a place."""


class Reassembly:
    """Keeps each beat in the place of its sequence number, and shows packets in order by source.

    See hdl's Reassembly for the rules. A stream is a source, or `peers`: what was granted.

    Attributes
    ----------
    requests : BlockQueues
        Requests whose turn it is, without those granted: peer, slot, length, sequence number of
        what follows.
    """

    def __init__(self, terminals: int, flow: FlowControl) -> None:
        self.flow, self.every = flow, np.arange(terminals)
        self.places = np.zeros((terminals, flow.places, 5), np.int64)
        self.heads = np.zeros((terminals, flow.peers + 1), np.int64)
        self.ready = BlockQueues(terminals, depth=flow.peers + 1, columns=2)
        self.requests = BlockQueues(terminals, depth=flow.peers, columns=4)
        self.granted = Queues(terminals, depth=flow.grants, columns=2)
        self.base = np.zeros(terminals, np.int64)  # sequence number of what is granted next
        self.state, self.stream, self.sequence = np.zeros((3, terminals), np.int64)
        self.row = np.zeros((terminals, 5), np.int64)
        self.fresh = np.zeros(terminals, np.bool_)
        self.late: tuple[IntArray, ...] = (np.empty(0, np.int64),) * 3
        self.stored = np.zeros(terminals, np.int64)

    @property
    def level(self) -> IntArray:
        """Return the beats and requests that are stored."""
        return self.stored + self.requests.level

    @property
    def rests(self) -> BoolArray:
        """Return whether no packet is shown, or will be next."""
        rests: BoolArray = (self.state == IDLE) & ~self.ready.valid
        return rests

    @property
    def present(self) -> BoolArray:
        """Return whether the place that was read has what it is to have."""
        rows = np.where(self.stream == self.flow.peers, self.flow.space, self.flow.rows)
        present: BoolArray = self.fresh & ((self.sequence & rows > 0) != self.row[:, NEXT_ROUND])
        return present

    @property
    def valid(self) -> BoolArray:
        """Return whether there is a beat."""
        valid: BoolArray = (self.state == SHOW) & self.present & (self.row[:, REQUEST] == 0)
        return valid

    @property
    def front(self) -> tuple[IntArray, ...]:
        """Return the beat: word, last, from a window, source, tag."""
        eager = self.stream != self.flow.peers
        source = np.where(eager, self.stream, self.granted.front[0])
        return (
            self.row[:, WORD], self.row[:, LAST], eager.astype(np.int64), source, self.row[:, TAG]
        )  # fmt: skip

    def place(self, stream: IntArray, sequence: IntArray) -> IntArray:
        """Return the places of sequence numbers."""
        flow = self.flow
        window = stream * flow.rows + sequence % flow.rows
        granted = flow.granted_place + sequence % flow.space
        return np.where(stream == flow.peers, granted, window)

    def step(
        self,
        taken: BoolArray,
        grants: BoolArray,
        at: IntArray,
        stream: IntArray,
        sequence: IntArray,
        word: IntArray,
        last: IntArray,
        request: IntArray,
        tag: IntArray,
    ) -> None:
        """Go through a clock edge.

        Parameters
        ----------
        taken, grants : (terminals,) arrays
            Whether the beat at the front is handed over; the oldest request is granted.
        at : array
            Terminals at which a beat or a request arrives, with its columns.
        """
        flow, every = self.flow, self.every
        space = flow.peers
        state, present = self.state, self.present
        last_taken = taken & (self.row[:, LAST] > 0)
        parks = (state == SHOW) & present & (self.row[:, REQUEST] > 0)
        late, late_stream, late_sequence = self.late
        pushed = np.zeros_like(taken)
        pushed[late] = True
        checks = state == CHECK
        held = checks & present & pushed
        resolved = checks & ~held
        then = resolved & (self.stream == space)  # the source of what was granted is next
        starts = self.ready.valid & ((state == IDLE) | parks | (resolved & ~then))

        # What is read next.
        after = (self.sequence + 1) % (1 << flow.sequence)
        after = np.where(self.stream == space, after % (2 * flow.space), after % (2 * flow.rows))
        next_stream, next_sequence = self.ready.front
        next_stream = np.where(starts, next_stream, self.stream)
        next_sequence = np.where(starts, next_sequence, np.where(taken, after, self.sequence))
        next_stream = np.where(then, self.granted.front[0], next_stream)
        next_sequence = np.where(then, self.granted.front[1], next_sequence)
        reads = starts | taken | then | ((state == SHOW) & ~present)
        place = self.place(next_stream, next_sequence)

        # Streams: where they are, and which come next.
        ends = last_taken | then
        self.heads[every[ends], next_stream[ends]] = next_sequence[ends]
        entering = np.flatnonzero(checks & present & ~held)
        self.ready.step(
            starts,
            np.append(late, entering),
            np.append(late_stream, self.stream[entering]),
            np.append(late_sequence, self.sequence[entering]),
        )
        comes = self.heads[at, stream] == sequence
        self.late = at[comes], stream[comes], sequence[comes]

        # Requests.
        peer, _, length, follows = self.requests.front
        slot_and_length = self.row[:, WORD]
        parked = np.flatnonzero(parks)
        self.requests.step(
            grants,
            parked,
            self.stream[parked],
            slot_and_length[parked] >> REQUEST_LENGTH,
            slot_and_length[parked] & ((1 << REQUEST_LENGTH) - 1),
            after[parked],
        )
        self.granted.step(then, np.flatnonzero(grants), peer[grants], follows[grants])
        self.base = (self.base + np.where(grants, length, 0)) % (2 * flow.space)

        # Places.
        self.row = np.where(reads[:, None], self.places[every, place], self.row)
        into = self.place(stream, sequence)
        self.fresh = np.where(reads, True, self.fresh)
        self.fresh[at] &= ~(reads[at] & (place[at] == into))
        rows = np.where(stream == space, flow.space, flow.rows)
        next_round = (sequence & rows == 0).astype(np.int64)
        self.places[at, into] = np.stack([word, last, request, next_round, tag], axis=1)
        self.stored = self.stored - taken - parks
        self.stored[at] += 1

        self.stream, self.sequence = next_stream, next_sequence
        self.state = np.where(
            ends | held, CHECK, np.where(starts | (state == SHOW) & ~parks, SHOW, IDLE)
        )


REQUEST_LENGTH = 16
"""Bits of the length below the slot in the word of a request."""

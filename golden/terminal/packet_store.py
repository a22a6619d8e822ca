"""Store-and-forward at every terminal at once; the twin of hdl's PacketStore."""

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.terminal.axi_sender import Beats
from fingerpost.golden.terminal.flow_layout import FlowControl

__all__ = ["PacketStore"]


class PacketStore:
    """Keeps the beats of packets in a ring; tells when a packet is complete.

    A packet of more than `packet_limit` beats is dropped whole.

    Attributes
    ----------
    complete, dropped : (terminals,) arrays of bool
        In the last `step`: the last beat of a packet was taken; a packet turned out to be too long.
    dest, length : (terminals,)
        The packet that was completed.
    dropped_tag : (terminals,)
        The packet that was dropped.
    """

    def __init__(self, terminals: int, flow: FlowControl) -> None:
        self.flow = flow
        self.every = np.arange(terminals)
        self.rows = np.zeros((terminals, flow.store, 4), np.int64)  # data, last_byte, error, tag
        self.write_ptr, self.read_ptr, self.filled, self.dest = np.zeros((4, terminals), np.int64)
        self.room = np.full(terminals, flow.store)
        self.dropping = np.zeros(terminals, np.bool_)

    def ready(self, enable: BoolArray) -> BoolArray:
        """Return tready."""
        ready: BoolArray = (
            self.dropping | (self.filled == self.flow.packet_limit) | (enable & (self.room != 0))
        )
        return ready

    def beat(self) -> Beats:
        """Return the oldest beats."""
        data, last_byte, error, tag = self.rows[self.every, self.read_ptr].T
        return Beats(data, error > 0, last_byte, error > 0, tag)

    def step(
        self, taken: BoolArray, beats: Beats, dest: IntArray, pop: BoolArray, discard: IntArray
    ) -> None:
        """Go through a clock edge, with the beats that are taken.

        Parameters
        ----------
        taken : array
            tvalid and tready.
        beats : Beats
        dest : array
            tdest.
        pop, discard : arrays
            Whether the oldest beat is sent; how many of the oldest are discarded.
        """
        limit, store = self.flow.packet_limit, self.flow.store
        take = taken & ~self.dropping
        too_long = self.filled == limit
        self.dropped = take & too_long
        write = take & ~too_long
        self.complete = write & beats.last
        self.dest = np.where(take & (self.filled == 0), dest, self.dest)
        self.length = self.filled + 1
        self.dropped_tag = beats.tag
        at = np.flatnonzero(write)
        row = (beats.data, beats.last_byte * beats.last, beats.error & beats.last, beats.tag)
        self.rows[at, self.write_ptr[at]] = np.stack([column[at] for column in row], axis=1)
        self.write_ptr = (self.write_ptr + write - limit * self.dropped) % store
        self.read_ptr = (self.read_ptr + pop + discard) % store
        self.room += pop + discard - write + limit * self.dropped
        self.filled = np.where(self.complete | self.dropped, 0, self.filled + write)
        dropping = (self.dropping | self.dropped) & ~beats.last
        self.dropping = np.where(taken, dropping, self.dropping)

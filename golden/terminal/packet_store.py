"""Store-and-forward at every terminal at once; the twin of hdl's PacketStore."""

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.terminal.axi_sender import Beats
from fingerpost.golden.terminal.flow_layout import SLOTS, FlowControl


class PacketStore:
    """Keeps packets in slots and reports complete ones.

    A packet of more than `packet_limit` beats is dropped whole.

    Attributes
    ----------
    complete, dropped : (terminals,) arrays of bool
        In the last `step`: the last beat of a packet was taken; a packet turned out to be too long.
    dest, length : (terminals,)
        The packet that was completed.
    """

    def __init__(self, terminals: int, flow: FlowControl) -> None:
        self.flow = flow
        self.every = np.arange(terminals)
        # data, last_byte, error, tag
        self.rows = np.zeros((terminals, SLOTS, flow.packet_limit, 4), np.int64)
        self.filled, self.dest = np.zeros((2, terminals), np.int64)
        self.dropping = np.zeros(terminals, np.bool_)

    def beat(self, slot: IntArray, index: IntArray) -> Beats:
        """Return a beat of each."""
        data, last_byte, error, tag = self.rows[self.every, slot, index].T
        return Beats(data, error > 0, last_byte, error > 0, tag)

    def step(self, taken: BoolArray, beats: Beats, dest: IntArray, slot: IntArray) -> None:
        """Go through a clock edge, with the beats that are taken.

        Parameters
        ----------
        taken : array
            tvalid and tready.
        beats : Beats
        dest : array
            tdest.
        slot : array
            Slot into which they are written.
        """
        take = taken & ~self.dropping
        too_long = self.filled == self.flow.packet_limit
        self.dropped = take & too_long
        write = take & ~too_long
        self.complete = write & beats.last
        self.dest = np.where(take & (self.filled == 0), dest, self.dest)
        self.length = self.filled + 1
        at = np.flatnonzero(write)
        row = (beats.data, beats.last_byte * beats.last, beats.error & beats.last, beats.tag)
        self.rows[at, slot[at], self.filled[at]] = np.stack([c[at] for c in row], axis=1)
        self.filled = np.where(self.complete | self.dropped, 0, self.filled + write)
        dropping = (self.dropping | self.dropped) & ~beats.last
        self.dropping = np.where(taken, dropping, self.dropping)

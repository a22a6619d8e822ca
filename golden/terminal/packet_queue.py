"""Packets that wait until they are complete, at every terminal; twin of hdl's PacketQueue."""

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.terminal.axi_sender import Beats


class PacketQueue:
    """Keeps packets in order, and offers those that are complete.

    A packet of more than `depth` beats is dropped whole.

    Parameters
    ----------
    terminals : int
    depth : int
        Beats, a power of two.

    Attributes
    ----------
    valid : array of bool
        tvalid of what leaves.
    used : array
        Rows in use.
    dropped : array of bool
        A packet turned out to be too long in the last `step`.
    """

    def __init__(self, terminals: int, *, depth: int) -> None:
        self.depth, self.every = depth, np.arange(terminals)
        # data, last, last_byte, error, tag, and what else is kept
        self.rows = np.zeros((terminals, depth, 7), np.int64)
        self.read_ptr, self.write_ptr, self.used, self.filled, self.packets = np.zeros(
            (5, terminals), np.int64
        )
        self.valid, self.dropping, self.dropped = np.zeros((3, terminals), np.bool_)

    @property
    def ready(self) -> BoolArray:
        """Return tready of what enters."""
        ready: BoolArray = (self.used < self.depth) | self.dropping | (self.filled == self.depth)
        return ready

    @property
    def front(self) -> tuple[Beats, IntArray, IntArray]:
        """Return the beats that are offered, with the two numbers that came with them."""
        data, last, last_byte, error, tag, first, second = self.rows[self.every, self.read_ptr].T
        return Beats(data, last > 0, last_byte, error > 0, tag), first, second

    def step(
        self, taken: BoolArray, beats: Beats, first: IntArray, second: IntArray, leaves: BoolArray
    ) -> None:
        """Go through a clock edge.

        Parameters
        ----------
        taken : array
            tvalid and tready of what enters.
        beats : Beats
        first, second : arrays
            Two numbers that are kept with each beat.
        leaves : array
            `valid` and tready of what leaves.
        """
        take = taken & ~self.dropping
        self.dropped = take & (self.filled == self.depth)
        write = take & ~self.dropped
        completes = write & beats.last
        front_last = self.rows[self.every, self.read_ptr, 1] > 0
        more = np.where(leaves, ~front_last | (self.packets > 1), self.packets > 0)
        at = np.flatnonzero(write)
        columns = (*beats[:4], beats.tag, first, second)
        self.rows[at, self.write_ptr[at]] = np.stack([c[at] for c in columns], axis=1)
        self.write_ptr = (self.write_ptr + write) % self.depth
        self.used = np.where(self.dropped, 0, self.used + write - leaves)
        self.filled = np.where(completes | self.dropped, 0, self.filled + write)
        self.packets = self.packets + completes - (leaves & front_last)
        self.read_ptr = (self.read_ptr + leaves) % self.depth
        dropping = (self.dropping | self.dropped) & ~beats.last
        self.dropping = np.where(taken, dropping, self.dropping)
        self.valid = more

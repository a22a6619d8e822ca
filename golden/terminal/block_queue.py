"""Queues with block RAM, one at every terminal; the twin of fingerpost.hdl.lib.block_queue."""

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray

__all__ = ["BlockQueues"]


class BlockQueues:
    """Queues of rows of numbers. A row is at the front two cycles after it came, at the earliest.

    Parameters
    ----------
    terminals, depth : int
        Rows that fit into each; the sender keeps to them.
    columns : int
        Numbers in a row.

    Attributes
    ----------
    valid : (terminals,) array of bool
        Whether there is a front.
    level : (terminals,)
        Rows, with the front.
    """

    def __init__(self, terminals: int, *, depth: int, columns: int) -> None:
        self.depth = depth
        self.rows = np.zeros((terminals, depth, columns), np.int64)
        self.read = np.zeros(terminals, np.int64)
        self.level = np.zeros(terminals, np.int64)
        self.valid = np.zeros(terminals, np.bool_)
        self.every = np.arange(terminals)

    @property
    def front(self) -> IntArray:
        """Return the fronts, by column: (columns, terminals). Without a front it means nothing."""
        rows: IntArray = self.rows[self.every, self.read].T
        return rows

    def step(self, pop: BoolArray, at: IntArray, *columns: IntArray) -> None:
        """Go through a clock edge: take fronts away, and write rows at the terminals `at`.

        Raises
        ------
        OverflowError
            If there is no room.
        """
        waiting = self.level > self.valid
        self.read = np.where(pop, (self.read + 1) % self.depth, self.read)
        self.level = self.level - pop
        self.valid = waiting | (self.valid & ~pop)
        if len(at):
            if (self.level[at] >= self.depth).any():
                raise OverflowError("A queue of a terminal is full")
            self.rows[at, (self.read + self.level)[at] % self.depth] = np.stack(columns, axis=1)
            self.level[at] += 1

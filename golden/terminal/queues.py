"""Queues, one at every terminal: in LUT-RAM, and in block RAM as hdl's BlockQueue."""

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray


class Queues:
    """Queues of rows of numbers. A row in an empty one is at the front in the next cycle.

    Parameters
    ----------
    terminals, depth : int
        Rows that fit into each; the sender keeps to them.
    columns : int
        Numbers in a row.

    Attributes
    ----------
    level : (terminals,) array
        Rows, with the front.
    """

    def __init__(self, terminals: int, *, depth: int, columns: int) -> None:
        self.depth = depth
        self.rows = np.zeros((terminals, depth, columns), np.int64)
        self.read = np.zeros(terminals, np.int64)
        self.level = np.zeros(terminals, np.int64)
        self.every = np.arange(terminals)

    @property
    def valid(self) -> BoolArray:
        """Return whether there is a front."""
        return self.level > 0

    @property
    def front(self) -> IntArray:
        """Return the fronts, by column: (columns, terminals). Without a front it means nothing."""
        return self.rows[self.every, self.read].T

    def step(self, pop: BoolArray, at: IntArray, *columns: IntArray) -> None:
        """Go through a clock edge: take fronts away, and write rows at the terminals `at`.

        Raises
        ------
        OverflowError
            If there is no room.
        """
        self.read = np.where(pop, (self.read + 1) % self.depth, self.read)
        self.level = self.level - pop
        if len(at):
            if (self.level[at] >= self.depth).any():
                raise OverflowError("A queue of a terminal is full")
            self.rows[at, (self.read + self.level)[at] % self.depth] = np.stack(columns, axis=1)
            self.level[at] += 1


class BlockQueues(Queues):
    """Queues of which all rows but the front are in block RAM, with the delays of that.

    Attributes
    ----------
    fetched : (terminals,) array of bool
        Whether a row that was read is next to become the front.
    """

    def __init__(self, terminals: int, *, depth: int, columns: int) -> None:
        super().__init__(terminals, depth=depth, columns=columns)
        self.front_valid, self.fetched = np.zeros((2, terminals), np.bool_)

    @property
    def valid(self) -> BoolArray:
        return self.front_valid

    def step(self, pop: BoolArray, at: IntArray, *columns: IntArray) -> None:
        waiting = self.level > self.front_valid.astype(np.int64) + self.fetched
        load = pop | ~self.front_valid
        direct = np.zeros_like(load)
        direct[at] = (load & ~self.fetched & ~waiting)[at]
        self.front_valid = np.where(load, self.fetched | direct, True)
        self.fetched = np.where(load | ~self.fetched, waiting, True)
        super().step(pop, at, *columns)

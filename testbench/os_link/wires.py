"""Wires that delay, by more and by less, and one kind of edges by more than the other."""

import numpy as np

from fingerpost.golden.arrays import BoolArray

__all__ = ["Wires"]

DRIFT, DEPTH = 100, 8
"""Clocks in which a delay grows or shrinks by one, and the delays that there are."""

STRETCH = 400
"""Clocks for which rising edges come later than falling ones, or earlier, or neither."""


class Wires:
    """Some wires, clock by clock: as between ports whose clocks are not quite the same.

    Parameters
    ----------
    count : int
    rng : Generator
    """

    def __init__(self, count: int, rng: np.random.Generator) -> None:
        self.count, self.rng = count, rng
        self.past = np.zeros((DEPTH + 1, count), np.bool_)
        self.delay = rng.integers(DEPTH, size=count)
        self.drift = rng.integers(-1, 2, size=count)
        self.uneven = np.zeros(count, np.int64)

    def step(self, wire: BoolArray) -> BoolArray:
        """Return what comes out when this goes in."""
        rng = self.rng
        self.past = np.roll(self.past, 1, axis=0)
        self.past[0] = wire
        moves = rng.random(self.count) < 1 / DRIFT
        self.drift[self.delay == 0] = 1
        self.drift[self.delay == DEPTH - 1] = -1
        self.delay = self.delay + np.where(moves, self.drift, 0)
        other = rng.random(self.count) < 1 / STRETCH
        self.uneven = np.where(other, rng.integers(-1, 2, size=self.count), self.uneven)
        every = np.arange(self.count)
        now, before = self.past[self.delay, every], self.past[self.delay + 1, every]
        found: BoolArray = np.where(
            self.uneven > 0, now & before, np.where(self.uneven < 0, now | before, now)
        )
        return found

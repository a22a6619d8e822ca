"""Numbers of pairs of integers, in the order in which they are first asked for."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.jit.bits import INDEX
from fingerpost.golden.jit.compile import called

FEWEST = 1 << 10
"""Slots of the smallest hash table, a power of two."""

LOW, HIGH = 0x1E3779B97F4A7C15, 0x42B2AE3D27D4EB4F
"""Odd numbers that spread neighbouring pairs over the upper bits of a product."""

MOST = (1 << 63) - 1
"""The largest number of 64 bits: a product has no bits beyond."""


class Numbers:
    """A hash table of pairs with open addressing, at most half full; in plain Python if asked."""

    def __init__(self, *, plain: bool = False) -> None:
        self.known, self._plain = 0, plain
        self._slots: NDArray[np.int32] = np.full(FEWEST, -1, np.int32)
        self._pairs: IntArray = np.empty((2, FEWEST // 2), np.int64)

    @property
    def pairs(self) -> IntArray:
        """Return all pairs by their numbers, (2, known)."""
        return self._pairs[:, : self.known]

    def of(self, first: IntArray, second: IntArray) -> IntArray:
        """Return the numbers of pairs. New ones get the next numbers, in their order here."""
        most = self.known + len(first)
        if 2 * most > len(self._slots):
            before = self.pairs
            self._slots = np.full(1 << (2 * most).bit_length(), -1, np.int32)
            self._pairs = np.empty((2, len(self._slots) // 2), np.int64)
            self._number(before[0], before[1], 0)
        found, self.known = self._number(first, second, self.known)
        return found

    def _number(self, first: IntArray, second: IntArray, known: int) -> tuple[IntArray, int]:
        found = np.empty(len(first), np.int64)
        table = self._slots, self._pairs
        return found, _number(first, second, *table, known, found, plain=self._plain)


@called
def _number(first: Any, second: Any, slots: Any, pairs: Any, known: int, found: Any) -> int:
    """Fill in `found`, the numbers of some pairs; return how many are known then."""
    mask = len(slots) - 1 & INDEX
    for entry in range(len(first)):
        one, two = first[entry], second[entry]
        spread = (one * LOW + two) * HIGH & MOST
        slot = (spread ^ spread >> 32) & mask
        while slots[slot] >= 0 and (pairs[0, slots[slot]] != one or pairs[1, slots[slot]] != two):
            slot = slot + 1 & mask
        if slots[slot] < 0:
            slots[slot] = known
            pairs[0, known], pairs[1, known] = one, two
            known += 1
        found[entry] = slots[slot]
    return known

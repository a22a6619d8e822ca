"""Numbers of pairs of integers, in arrays: a hash table without a compiler."""

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import IntArray

MULTIPLIERS = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
"""Odd numbers that spread neighbouring pairs over the upper bits of a product."""

Slots = NDArray[np.int32]


class Numbers:
    """A hash table of pairs with open addressing, at most half full.

    The loops of a compiled table are rounds over whole arrays: commands that only prove a network
    need no compiler, whose import takes longer than most proofs.

    Parameters
    ----------
    expected : int
        Pairs for which there is room at first.

    Attributes
    ----------
    known : int
        Pairs that have a number.
    first, second : integer arrays
        Both parts of all pairs by their numbers, with room behind them.
    """

    def __init__(self, expected: int) -> None:
        self.known = 0
        self.first: Slots = np.empty(0, np.int32)
        self.second: IntArray = np.empty(0, np.int64)
        self._resize(max(16, expected))

    def _resize(self, pairs: int) -> None:
        """Make room for so many pairs."""
        width = (2 * pairs - 1).bit_length()
        self._shift = np.uint64(64 - width)
        self._slots: Slots = np.full(1 << width, -1, np.int32)
        first, second, known = self.first, self.second, self.known
        self.first = np.empty(1 << (width - 1), np.int32)
        self.second = np.empty(1 << (width - 1), np.int64)
        self.first[:known], self.second[:known] = first[:known], second[:known]
        slot, left = self._slot(self.first[:known], self.second[:known]), np.arange(known)
        while len(left):
            empty = self._slots[slot] < 0
            self._slots[slot[empty]] = left[empty]
            placed = self._slots[slot] == left
            slot, left = (slot[~placed] + 1) & (len(self._slots) - 1), left[~placed]

    def _slot(self, first: IntArray | Slots, second: IntArray) -> IntArray:
        """Return where the search for each pair begins."""
        low, high = MULTIPLIERS
        spread = (first.astype(np.uint64) * low + second.view(np.uint64)) * high
        return (spread >> self._shift).view(np.int64)

    def of(self, first: IntArray, second: IntArray) -> IntArray:
        """Return the numbers of pairs. New ones get the next numbers.

        `first` has to be less than 2^31.
        """
        if self.known + len(first) > len(self.first):
            self._resize(2 * (self.known + len(first)))
        found = np.empty(len(first), np.int64)
        slot, left = self._slot(first, second), np.arange(len(first))
        while len(left):
            there = self._slots[slot]
            empty = np.flatnonzero(there < 0)
            if len(empty):
                # Of several pairs that ask for one empty slot the last one gets it.
                self._slots[slot[empty]] = empty
                placed = empty[self._slots[slot[empty]] == empty]
                number = np.arange(self.known, self.known + len(placed))
                self._slots[slot[placed]] = number
                self.first[number], self.second[number] = first[left[placed]], second[left[placed]]
                self.known += len(placed)
                there = self._slots[slot]
            here = self.first[there] == first[left]
            here &= self.second[there] == second[left]
            found[left[here]] = there[here]
            slot, left = (slot[~here] + 1) & (len(self._slots) - 1), left[~here]
        return found

"""P-r and modified P-r routing on KYKLOS (kyklos-1988, Section VI): the shortest paths."""

from abc import abstractmethod
from functools import cached_property

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.routing.kyklos import KyklosRouting, Words
from fingerpost.golden.topology.base import Topology

PAIRS = 1 << 22
"""Words and vectors that are looked at in one step: 32 MB an array."""


def _vectors(r: int, n: int) -> IntArray:
    """Return all vectors of r levels with a sum of at most n; shape (C(n+r, r), r)."""
    vectors = np.zeros((1, 0), np.int64)
    for _ in range(r):
        rest = n - vectors.sum(axis=1)
        vectors = np.concatenate(
            [np.insert(vectors[rest >= level], 0, level, axis=1) for level in range(n + 1)]
        )
    return vectors


class _Shortest(KyklosRouting):
    """Climb as few levels as can be, in all trees together, that change every digit of X.

    One tree climbed to its root changes all digits, so that n levels are always enough: there are
    C(n+r, r) vectors to choose from, at most C(24, 8) = 735,471 while a header has 63 bits.
    They are in the frame of the start tree: the i-th level is that of tree s + i. Where the paper
    leaves a tie, the start tree is climbed as high as can be, then the next tree, and so on.
    """

    def __init__(self, topology: Topology) -> None:
        super().__init__(topology)
        r, n = self.topology.r, self.topology.n
        vectors = _vectors(r, n)
        keys = [vectors.sum(axis=1), *self.preference(vectors).T, *-vectors.T]
        self.vectors = vectors[np.lexsort(keys[::-1])]  # lexsort takes the first key last
        # reach[t, l]: the digits that l levels of tree t change, as bits of a number.
        self.reach = np.append(
            np.zeros((r, 1), np.int64), np.bitwise_or.accumulate(1 << self.topology.z, axis=1), 1
        )

    @abstractmethod
    def preference(self, vectors: IntArray) -> IntArray:
        """Return what decides among vectors of one sum, the weightiest first; shape (..., any)."""

    def _cover(self, s: int) -> IntArray:
        """Return the digits that each vector changes from start tree s on, as bits."""
        tree = (s + np.arange(self.topology.r)) % self.topology.r
        cover: IntArray = np.bitwise_or.reduce(self.reach[tree, self.vectors], axis=1)
        return cover

    def levels(self, x: Words, s: IntArray) -> IntArray:
        """Return the best vector that covers every 1 of X."""
        r, n = self.topology.r, self.topology.n
        word = np.asarray((x << np.arange(n)).sum(axis=-1))
        s = np.broadcast_to(s, word.shape)
        levels = np.zeros((*word.shape, r), np.int64)
        for start in range(r):
            here = s == start
            words, place = np.unique(word[here], return_inverse=True)
            best = self.vectors[_first_cover(words, self._cover(start))]
            levels[here] = np.roll(best, start, axis=1)[place.ravel()]
        return levels

    @cached_property
    def table(self) -> IntArray:
        """What header generation looks up at Y_s: L and the last tree, both counted from s on.

        It is packed like the end of the header, L[s], L[s+1], ..., last. To any s it is the same:
        in tree s + i, level v changes that digit of Y_s which it changes at s = 0.
        """
        n, header = self.topology.n, self.header
        word = np.arange(1 << n)
        x: Words = (word[:, None] >> np.argsort(self.topology.z[0]) & 1).astype(bool)
        s = np.zeros_like(word)
        levels = self.levels(x, s)
        return self._pack(s, levels, self.last(x, s, levels)) >> header["L0"].offset

    def table_bits(self) -> dict[str, int]:
        """Return the bits of the ROM of levels at the terminal of a leaf."""
        return {"levels": (self.header.width - self.header["L0"].offset) << self.topology.n}


def _first_cover(words: IntArray, cover: IntArray) -> IntArray:
    """Return the first place in `cover` that has all bits of each word."""
    first = np.full(len(words), -1)
    begin = 0
    while len(left := np.flatnonzero(first < 0)):
        end = begin + max(1, PAIRS // len(left))
        covers = words[left, None] & ~cover[begin:end] == 0
        found = covers.any(axis=1)
        first[left[found]] = begin + covers[found].argmax(axis=1)
        begin = end
    return first


class P2(_Shortest):
    """Among the shortest paths take one with the fewest passes through a leaf."""

    algorithm = "p2"

    def preference(self, vectors: IntArray) -> IntArray:
        """Return the number of trees that are climbed."""
        trees: IntArray = (vectors > 0).sum(axis=1, keepdims=True)
        return trees


class ModifiedP2(_Shortest):
    """Among the shortest paths take one that stays closest to the leaves."""

    algorithm = "modified-p2"

    def preference(self, vectors: IntArray) -> IntArray:
        """Return the levels in descending order."""
        return -np.sort(-vectors, axis=1)

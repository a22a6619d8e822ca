"""Graphs of what waits for what, and whether there is a cycle in them."""

from itertools import count

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray, once


class Dependencies:
    """A directed graph: vertex `start[i]` waits for vertex `end[i]`, each pair once.

    Parameters
    ----------
    vertices : int
        They are numbered from 0.
    start, end : integer arrays
        `start` in rising order.

    Examples
    --------
    >>> Dependencies(3, np.array([0, 1]), np.array([1, 2])).ranks().tolist()
    [0, 1, 2]
    >>> Dependencies(3, np.array([0, 1, 2]), np.array([1, 2, 1])).shortest_cycle()
    [1, 2]
    """

    def __init__(self, vertices: int, start: IntArray, end: IntArray) -> None:
        self.vertices, self.start, self.end = vertices, start, end

    @property
    def edges(self) -> int:
        """Return how many pairs there are."""
        return len(self.start)

    def is_acyclic(self) -> bool:
        """Return whether no vertex waits for itself, directly or through others."""
        return not self._waiting(self.start, self.end).any()

    def ranks(self) -> IntArray:
        """Return a number for each vertex, less than those of all for which it waits.

        Raises
        ------
        ValueError
            If there is a cycle.
        """
        rounds = self._rounds(self.start, self.end)
        if (rounds < 0).any():
            raise ValueError("Ranks need dependencies without a cycle")
        return rounds

    def shortest_cycle(self) -> list[int] | None:
        """Return the vertices of a shortest cycle, None if there is no cycle."""
        loops = self.start[self.start == self.end]
        if len(loops):
            return [int(loops[0])]
        # Where cycles cannot be is left out: what nothing in one waits for, or what waits for none.
        backwards = np.argsort(self.end, kind="stable")
        inside = self._waiting(self.start, self.end)
        inside &= self._waiting(self.end[backwards], self.start[backwards])
        after: dict[int, list[int]] = {vertex: [] for vertex in np.flatnonzero(inside).tolist()}
        kept = inside[self.start] & inside[self.end]
        for start, end in zip(self.start[kept].tolist(), self.end[kept].tolist(), strict=True):
            after[start].append(end)
        best: list[int] | None = None
        for first in after:
            best = _cycle(after, first, len(best) - 1 if best else None) or best
        return best

    def _waiting(self, start: IntArray, end: IntArray) -> BoolArray:
        """Return what is left when, round by round, all to which no edge leads is taken away."""
        return self._rounds(start, end) < 0

    def _rounds(self, start: IntArray, end: IntArray) -> IntArray:
        """Return in which round each vertex is taken away as one to which no edge leads, or -1."""
        entering = np.bincount(end, minlength=self.vertices)
        first = np.searchsorted(start, np.arange(self.vertices + 1))
        rounds = np.full(self.vertices, -1)
        free = np.flatnonzero(entering == 0)
        place = np.empty(self.vertices, np.int64)
        for number in count():
            if not len(free):
                break
            rounds[free] = number
            degree = first[free + 1] - first[free]
            skipped = np.repeat(first[free] - (degree.cumsum() - degree), degree)
            after = end[skipped + np.arange(len(skipped))]
            np.subtract.at(entering, after, 1)
            free = once(after[entering[after] == 0], place)
        return rounds


def _cycle(after: dict[int, list[int]], first: int, limit: int | None) -> list[int] | None:
    """Return a shortest cycle through `first` of at most `limit` vertices, if there is one."""
    before = {first: first}
    edge = [first]
    for length in count(1):
        if not edge or (limit is not None and length > limit):
            return None
        reached = []
        for vertex in edge:
            for following in after[vertex]:
                if following == first:
                    return _path(before, first, vertex)
                if following not in before:
                    before[following] = vertex
                    reached.append(following)
        edge = reached
    return None


def _path(before: dict[int, int], first: int, last: int) -> list[int]:
    """Return the vertices from `first` to `last`."""
    path = [last]
    while path[-1] != first:
        path.append(before[path[-1]])
    return path[::-1]

"""Borel Cayley graphs, to be searched."""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from fingerpost.golden.analysis.dense import dense, element, groups, steps
from fingerpost.golden.topology.base import MAX_NODES
from fingerpost.search.space import Found, Space

WORK = 100_000_000
"""Nodes of all the graphs in a unit of work: a second at most."""


class Unit(NamedTuple):
    """Graphs first..last-1 of the group of p*k elements."""

    p: int
    k: int
    first: int
    last: int

    @property
    def nodes(self) -> int:
        """Return n = p*k."""
        return self.p * self.k

    @property
    def weight(self) -> int:
        """Return the number of graphs."""
        return self.last - self.first


def work(p: int, k: int, first: int, last: int, diameter: int) -> tuple[int, Found]:
    """Return how many graphs there are, and t1, t2 and the diameter of those that are dense."""
    return last - first, [tuple(graph) for graph in dense(p, k, first, last, diameter)]


@dataclass(frozen=True)
class BorelSpace(Space):
    """All Borel Cayley graphs of degree 4 with primes p in a range."""

    family: ClassVar[str] = "borel"
    columns: ClassVar[tuple[str, ...]] = ("p", "k", "a", "A", "B")
    work = staticmethod(work)

    p_max: int = 1000
    p_min: int = 2

    def units(self) -> list[Unit]:
        """Return the graphs of each group, cut up if they are many.

        Raises
        ------
        ValueError
            If there are none, or too many nodes.
        """
        p_min, p_max, least = self.p_min, self.p_max, self.min_nodes or 1
        if not 2 <= p_min <= p_max <= MAX_NODES // 3:
            self.bound()
            raise ValueError(
                f"Search needs 2 <= p-min <= p-max <= {MAX_NODES // 3}, not {p_min} and {p_max}"
            )
        bound = self.bound()
        found = groups(p_min, p_max, least, bound)
        if not found:
            raise ValueError(
                f"Search needs a prime p in {p_min}..{p_max} and a k >= 3 that divides p-1, "
                f"with p*k in {least}..{bound}: there is none"
            )
        p, k = found[0]
        if p * k > MAX_NODES:
            raise ValueError(f"Search needs at most {MAX_NODES} nodes, not p*k = {p}*{k} = {p * k}")
        units = []
        for p, k in found:
            graphs, size = len(steps(k)), max(1, WORK // (p * k))
            starts = range(0, graphs, size)
            units += [Unit(p, k, first, min(first + size, graphs)) for first in starts]
        return units

    def topology(self, unit: Unit, graph: tuple[int, ...]) -> dict[str, Any]:
        """Return p, a and the generators; a is the least element of order k."""
        t1, t2, _ = graph
        return {"p": unit.p, "a": element(unit.p, unit.k), "A": [t1, 1], "B": [t2, 1]}

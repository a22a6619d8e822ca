"""Metacyclic Cayley graphs and digraphs, and cubic ones, to be searched."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple

from fingerpost.golden.analysis import cubic
from fingerpost.golden.analysis.metacyclic import classes, groups, metacyclic
from fingerpost.golden.topology.base import MAX_NODES
from fingerpost.search.space import Found, Space

__all__ = ["MetacyclicCubicSpace", "MetacyclicDigraphSpace", "MetacyclicSpace"]

MOST = 1_000_000
"""Pairs of m and k. More would take days to search, and a minute and gigabytes to list."""


class Unit(NamedTuple):
    """The groups of the order m*k with k classes, for all multipliers."""

    m: int
    k: int

    @property
    def nodes(self) -> int:
        """Return n = m*k."""
        return self.m * self.k

    @property
    def weight(self) -> int:
        """Return the work for each pair of steps, roughly."""
        return self.nodes * self.k**2


@dataclass(frozen=True)
class MetacyclicSpace(Space):
    """All metacyclic Cayley graphs of degree 4 with a number of nodes in a range, or a sample.

    Attributes
    ----------
    max_nodes : int, optional
        The most nodes to try; otherwise the Moore bound.
    sample : int, optional
        So many graphs of each group are tried, or all if there are fewer.
    """

    family: ClassVar[str] = "metacyclic"
    columns: ClassVar[tuple[str, ...]] = ("m", "k", "r", "A", "B")
    work: ClassVar[Callable[..., tuple[int, Found]]] = staticmethod(metacyclic)

    max_nodes: int | None = None
    sample: int | None = None

    def units(self) -> list[Unit]:
        """Return the orders of groups.

        Raises
        ------
        ValueError
            If there are none, or too many.
        """
        bound = self.bound()
        most, least = self.max_nodes or min(bound, MAX_NODES), self.min_nodes or 1
        if not least <= most <= MAX_NODES:
            raise ValueError(f"Search needs a max-nodes in {least}..{MAX_NODES}, not {most}")
        most = min(most, bound)
        orders = sum(most // k - (least - 1) // k for k in self.classes())
        if orders > MOST:
            raise ValueError(
                f"Search needs at most {MOST:,} pairs of m and k, not {orders:,}: "
                "ask for fewer nodes by --max-nodes and --min-nodes"
            )
        found = [Unit(m, k) for m, k in self.groups(least, most)]
        if not found:
            raise ValueError(
                f"Search needs m*k in {least}..{most} with m >= 3 and k >= 2: there is none"
            )
        return found

    def classes(self) -> range:
        """Return how many classes there may be."""
        return classes(self.diameter, two_way=self.two_way)

    def groups(self, least: int, most: int) -> list[tuple[int, int]]:
        """Return (m, k) of the groups of `least` to `most` elements."""
        return groups(least, most, self.diameter, two_way=self.two_way)

    def options(self) -> tuple[int | None, ...]:
        """Return how many graphs of a group are tried."""
        return (self.sample,)

    def topology(self, unit: Unit, graph: tuple[int, ...]) -> dict[str, Any]:
        """Return the group and the generators."""
        r, t1, y1, t2, y2, _ = graph
        return {"m": unit.m, "k": unit.k, "r": r, "A": [t1, y1], "B": [t2, y2]}


@dataclass(frozen=True)
class MetacyclicDigraphSpace(MetacyclicSpace):
    """The same with links along A and B only; Borel digraphs are those with a prime m."""

    family: ClassVar[str] = "metacyclic-digraph"
    work = staticmethod(partial(metacyclic, two_way=False))
    two_way: ClassVar[bool] = False


@dataclass(frozen=True)
class MetacyclicCubicSpace(MetacyclicSpace):
    """All cubic Cayley graphs of metacyclic groups with a number of nodes in a range, or a sample.

    Borel groups are those with a prime m. Groups of odd order have no involution, and no graph.
    """

    family: ClassVar[str] = "metacyclic-cubic"
    columns: ClassVar[tuple[str, ...]] = ("m", "k", "r", "A", "B", "C")
    work = staticmethod(cubic.cubic)

    def moore(self) -> int:
        """Return the Moore bound of degree 3."""
        return cubic.moore(self.diameter)

    def classes(self) -> range:
        """Return how many classes there may be."""
        return range(2, 4 * self.diameter + 1)

    def groups(self, least: int, most: int) -> list[tuple[int, int]]:
        """Return (m, k) of the groups of an even number of elements."""
        return cubic.groups(least, most, self.diameter)

    def topology(self, unit: Any, graph: tuple[int, ...]) -> dict[str, Any]:
        """Return the group and the two or three generators."""
        r, *rest = graph[:-1]
        generators = {
            name: [t, y] for name, t, y in zip("ABC", rest[::2], rest[1::2], strict=False)
        }
        return {"m": unit.m, "k": unit.k, "r": r, **generators}

"""The spaces of a search: families of graphs, cut into units of work; and their scores."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from math import comb
from typing import Any, ClassVar, NamedTuple

from fingerpost.golden.analysis.dense import bound, circulants, dense, element, moore, steps
from fingerpost.golden.analysis.dense import groups as borel_groups
from fingerpost.golden.analysis.metacyclic import (
    classes,
    cubic,
    cubic_groups,
    cubic_moore,
    groups,
    metacyclic,
)
from fingerpost.golden.deadlock.order import search
from fingerpost.golden.network.network import topology
from fingerpost.golden.routing.vertex_transitive import VertexTransitive
from fingerpost.golden.topology import Topology
from fingerpost.golden.topology.base import MAX_NODES, summary

WORK = 100_000_000
"""Nodes of all the Borel graphs in a unit of work: a second at most."""

MOST = 1_000_000
"""Pairs of m and k. More would take days to search, and a minute and gigabytes to list."""

MOST_JUMPS = 7
"""Jumps of a circulant: each takes two ports."""

DEEPEST = 30
"""The largest diameter; numbers of words stay exact."""

Found = Sequence[tuple[int, ...]]
"""Parameters of the graphs found, the diameter last."""


def mean_distance(graph: Topology) -> float:
    """Return the mean distance in hops."""
    return summary(graph)[1]


def load(graph: Topology) -> float:
    """Return the load of the busiest link on shortest paths, when terminals send 1 flit a cycle.

    That is under uniform traffic with vertex-transitive routing, whose table is balanced. Its
    inverse is the saturation.
    """
    return float(VertexTransitive(graph).load.max()) / (graph.nodes - 1)


def channels(graph: Topology) -> float:
    """Return the virtual channels that vertex-transitive routing needs, as `order` finds them."""
    return search(VertexTransitive(graph))[1]


SCORES: dict[str, Callable[[Topology], float]] = {
    "mean-distance": mean_distance,
    "load": load,
    "channels": channels,
}


def check(score: str, family: str) -> None:
    """See to it that graphs of a family have a score.

    Raises
    ------
    ValueError
        If they do not.
    """
    if score != "mean-distance" and family not in ("borel", "metacyclic"):
        raise ValueError(
            f"--score {score} needs --family borel or metacyclic, with vertex-transitive routing, "
            f"not {family}; --score mean-distance takes all"
        )


def scored(score: str, keys: Mapping[str, Any]) -> float:
    """Return a score of the graph with these keys of a network file."""
    return SCORES[score](topology({"topology": keys}))


class Unit(NamedTuple):
    """What a worker does at a time: graphs of the groups of m*k elements with k classes."""

    m: int
    k: int
    first: int = 0
    last: int = 0

    @property
    def nodes(self) -> int:
        """Return n = m*k."""
        return self.m * self.k


@dataclass(frozen=True)
class Space(ABC):
    """A family of graphs to search."""

    family: ClassVar[str]
    """That of the network file."""
    columns: ClassVar[tuple[str, ...]]
    """Keys of its topology, as a table shows them."""
    work: ClassVar[Callable[..., tuple[int, Found]]]
    """Given the `arguments` of a unit, returns how many graphs it has tried, and those found."""
    two_way: ClassVar[bool] = True
    """Whether links are two-way and four at a node; otherwise two leave each node."""

    diameter: int
    """The largest that is allowed."""
    min_nodes: int | None = None
    """All graphs with so many nodes are wanted, not only the largest."""

    def settings(self) -> dict[str, Any]:
        """Return what is searched, as JSON has it."""
        return {"family": self.family, **asdict(self)}

    def bound(self) -> int:
        """Return the Moore bound.

        Raises
        ------
        ValueError
            If diameter or nodes are impossible.
        """
        if not 1 <= self.diameter <= DEEPEST:
            raise ValueError(f"Search needs a diameter in 1..{DEEPEST}, not {self.diameter}")
        bound = self.moore()
        if self.min_nodes is not None and not 1 <= self.min_nodes <= bound:
            raise ValueError(
                f"Search needs min-nodes in 1..{bound}, the Moore bound of diameter "
                f"{self.diameter}, not {self.min_nodes}"
            )
        return bound

    def moore(self) -> int:
        """Return the most nodes that a graph of this degree and diameter can have."""
        return moore(self.diameter, two_way=self.two_way)

    @abstractmethod
    def units(self) -> list[Unit]:
        """Return all the work as units, graphs with many nodes first.

        Raises
        ------
        ValueError
            If there is none, or too much.
        """

    @abstractmethod
    def arguments(self, unit: Unit) -> tuple[int | None, ...]:
        """Return what the work is given for a unit."""

    @abstractmethod
    def weight(self, unit: Unit) -> int:
        """Return how much of the work a unit is."""

    @abstractmethod
    def topology(self, unit: Unit, graph: tuple[int, ...]) -> dict[str, Any]:
        """Return a graph that was found, as the keys of a network file."""


def borel(p: int, k: int, first: int, last: int, diameter: int) -> tuple[int, Found]:
    """Return how many graphs there are, and t1, t2 and the diameter of those that are dense."""
    return last - first, [tuple(graph) for graph in dense(p, k, first, last, diameter)]


@dataclass(frozen=True)
class BorelSpace(Space):
    """All Borel Cayley graphs of degree 4 with primes p in a range."""

    family: ClassVar[str] = "borel"
    columns: ClassVar[tuple[str, ...]] = ("p", "k", "a", "A", "B")
    work = staticmethod(borel)

    p_max: int = 1000
    p_min: int = 2

    def units(self) -> list[Unit]:
        """Return the graphs of each group, cut up if they are many.

        Raises
        ------
        ValueError
            As in `Space`.
        """
        p_min, p_max, least = self.p_min, self.p_max, self.min_nodes or 1
        if not 2 <= p_min <= p_max <= MAX_NODES // 3:
            self.bound()
            raise ValueError(
                f"Search needs 2 <= p-min <= p-max <= {MAX_NODES // 3}, not {p_min} and {p_max}"
            )
        bound = self.bound()
        found = borel_groups(p_min, p_max, least, bound)
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

    def arguments(self, unit: Unit) -> tuple[int | None, ...]:
        """Return p, k, some of its graphs, and the diameter."""
        return *unit, self.diameter

    def weight(self, unit: Unit) -> int:
        """Return the number of graphs."""
        return unit.last - unit.first

    def topology(self, unit: Unit, graph: tuple[int, ...]) -> dict[str, Any]:
        """Return p, a and the generators; a is the least element of order k."""
        t1, t2, _ = graph
        return {"p": unit.m, "a": element(unit.m, unit.k), "A": [t1, 1], "B": [t2, 1]}


@dataclass(frozen=True)
class MetacyclicSpace(Space):
    """All metacyclic Cayley graphs of degree 4 with a number of nodes in a range, or a sample."""

    family: ClassVar[str] = "metacyclic"
    columns: ClassVar[tuple[str, ...]] = ("m", "k", "r", "A", "B")
    work: ClassVar[Callable[..., tuple[int, Found]]] = staticmethod(metacyclic)

    max_nodes: int | None = None
    """The most nodes to try; otherwise the Moore bound."""
    sample: int | None = None
    """So many graphs of each group are tried, or all if there are fewer."""

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

    def arguments(self, unit: Unit) -> tuple[int | None, ...]:
        """Return m, k, the diameter, and how many graphs of a group are tried."""
        return unit.m, unit.k, self.diameter, self.sample

    def weight(self, unit: Unit) -> int:
        """Return the work for each pair of steps, roughly."""
        return unit.nodes * unit.k**2

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
    work = staticmethod(cubic)

    def moore(self) -> int:
        """Return the Moore bound of degree 3."""
        return cubic_moore(self.diameter)

    def classes(self) -> range:
        """Return how many classes there may be."""
        return range(2, 4 * self.diameter + 1)

    def groups(self, least: int, most: int) -> list[tuple[int, int]]:
        """Return (m, k) of the groups of an even number of elements."""
        return cubic_groups(least, most, self.diameter)

    def topology(self, unit: Unit, graph: tuple[int, ...]) -> dict[str, Any]:
        """Return the group and the two or three generators."""
        r, *rest = graph[:-1]
        generators = {
            name: [t, y] for name, t, y in zip("ABC", rest[::2], rest[1::2], strict=False)
        }
        return {"m": unit.m, "k": unit.k, "r": r, **generators}


@dataclass(frozen=True)
class CirculantSpace(Space):
    """All circulants of so many jumps with a number of nodes in a range, alike ones once."""

    family: ClassVar[str] = "circulant"
    columns: ClassVar[tuple[str, ...]] = ("jumps",)
    work = staticmethod(circulants)

    max_nodes: int | None = None
    """The most nodes to try; otherwise the bound."""
    jumps: int = 2

    def moore(self) -> int:
        """Return the bound of circulants, which is lower than Moore's."""
        return bound(self.jumps, self.diameter)

    def units(self) -> list[Unit]:
        """Return the numbers of nodes.

        Raises
        ------
        ValueError
            If there are none, or too many graphs.
        """
        if not 1 <= self.jumps <= MOST_JUMPS:
            raise ValueError(f"Search needs jumps in 1..{MOST_JUMPS}, not {self.jumps}")
        found, least = self.bound(), max(self.min_nodes or 1, 2 * self.jumps + 1)
        most = min(self.max_nodes or found, found)
        if least > most:
            raise ValueError(f"Search needs a max-nodes in {least}..{found}, not {most}")
        if comb(most // 2, self.jumps - 1) * (most - least + 1) > MOST:
            raise ValueError(
                f"Search needs at most {MOST:,} circulants: ask for fewer nodes by --max-nodes and "
                "--min-nodes"
            )
        return [Unit(nodes, 1) for nodes in range(most, least - 1, -1)]

    def arguments(self, unit: Unit) -> tuple[int | None, ...]:
        """Return the nodes, how many jumps, and the diameter."""
        return unit.m, self.jumps, self.diameter

    def weight(self, unit: Unit) -> int:
        """Return the work, roughly."""
        return int(unit.m**self.jumps)

    def topology(self, unit: Unit, graph: tuple[int, ...]) -> dict[str, Any]:
        """Return nodes and jumps."""
        return {"nodes": unit.m, "jumps": list(graph[:-1])}


SPACES: dict[str, type[Space]] = {
    space.family: space
    for space in (
        *(BorelSpace, MetacyclicSpace, MetacyclicDigraphSpace, MetacyclicCubicSpace),
        CirculantSpace,
    )
}
"""Where to search, by family."""

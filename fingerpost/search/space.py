"""What every space of a search is: a family of graphs, cut into units of work; and its scores."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Protocol

from fingerpost.golden.analysis.dense import moore
from fingerpost.golden.deadlock.order import search
from fingerpost.golden.network.network import topology
from fingerpost.golden.routing.vertex_transitive import VertexTransitive
from fingerpost.golden.topology import Topology
from fingerpost.golden.topology.base import summary

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


class Unit(Protocol):
    """What a worker does at a time; a named tuple, whose fields the work is given."""

    def __iter__(self) -> Iterator[int]: ...

    @property
    def k(self) -> int:
        """Return the number of classes."""

    @property
    def nodes(self) -> int:
        """Return the nodes of its graphs."""

    @property
    def weight(self) -> int:
        """Return how much of the work it is."""

    def _asdict(self) -> dict[str, Any]: ...

    @property
    def _fields(self) -> tuple[str, ...]: ...


@dataclass(frozen=True)
class Space(ABC):
    """A family of graphs to search.

    Attributes
    ----------
    family : str
        That of the network file.
    columns : tuple of str
        Keys of its topology, as a table shows them.
    work : callable
        Given a unit, the diameter and the `options`, returns how many graphs it has tried, and
        those found.
    two_way : bool
        Whether links are two-way and four at a node; otherwise two leave each node.
    diameter : int
        The largest that is allowed.
    min_nodes : int, optional
        All graphs with so many nodes are wanted, not only the largest.
    """

    family: ClassVar[str]
    columns: ClassVar[tuple[str, ...]]
    work: ClassVar[Callable[..., tuple[int, Found]]]
    two_way: ClassVar[bool] = True

    diameter: int
    min_nodes: int | None = None

    def arguments(self) -> dict[str, Any]:
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

    def options(self) -> tuple[int | None, ...]:
        """Return further arguments of the work."""
        return ()

    @abstractmethod
    def units(self) -> Sequence[Any]:
        """Return all the work as units, graphs with many nodes first.

        Raises
        ------
        ValueError
            If there is none, or too much.
        """

    @abstractmethod
    def topology(self, unit: Any, graph: tuple[int, ...]) -> dict[str, Any]:
        """Return a graph that was found, as the keys of a network file."""

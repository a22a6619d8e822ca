"""`fingerpost search`: the largest Cayley graphs of a diameter, on all cores or a cluster."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from rich.console import Group, RenderableType

from fingerpost.golden.analysis.dense import dense, element, moore, steps
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
from fingerpost.jobs.console import plain_table
from fingerpost.jobs.runner import Job, Listed, Progress, run

WORK = 100_000_000
"""Nodes of all the Borel graphs in a unit of work: a second at most."""

MOST = 1_000_000
"""Pairs of m and k. More would take days to search, and a minute and gigabytes to list."""

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


SPACES: dict[str, type[Space]] = {
    space.family: space
    for space in (BorelSpace, MetacyclicSpace, MetacyclicDigraphSpace, MetacyclicCubicSpace)
}
"""Where to search, by family."""


__all__ = ["SPACES", "facts", "render"]


class Hunt(Listed[Unit]):
    """The units of a space, until no unit ahead can have as many nodes as what is found.

    Attributes
    ----------
    most : int
        The nodes of the largest graph that is found.
    """

    def __init__(self, space: Space) -> None:
        super().__init__(space.units())
        self.space, self.most = space, 0
        self.weights = 0, sum(map(space.weight, self.points))

    def ready(self, count: int) -> Sequence[Unit]:
        """Return the next units. They come large to small: the first graph found is the largest."""
        return [unit for unit in super().ready(count) if self.counted(unit)]

    def counted(self, unit: Unit) -> bool:
        """Return whether a unit counts: all do, or those with as many nodes as what is found."""
        return self.space.min_nodes is not None or unit.nodes >= self.most

    def finish(self, unit: Unit, row: Any) -> None:
        """Take the number of graphs of a unit, and those found."""
        super().finish(unit, row)
        self.weights = self.weights[0] + self.space.weight(unit), self.weights[1]
        if row[1]:
            self.most = max(self.most, unit.nodes)

    def counts(self) -> tuple[int, int]:
        """Return the work that is done, and all of it."""
        return self.weights


def facts(
    *,
    family: str = "borel",
    score: str | None = None,
    cluster: str | None = None,
    workers: int | None = None,
    state: Path | None = None,
    progress: Progress = lambda done, total: None,
    **where: Any,
) -> dict[str, Any]:
    """Return the graphs of a family with at most a diameter that have the most nodes.

    Parameters
    ----------
    family : str
        One of `SPACES`.
    score : str, optional
        One of `spaces.SCORES`: the graphs come by it, the best first. It is not kept in the state.
    cluster, workers, state, progress
        See `fingerpost.jobs.runner.Means`.
    where
        The fields of the space: `diameter`, and if all graphs are wanted that have as many nodes
        `min_nodes`; otherwise those of the largest number of nodes are.

    Raises
    ------
    ValueError
        If there is nothing to search, its graphs have no such score, or the state is that of
        another search.
    OSError
        If there is no cluster, or it is lost.

    Keys
    ----
    seconds
    family, diameter, min_nodes : -, hops, nodes
        The arguments.
    p_min, p_max : 1
        Of Borel graphs.
    max_nodes, sample : nodes, graphs
        Of metacyclic graphs.
    score
        The argument; `null`: by nodes.
    graphs : graphs
        Tried.
    found
        `nodes`, `k`, `diameter`, `topology`; with a score also `score`.
    """
    started = time.perf_counter()
    if score:
        check(score, family)
    space = SPACES[family](**where)
    hunt = Hunt(space)
    job = Job[Unit]("search", space.work, space.arguments, Unit._asdict, space.settings())
    run(job, hunt, cluster=cluster, workers=workers, state=state, progress=progress)
    # Workers may have gone on to fewer nodes before the first graph was found. That does not count:
    # how far they have come is a matter of chance.
    done = [unit for unit in hunt.points if unit in hunt.rows and hunt.counted(unit)]
    found = [
        {
            "nodes": unit.nodes,
            "k": unit.k,
            "diameter": graph[-1],
            "topology": {"family": space.family, **space.topology(unit, graph)},
        }
        for unit in done
        for graph in hunt.rows[unit][1]
    ]
    if score:
        names = [graph["topology"] for graph in found]
        scores = Listed(range(len(found)))
        ranked = Job[int]("search", scored, lambda number: (score, names[number]))
        run(ranked, scores, cluster=cluster, workers=workers, progress=progress)
        found = [{**graph, "score": scores.rows[n]} for n, graph in enumerate(found)]
        found.sort(key=lambda graph: float(graph["score"]))  # equal ones stay as they were
    return {
        **space.settings(),
        "score": score,
        "graphs": sum(hunt.rows[unit][0] for unit in done),
        "found": found,
        "seconds": time.perf_counter() - started,
    }


def render(facts: Mapping[str, Any]) -> RenderableType:
    """Return the graphs as a table, and as lines of a network file."""
    searched = f"{facts['graphs']:,} graphs in {facts['seconds']:.0f} s"
    found = facts["found"]
    if not found:
        return f"no graph of diameter {facts['diameter']} or less ({searched})"
    columns = SPACES[facts["family"]].columns
    last = [facts["score"]] if facts["score"] else []
    names = "nodes", *columns, "diameter", *last
    table = plain_table(*names, right=names)
    for graph in found:
        row = {**graph, **graph["topology"]}
        cells = (row.get(column, "-") for column in columns)
        texts = [",".join(map(str, x)) if isinstance(x, list) else str(x) for x in cells]
        texts += [str(graph["diameter"]), *(f"{graph['score']:.6g}" for _ in last)]
        table.add_row(str(graph["nodes"]), *texts)
    topology = ", ".join(f"{key}: {value}" for key, value in found[0]["topology"].items())
    line = f"topology: {{{topology}}}"
    return Group(table, "", searched, "The first one in a network file:", line)

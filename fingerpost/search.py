"""`fingerpost search`: the largest Borel Cayley graphs of a diameter, on all cores or a cluster."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Group, RenderableType
from rich.table import Table

from fingerpost.cluster import results
from fingerpost.state import append, read
from golden.analysis.dense import LARGEST, dense, element, groups, moore, steps

__all__ = ["facts", "render"]

WORK = 100_000_000
"""Nodes of all the graphs in a unit of work: a second at most."""

DEEPEST = 30
"""The largest diameter; numbers of words stay exact."""


class Unit(NamedTuple):
    """Graphs first..last-1 of the group of p*k elements: what a worker does at a time."""

    p: int
    k: int
    first: int
    last: int

    @property
    def nodes(self) -> int:
        """Return n = p*k."""
        return self.p * self.k


Found = list[tuple[int, int, int]]
"""(t1, t2, diameter) of graphs."""

Progress = Callable[[int, int], None]


def facts(
    *,
    diameter: int,
    p_max: int = 1000,
    p_min: int = 2,
    min_nodes: int | None = None,
    cluster: str | None = None,
    state: Path | None = None,
    progress: Progress = lambda done, total: None,
) -> dict[str, Any]:
    """Return the Borel Cayley graphs with at most this diameter that have the most nodes.

    Parameters
    ----------
    diameter : int
    p_max, p_min : int
        Primes p to search.
    min_nodes : int, optional
        Return all graphs with so many nodes; otherwise those of the largest number of nodes.
    cluster : str, optional
        The address of a Dask scheduler; otherwise all cores of this machine work.
    state : Path, optional
        A file that keeps what is finished: the same search goes on from there.
    progress : callable
        Called with the graphs done and to do.

    Raises
    ------
    ValueError
        If there is nothing to search, or the state is that of another search.
    OSError
        If there is no cluster, or it is lost.
    """
    started = time.perf_counter()
    units = _units(diameter, p_min, p_max, min_nodes)
    arguments = {"diameter": diameter, "p_min": p_min, "p_max": p_max, "min_nodes": min_nodes}
    done = dict(read(state, "search", arguments, _record)) if state else {}
    done = {unit: done[unit] for unit in units if unit in done}
    total = sum(unit.last - unit.first for unit in units)
    searched = sum(unit.last - unit.first for unit in done)
    # Units come large to small, so the first graph found has the most nodes.
    enough = max((unit.nodes for unit in done if done[unit]), default=0)

    def ahead() -> Iterator[Unit]:
        for unit in units:
            if min_nodes is None and unit.nodes < enough:
                return
            if unit not in done:
                yield unit

    progress(searched, total)
    units_ahead = ahead()
    with closing(
        results(
            dense,
            lambda count: list(islice(units_ahead, count)),
            lambda unit: (*unit, diameter),
            cluster,
            who="Search",
        )
    ) as ended:
        for unit, found in ended:
            if state:
                append(state, {**unit._asdict(), "found": found})
            done[unit] = found
            searched += unit.last - unit.first
            if found:
                enough = max(enough, unit.nodes)
            progress(searched, total)
    return {
        **arguments,
        "graphs": searched,
        "found": [
            _graph(unit, *graph)
            for unit in units
            if min_nodes is not None or unit.nodes == enough
            for graph in done.get(unit, ())
        ],
        "seconds": time.perf_counter() - started,
    }


def _graph(unit: Unit, t1: int, t2: int, diameter: int) -> dict[str, Any]:
    p, k = unit.p, unit.k
    topology = {"family": "borel", "p": p, "a": element(p, k), "A": [t1, 1], "B": [t2, 1]}
    return {"nodes": unit.nodes, "k": k, "diameter": diameter, "topology": topology}


def _units(diameter: int, p_min: int, p_max: int, min_nodes: int | None) -> list[Unit]:
    """Return all the work, graphs with many nodes first.

    Raises
    ------
    ValueError
        If there is none, or too much.
    """
    if not 1 <= diameter <= DEEPEST:
        raise ValueError(f"Search needs a diameter in 1..{DEEPEST}, not {diameter}")
    if not 2 <= p_min <= p_max <= LARGEST // 3:
        raise ValueError(
            f"Search needs 2 <= p-min <= p-max <= {LARGEST // 3}, not {p_min} and {p_max}"
        )
    bound = moore(diameter)
    if min_nodes is not None and not 1 <= min_nodes <= bound:
        raise ValueError(
            f"Search needs min-nodes in 1..{bound}, the Moore bound of diameter {diameter}, "
            f"not {min_nodes}"
        )
    found = groups(p_min, p_max, min_nodes or 1, bound)
    if not found:
        raise ValueError(
            f"Search needs a prime p in {p_min}..{p_max} and a k >= 3 that divides p-1, "
            f"with p*k in {min_nodes or 1}..{bound}: there is none"
        )
    p, k = found[0]
    if p * k > LARGEST:
        raise ValueError(f"Search needs at most {LARGEST} nodes, not p*k = {p}*{k} = {p * k}")
    units = []
    for p, k in found:
        graphs, size = len(steps(k)), max(1, WORK // (p * k))
        starts = range(0, graphs, size)
        units += [Unit(p, k, first, min(first + size, graphs)) for first in starts]
    return units


def _record(record: Mapping[str, Any]) -> tuple[Unit, Found]:
    """Return what a line of the state says."""
    found = [(t1, t2, diameter) for t1, t2, diameter in record["found"]]
    return Unit(*(record[key] for key in Unit._fields)), found


def render(facts: Mapping[str, Any]) -> RenderableType:
    """Return the graphs as a table, and as lines of a network file."""
    searched = f"{facts['graphs']:,} graphs in {facts['seconds']:.0f} s"
    found = facts["found"]
    if not found:
        return f"no graph of diameter {facts['diameter']} or less ({searched})"
    table = Table(box=None, padding=(0, 2), header_style="")
    for column in "nodes", "p", "k", "a", "A", "B", "diameter":
        table.add_column(column, justify="right")
    for graph in found:
        p, a, A, B = (graph["topology"][key] for key in ("p", "a", "A", "B"))
        links = ("{},{}".format(*link) for link in (A, B))
        row = graph["nodes"], p, graph["k"], a, *links, graph["diameter"]
        table.add_row(*map(str, row))
    topology = ", ".join(f"{key}: {value}" for key, value in found[0]["topology"].items())
    line = f"topology: {{{topology}}}"
    return Group(table, "", searched, "The first one in a network file:", line)

"""`fingerpost search`: the largest Cayley graphs of a diameter, on all cores or a cluster."""

import time
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType

from fingerpost.jobs.console import plain_table
from fingerpost.jobs.state import kept
from fingerpost.jobs.workers import results
from fingerpost.search.borel import BorelSpace
from fingerpost.search.metacyclic import (
    MetacyclicCubicSpace,
    MetacyclicDigraphSpace,
    MetacyclicSpace,
)
from fingerpost.search.space import Found, Space, Unit, check, scored

__all__ = ["SPACES", "facts", "render"]

SPACES: dict[str, type[Space]] = {
    space.family: space
    for space in (BorelSpace, MetacyclicSpace, MetacyclicDigraphSpace, MetacyclicCubicSpace)
}
"""Where to search, by family."""

Progress = Callable[[int, int], None]


def facts(
    *,
    family: str = "borel",
    cluster: str | None = None,
    state: Path | None = None,
    score: str | None = None,
    progress: Progress = lambda done, total: None,
    **where: Any,
) -> dict[str, Any]:
    """Return the graphs of a family with at most a diameter that have the most nodes.

    Parameters
    ----------
    family : str
        One of `SPACES`.
    cluster : str, optional
        The address of a Dask scheduler; otherwise all cores of this machine work.
    state : Path, optional
        A file that keeps what is finished: the same search goes on from there.
    score : str, optional
        One of `space.SCORES`: the graphs come by it, the best first. It is not kept in the state.
    progress : callable
        Called with what is done and to do.
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
    units = space.units()
    arguments = space.arguments()

    def record(line: Mapping[str, Any]) -> tuple[Unit, tuple[int, Found]]:
        unit = type(units[0])(*(line[key] for key in units[0]._fields))
        return unit, (line["graphs"], [tuple(graph) for graph in line["found"]])

    with kept(state, "search", arguments, record) as (finished, keep):
        known = dict(finished)
        done = {unit: known[unit] for unit in units if unit in known}
        total = sum(unit.weight for unit in units)
        searched = sum(unit.weight for unit in done)
        # Units come large to small, so the first graph found has the most nodes.
        enough = max((unit.nodes for unit, (_, found) in done.items() if found), default=0)

        def ahead() -> Iterator[Unit]:
            for unit in units:
                if space.min_nodes is None and unit.nodes < enough:
                    return
                if unit not in done:
                    yield unit

        progress(searched, total)
        units_ahead = ahead()
        with results(
            space.work,
            lambda count: list(islice(units_ahead, count)),
            lambda unit: (*unit, space.diameter, *space.options()),
            cluster,
            job="Search",
        ) as ended:
            for unit, (graphs, found) in ended:
                keep({**unit._asdict(), "graphs": graphs, "found": found})
                done[unit] = graphs, found
                searched += unit.weight
                if found:
                    enough = max(enough, unit.nodes)
                progress(searched, total)
    # Workers may have gone on to fewer nodes before the first graph was found. That does not count:
    # how far they have come is a matter of chance.
    counted = [unit for unit in done if space.min_nodes is not None or unit.nodes >= enough]
    found = [
        {
            "nodes": unit.nodes,
            "k": unit.k,
            "diameter": graph[-1],
            "topology": {"family": space.family, **space.topology(unit, graph)},
        }
        for unit in units
        if space.min_nodes is not None or unit.nodes == enough
        for graph in done.get(unit, (0, []))[1]
    ]
    return {
        **arguments,
        "score": score,
        "graphs": sum(done[unit][0] for unit in counted),
        "found": _best_first(found, score, cluster, progress) if score else found,
        "seconds": time.perf_counter() - started,
    }


def _best_first(
    found: list[dict[str, Any]], score: str, cluster: str | None, progress: Progress
) -> list[dict[str, Any]]:
    """Return the graphs with their scores, the best first; equal ones as they were."""
    numbers = iter(range(len(found)))
    scores: dict[int, float] = {}
    with results(
        scored,
        lambda count: list(islice(numbers, count)),
        lambda number: (score, found[number]["topology"]),
        cluster,
        job="Search",
    ) as ended:
        for number, value in ended:
            scores[number] = value
            progress(len(scores), len(found))
    order = sorted(range(len(found)), key=lambda number: scores[number])
    return [{**found[number], "score": scores[number]} for number in order]


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

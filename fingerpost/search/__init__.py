"""`fingerpost search`: the largest Cayley graphs of a diameter, on all cores or a cluster."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType

from fingerpost.jobs.console import plain_table
from fingerpost.jobs.runner import Job, Listed, Progress, run
from fingerpost.search.spaces import SPACES, Space, Unit, check, scored

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
        Of metacyclic graphs; the former of circulants, too.
    jumps : 1
        Of circulants.
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

"""One runner of long jobs: points that are done by all cores or a cluster, and kept row by row.

A job gives out points and takes their rows. With a state each row is a line of a file, below its
key: what the row depends on besides the settings of the job, which are the first line. A point
whose key is there is not done again, so an interrupted job resumes, and a larger one goes on.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Generic, Protocol, TypedDict, TypeVar

from fingerpost.hdl.emit.files import locked, naming
from fingerpost.jobs.files import check, write_text
from fingerpost.jobs.interrupt import keeps
from fingerpost.jobs.provenance import provenance
from fingerpost.jobs.workers import Work, pool

P = TypeVar("P")

Row = dict[str, Any]
Progress = Callable[[int, int], None]
"""Called with what is done and to do."""


class Means(TypedDict, total=False):
    """How a job is done."""

    cluster: str | None
    """The address of a Dask scheduler; otherwise this machine works. It is asked when there is
    something to do."""
    workers: int | None
    """Processes of this machine; as many as cores without it. No row depends on it."""
    state: Path | None
    """A file that keeps each row: the same job, or a larger one, resumes from it; see `kept`."""
    progress: Progress
    """Called with what is done and to do."""


Keep = Callable[[Mapping[str, Any], Any], None]
"""Adds a key and its row to the state."""


class Points(Protocol[P]):
    """The points of a job; which come next may depend on the rows of others."""

    def ready(self, count: int) -> Sequence[P]:
        """Return up to so many points that can be done now, each once."""

    def finish(self, point: P, row: Any) -> None:
        """Take the row of a point; they come in any order."""

    def counts(self) -> tuple[int, int]:
        """Return how much is done and to do, for progress."""


class Listed(Generic[P]):
    """Points that are known beforehand, with their rows.

    Parameters
    ----------
    points : sequence
        In the order in which they are given out.

    Attributes
    ----------
    rows : dict
        Those that are finished, by point.
    """

    def __init__(self, points: Sequence[P]) -> None:
        self.points, self.rows = points, dict[P, Any]()
        self.ahead = iter(points)

    def ready(self, count: int) -> Sequence[P]:
        """Return the next points."""
        return list(islice(self.ahead, count))

    def finish(self, point: P, row: Any) -> None:
        """Take a row."""
        self.rows[point] = row

    def counts(self) -> tuple[int, int]:
        """Return how many rows there are, and will be."""
        return len(self.rows), len(self.points)


@dataclass(frozen=True)
class Job(Generic[P]):
    """What is done for a point, and what its row depends on."""

    name: str
    """For messages: `sweep`."""
    work: Work
    """A function of a module, which workers call. Its result is a row, of plain data."""
    arguments: Callable[[P], Sequence[Any]]
    """Returns what `work` is given for a point."""
    key: Callable[[P], Mapping[str, Any]] = lambda point: {"point": point}
    """Returns the fields of a line of the state that no other point has, as plain data."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What all rows depend on; a state of others is refused."""
    keeps: Callable[[Any], bool] = lambda row: True
    """Returns whether a row is kept, or is done again in the next run."""


def run(
    job: Job[P],
    points: Points[P],
    *,
    cluster: str | None = None,
    workers: int | None = None,
    state: Path | None = None,
    here: Callable[[P], Any] | None = None,
    progress: Progress = lambda done, total: None,
) -> None:
    """Do the points of a job, until none is ready and none is running.

    Parameters
    ----------
    cluster, workers, state, progress
        See `Means`.
    here : callable, optional
        What does a point in this process, if no workers are worth while and there is no cluster.

    Raises
    ------
    ValueError
        If the state is that of another job, see `kept`, or there are both workers and a cluster.
    OSError
        If the workers are lost, see `fingerpost.jobs.workers.pool`.
    """
    with (
        kept(state, job.name, job.settings) as (known, keep),
        pool(cluster, job.name.capitalize(), workers) as crew,
    ):

        def take(point: P, row: Any) -> None:
            if job.keeps(row):
                keep(job.key(point), row)
            points.finish(point, row)

        while True:
            while (free := crew.free()) and (ready := points.ready(free)):
                for point in ready:
                    if known and (text := _text(job.key(point))) in known:
                        points.finish(point, known[text])
                    elif here and cluster is None:
                        take(point, here(point))
                    else:
                        crew.start(point, job.work, job.arguments(point))
            progress(*points.counts())
            if not crew.busy():
                return
            take(*crew.finished())


@contextmanager
def kept(
    path: Path | None, job: str, settings: Mapping[str, Any]
) -> Iterator[tuple[dict[str, Any], Keep]]:
    """Yield the rows of a state by their keys, and what adds a row to it.

    No other job uses the file meanwhile. It is made if it is not there. Its first line has the
    job, the version of fingerpost and the settings; a line torn by an interruption is dropped.

    Parameters
    ----------
    path : Path, optional
        Without a file there are no rows, and none are kept.

    Raises
    ------
    ValueError
        If it is no state of such a job, or that of one with other settings, or another job uses
        it at this moment.
    OSError
        If it cannot be written; the error names it.
    """
    if path is None:
        yield {}, lambda key, row: None
        return
    check(path)
    busy = f"{path}: another {job} is using it; wait until that has ended, or name another file"
    with locked(path.resolve(), busy=busy):
        head = {"job": job, "version": provenance()["version"], **settings}
        text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
        lines = text.split("\n")[:-1] if text else [json.dumps(head)]
        rows = _rows(path, lines, head)
        write_text(path, "".join(line + "\n" for line in lines))

        def keep(key: Mapping[str, Any], row: Any) -> None:
            with naming(path), path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({**key, "row": row}) + "\n")

        keeps(path)
        yield rows, keep


def _rows(path: Path, lines: Sequence[str], head: Mapping[str, Any]) -> dict[str, Any]:
    """Return the rows of a state by their keys; it has to begin with `head`."""
    job = head["job"]
    try:
        first, *others = (json.loads(line) for line in lines)
        rows = [(each.pop("row"), _text(each)) for each in others]
        known = {key: first[key] for key in head}
        if known["job"] != job:
            raise ValueError
    except (AttributeError, KeyError, TypeError, ValueError):
        raise ValueError(
            f"{path}: is not the state of a {job} of this version; delete it, or name another file"
        ) from None
    for key, value in head.items():
        if known[key] != value:
            raise ValueError(
                f"{path}: is the state of a {job} with {key} {known[key]}, not {value}"
            )
    return {text: row for row, text in rows}


def _text(key: Mapping[str, Any]) -> str:
    """Return a key as text: equal ones are equal."""
    return json.dumps(key, sort_keys=True)

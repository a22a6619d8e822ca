"""A survey: networks of many sizes side by side, row by row, by all cores or a cluster."""

import json
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

from fingerpost.jobs.state import kept
from fingerpost.jobs.workers import results
from fingerpost.survey.known import Entry, command
from fingerpost.survey.row import STEPS, Row, surveyed

__all__ = ["survey"]

Progress = Callable[[int, int], None]


def survey(
    entries: Sequence[Entry],
    *,
    cluster: str | None = None,
    state: Path | None = None,
    progress: Progress = lambda done, total: None,
) -> list[Row]:
    """Return a row for each network with a routing, those with few nodes first.

    Parameters
    ----------
    cluster : str, optional
        The address of a Dask scheduler; otherwise all cores of this machine work.
    state : Path, optional
        A file that keeps each row: the next survey goes on from there.
    progress : callable
        Called with the networks done and to do.

    Raises
    ------
    ValueError
        If the state is that of another job.
    OSError
        If there is no cluster, or it is lost.
    """
    texts = [json.dumps(entry.description, sort_keys=True) for entry in entries]
    digests = [
        sha256(f"{text} {entry.order}".encode()).hexdigest()[:16]
        for text, entry in zip(texts, entries, strict=True)
    ]
    arguments = {"steps": STEPS}
    with kept(state, "survey", arguments, _record) as (finished, keep):
        found = dict(finished)
        ahead = [number for number, digest in enumerate(digests) if digest not in found]
        done = len(entries) - len(ahead)
        progress(done, len(entries))
        left = iter(ahead[::-1])  # the largest are listed last
        with results(
            surveyed,
            lambda count: list(islice(left, count)),
            lambda number: (texts[number], entries[number].order),
            cluster,
            job="Survey",
        ) as ended:
            for number, row in ended:
                found[digests[number]] = row
                keep({"network": digests[number], "row": row})
                done += 1
                progress(done, len(entries))
    rows = [
        {"kind": entry.kind, **found[digest], "found_by": _found_by(entry, found[digest])}
        for entry, digest in zip(entries, digests, strict=True)
    ]
    return sorted(rows, key=lambda row: row["nodes"])


def _found_by(entry: Entry, row: Row) -> str | None:
    """Return the command that finds a dense network again."""
    if entry.kind != "dense":
        return None
    return command(entry.description["topology"], row["nodes"], row["diameter"])


def _record(record: Mapping[str, Any]) -> tuple[str, Row]:
    """Return what a line of the state says."""
    row = record["row"]
    if not isinstance(row, dict) or "directed" not in row:
        raise ValueError("no row")
    return record["network"], row

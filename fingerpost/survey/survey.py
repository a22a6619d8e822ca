"""A survey: networks of many sizes side by side, row by row, by all cores or a cluster."""

import json
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from fingerpost.golden.analysis.loads import loads
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.deadlock.channels import Channels
from fingerpost.golden.deadlock.order import heights, rank_classes, search, valleys
from fingerpost.golden.deadlock.state_graph import TooManyRoutesError
from fingerpost.golden.network.deflection import build_deflection
from fingerpost.golden.network.kinds import router_kind
from fingerpost.golden.network.network import routed
from fingerpost.golden.routing import Routing
from fingerpost.golden.topology.base import summary
from fingerpost.jobs.state import kept
from fingerpost.jobs.workers import results
from fingerpost.netfile.schema import spelled
from fingerpost.survey.known import Entry, command

Row = dict[str, Any]

ROUTES = 2_000_000
"""More routes than this are not followed for loads."""

SEARCHED = 1_000_000
"""More than this are not searched for a channel order: one that is given is proven, or none."""

STEPS = 300
"""Steps of the search for an order, from one that serves another routing if there is one."""

Progress = Callable[[int, int], None]


def surveyed(description: str, order: list[int] | None) -> Row:
    """Return a row: what a network is, what its links carry, and what its routers need.

    `description` is that of `golden.network.network.build`, as JSON; `order` as in `Entry`. What
    would take too many routes is None, and what deflection routers do not have.
    """
    described = json.loads(description)
    routing = routed(described).routing
    topology = routing.topology
    deflects = router_kind(described) == "deflection"
    diameter, mean_distance = summary(topology)
    terminals = len(topology.terminals)
    among = summary(topology, among_terminals=True)[1] if terminals < topology.nodes else None
    links = int((topology.neighbour >= 0).sum())
    few = not deflects and _routes(routing, routing.orbit) <= ROUTES
    found = loads(routing) if few else None
    given = (described.get("router") or {}).get("channel_order")
    return {
        "network": described["name"],
        "family": topology.family,
        "nodes": topology.nodes,
        "terminals": terminals,
        "degree": topology.degree,
        "directed": topology.directed,
        "diameter": diameter,
        "mean_distance": mean_distance,
        "bound": links / terminals / (among or mean_distance),
        "algorithm": "deflection" if deflects else spelled(described["routing"]),
        "mean_hops": found.mean_hops if found else None,
        "saturation": found.saturation if found else None,
        "virtual_channels": None if deflects else _channels(routing, given, order),
        "table_bits": _deflection_bits(described)
        if deflects
        else sum(routing.table_bits().values()),
        "header_width": routing.header.width,
    }


def _deflection_bits(description: dict[str, Any]) -> int:
    """Return the bits of the table of a deflection router."""
    network = build_deflection(description)
    return network.entry_width << network.destination_width


def _channels(routing: Routing, given: list[int] | None, start: list[int] | None) -> int | None:
    """Return the virtual channels that are proven to be enough, or None: too many routes."""
    increments = routing.vc_increments()
    if given is not None:
        increments = valleys(routing.topology, heights(routing, np.array(given)))
    if increments is None:
        if _routes(routing, rank_classes(routing)) > SEARCHED:
            return None
        return search(routing, steps=STEPS, start=None if start is None else np.array(start))[1]
    try:
        return Channels(routing, increments).needed
    except TooManyRoutesError:
        return None


def _routes(routing: Routing, orbit: IntArray) -> int:
    """Return how many routes there are from one terminal of each orbit to all."""
    terminals = routing.topology.terminals
    return len(np.unique(orbit[terminals])) * len(terminals)


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

"""The routes of a network, packed for the page's script to unfold.

Three ways, by size. All hops of all routes with their headers; or, since routes of nodes in one
orbit are alike, ports from one node of each orbit only; or, where a node sends all that goes to one
destination the same way, that port for each node and destination.
"""

from base64 import b64encode
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.network.network import Routed
from fingerpost.golden.routing.base import Routing
from fingerpost.golden.routing.walk import hops, walk

__all__ = ["LARGEST", "packed"]

HEADERS = 700_000
"""Bytes of routes with their headers, at most: else there are ports only."""

LARGEST = 1_500_000
"""Bytes of routes, at most, before they are coded in letters: four for every three bytes."""

TRIED = 4096
"""Routes after which one may guess how long they are."""

CHUNK = 200_000
"""Routes that are followed at once."""

NONE = 255
"""In a table of ports: no way, or none to go."""

Bytes = NDArray[np.uint8]


def packed(
    network: Routed, progress: Callable[[int, int], None] = lambda done, total: None
) -> dict[str, Any]:
    """Return the routes; ``way`` is how they are packed, or ``none`` with the reason ``why``."""
    topology, routing = network.topology, network.routing
    about: dict[str, Any] = {
        "network": network.name,
        "nodes": topology.nodes,
        "degree": topology.degree,
        "names": _names(network),
        "ports": list(topology.port_names),
        "phases": list(routing.phases),
        "terminals": topology.terminals.tolist(),
        "neighbour": _text(topology.neighbour.astype("<i4")),
        "fields": routing.header.describe(),
    }
    return about | _ways(routing, progress)


def _ways(routing: Routing, progress: Callable[[int, int], None]) -> dict[str, Any]:
    if routing.selection == "random":
        return {"way": "none", "why": "each packet takes a random route"}
    if routing.topology.degree * len(routing.phases) >= NONE:
        return {"way": "none", "why": "there are too many ports and phases"}
    terminals = routing.topology.terminals
    pairs, mean = len(terminals) ** 2, _mean(routing)
    width = -(-routing.header.width // 8)  # bytes
    if pairs * (2 + width + mean * (1 + width)) <= HEADERS:
        return _with_headers(routing, width)
    first = terminals[np.unique(routing.orbit[terminals], return_index=True)[1]]
    if len(first) * len(terminals) * (2 + mean) <= LARGEST:
        return _from_orbits(routing, first)
    if routing.topology.nodes * len(terminals) <= LARGEST:
        table = _by_destination(routing, progress)
        if table is not None:
            return {"way": "by destination", "table": _text(table)}
    return {"way": "none", "why": f"all {pairs:,} routes would make the page too large"}


def _mean(routing: Routing) -> float:
    """Return the mean hops of some routes."""
    terminals = routing.topology.terminals
    some = np.random.default_rng(0).integers(len(terminals), size=(2, TRIED))
    return float(walk(routing, *terminals[some]).hops.mean())


def _with_headers(routing: Routing, width: int) -> dict[str, Any]:
    """Pack hop by hop: what the terminal sends, then port with phase, and header, of each link."""
    topology, terminals = routing.topology, routing.topology.terminals
    source = np.repeat(terminals, len(terminals))
    destination = np.tile(terminals, len(terminals))
    packets, codes, headers = [np.arange(len(source))], [], []
    sent = routing.encode(source, destination)
    for packet, _, _, _, decision in hops(routing, source, destination):
        away = decision.port != topology.local
        packets.append(packet[away])
        codes.append(_codes(routing, decision.port, decision.header)[away])
        headers.append(decision.header[away])
    steps = np.concatenate(packets[1:])
    order = np.argsort(steps, kind="stable")
    count = np.bincount(steps, minlength=len(source))
    return {
        "way": "with headers",
        "width": width,
        "hops": _text(count.astype("<u2")),
        "sent": _text(_bytes(np.asarray(sent), width)),
        "steps": _text(np.concatenate(codes)[order]),
        "headers": _text(_bytes(np.concatenate(headers)[order], width)),
    }


def _from_orbits(routing: Routing, first: IntArray) -> dict[str, Any]:
    """Pack the ports, with phases, of the routes from one node of each orbit."""
    terminals = routing.topology.terminals
    source = np.repeat(first, len(terminals))
    routes = walk(routing, source, np.tile(terminals, len(first)))
    there = routes.ports >= 0
    ports, phases = routes.ports[there].astype(np.int64), routes.phases[there].astype(np.int64)
    return {
        "way": "from orbits",
        "first": first.tolist(),
        "orbit": np.unique(routing.orbit[terminals], return_inverse=True)[1].ravel().tolist(),
        "hops": _text(routes.hops.astype("<u2")),
        "steps": _text((phases * routing.topology.degree + ports).astype(np.uint8)),
    }


def _by_destination(routing: Routing, progress: Callable[[int, int], None]) -> Bytes | None:
    """Return port with phase by node and destination; None if it depends on more than these."""
    terminals = routing.topology.terminals
    table = np.full((routing.topology.nodes, len(terminals)), NONE, np.uint8)
    step = max(1, CHUNK // len(terminals))
    for start in range(0, len(terminals), step):
        progress(start, len(terminals))
        some = terminals[start : start + step]
        source, destination = np.repeat(some, len(terminals)), np.tile(terminals, len(some))
        place = np.tile(np.arange(len(terminals)), len(some))
        for packet, node, _, _, decision in hops(routing, source, destination):
            away: BoolArray = decision.port != routing.topology.local
            at, to = node[away], place[packet][away]
            code = _codes(routing, decision.port, decision.header)[away]
            known = table[at, to]
            if ((known != NONE) & (known != code)).any():
                return None
            table[at, to] = code
            if (table[at, to] != code).any():  # two packets of one chunk that differ
                return None
    return table


def _codes(routing: Routing, port: IntArray, header: IntArray) -> Bytes:
    codes: Bytes = (routing.phase(header) * routing.topology.degree + port).astype(np.uint8)
    return codes


def _names(network: Routed) -> list[str] | None:
    """Return the names of nodes, if they are other than their numbers."""
    names = [network.topology.name(node) for node in range(network.topology.nodes)]
    return names if any(name != str(node) for node, name in enumerate(names)) else None


def _bytes(words: IntArray, width: int) -> Bytes:
    """Return words of so many bytes, the lowest first."""
    return words.astype("<i8").view(np.uint8).reshape(-1, 8)[:, :width]


def _text(array: NDArray[Any]) -> str:
    return b64encode(np.ascontiguousarray(array).tobytes()).decode()

"""The routes of a network, packed for the page's script to unfold, and their places in a drawing.

Three ways, by size. All hops of all routes with their headers; or, since routes of nodes in one
orbit are alike, ports from one node of each orbit only; or, where a node sends all that goes to one
destination the same way, that port for each node and destination.
"""

from base64 import b64encode
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from fingerpost.drawing.form import Points
from fingerpost.drawing.forms import FORMS, OTHERS
from fingerpost.drawing.network import SMALL
from fingerpost.drawing.plan import cut, head, plan
from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.network.network import Routed
from fingerpost.golden.routing.base import Routing
from fingerpost.golden.routing.walk import hops, walk
from fingerpost.golden.topology import Topology
from fingerpost.golden.topology.faulty import Faulty

HEADERS = 700_000
"""Bytes of routes with their headers, at most: else there are ports only."""

LARGEST = 1_500_000
"""Bytes of routes, at most, before they are coded in letters: four for every three bytes."""

TRIED = 4096
"""Routes after which one may guess how long they are."""

CHUNK = 200_000
"""Routes that are followed at once."""

SAMPLES = 10
"""Of a line that is bent, in a drawing: enough for the eye."""

NONE = 255
"""In a table of ports: no way, or none to go."""

Bytes = NDArray[np.uint8]


def packed(
    network: Routed, progress: Callable[[int, int], None] = lambda done, total: None
) -> dict[str, Any]:
    """Return the routes; ``way`` is how they are packed, or ``none`` with the reason ``why``."""
    topology, routing = network.topology, network.routing
    names = [topology.name(node) for node in range(topology.nodes)]
    about: dict[str, Any] = {
        "network": network.name,
        "nodes": topology.nodes,
        "degree": topology.degree,
        "names": None if names == list(map(str, range(topology.nodes))) else names,
        "ports": list(topology.port_names),
        "phases": list(routing.phases),
        "terminals": topology.terminal_nodes.tolist(),
        "neighbour": _text(topology.neighbour.astype("<i4")),
        "fields": routing.header.describe(),
    }
    return about | _ways(routing, progress)


def _ways(routing: Routing, progress: Callable[[int, int], None]) -> dict[str, Any]:
    if routing.selection == "random":
        return {"way": "none", "why": "each packet takes a random route"}
    if routing.topology.degree * len(routing.phases) >= NONE:
        return {"way": "none", "why": "there are too many ports and phases"}
    terminals = routing.topology.terminal_nodes
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
    terminals = routing.topology.terminal_nodes
    some = np.random.default_rng(0).integers(len(terminals), size=(2, TRIED))
    return float(walk(routing, *terminals[some]).hops.mean())


def _with_headers(routing: Routing, width: int) -> dict[str, Any]:
    """Pack hop by hop: what the terminal sends, then port with phase, and header, of each link."""
    topology, terminals = routing.topology, routing.topology.terminal_nodes
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
    terminals = routing.topology.terminal_nodes
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
    terminals = routing.topology.terminal_nodes
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


def _bytes(words: IntArray, width: int) -> Bytes:
    """Return words of so many bytes, the lowest first."""
    return words.astype("<i8").view(np.uint8).reshape(-1, 8)[:, :width]


def _text(array: NDArray[Any]) -> str:
    return b64encode(np.ascontiguousarray(array).tobytes()).decode()


def strokes(topology: Topology, figure: Figure) -> dict[str, Any] | None:
    """Return nodes and links in the units of the drawing; None if it does not show every node.

    Returns
    -------
    dict
        ``diameter`` of the nodes, ``thick``: of the lines of a route, ``nodes``: x and y of each,
        ``links``: for each node and port the data of an SVG path, empty without a link.
    """
    whole = topology.whole if isinstance(topology, Faulty) else topology
    drawn = FORMS.get(topology.family, OTHERS)
    if whole.nodes > drawn.largest:
        return None
    laid = plan(whole, drawn.form(whole))
    left, top = figure.axes[0].get_xlim()[0], figure.axes[0].get_ylim()[1]
    thick = max(1.8, min(4.0, laid.diameter / 7))
    links = [""] * (whole.nodes * whole.degree)
    for strand in laid.strands:
        for node, port in strand.ends:
            way = strand.way(node, port)
            rims = [0.0] * (len(way) - 1) + [laid.diameter / 2 + 1]
            links[node * whole.degree + port] = "".join(
                _arrow(line, rim, laid.diameter, thick, (left, top))
                for line, rim in zip(way, rims, strict=True)
            )
    return {
        "diameter": round(laid.diameter, 1),
        "thick": round(thick, 1),
        "nodes": [_pair(point, (left, top)) for point in laid.points.tolist()],
        "links": links,
    }


def _arrow(
    line: Points, rim: float, diameter: float, thick: float, corner: tuple[float, float]
) -> str:
    """Return a line between nodes, or over them where they are small, and the head at its end."""
    body, tip = head(line, rim, max(7.0, 2.6 * thick), diameter / 2)
    body = line if diameter < SMALL else cut(body, diameter / 2, 0.0)
    some = body[:: max(1, len(body) // SAMPLES)]
    return (
        f"{_path([*some.tolist()[:-1], body[-1].tolist()], corner)}{_path(tip.tolist(), corner)}Z"
    )


def _path(points: Sequence[Sequence[float]], corner: tuple[float, float]) -> str:
    return "M" + "L".join("{} {}".format(*_pair(point, corner)) for point in points)


def _pair(point: Sequence[float], corner: tuple[float, float]) -> tuple[float, float]:
    """Return a point of the sheet, on which y points up, in the drawing."""
    return round(point[0] - corner[0], 1), round(corner[1] - point[1], 1)

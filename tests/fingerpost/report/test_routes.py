"""Routes on the page: as tables of several kinds, and as strokes of the drawing."""

import re
from base64 import b64decode
from typing import Any

import numpy as np
import pytest

from fingerpost.commands import route as packet_route
from fingerpost.drawing import draw as drawing
from fingerpost.golden.network.network import Routed, routed
from fingerpost.netfile.source import load, read
from fingerpost.report import routes
from fingerpost.report.routes import strokes
from tests.fingerpost.common import NETWORKS

WIDTHS = {"neighbour": "<i4", "hops": "<u2"}


def unpacked(packed: dict[str, Any], name: str) -> Any:
    return np.frombuffer(b64decode(packed[name]), WIDTHS.get(name, "u1"))


def pairs(network: Routed, count: int = 20) -> list[tuple[int, int]]:
    some = np.random.default_rng(5).choice(network.topology.terminals, (count, 2))
    return [(0, 0), *((int(start), int(end)) for start, end in some)]


def told(network: Routed, start: int, end: int) -> list[tuple[int, str]]:
    facts = packet_route.facts(network, str(start), str(end))
    return list(zip(facts["ports"], facts["phases"], strict=True))


def meant(packed: dict[str, Any], codes: Any) -> list[tuple[int, str]]:
    return [
        (int(code) % packed["degree"], packed["phases"][int(code) // packed["degree"]])
        for code in codes
    ]


def row(packed: dict[str, Any], number: int) -> slice:
    hops = unpacked(packed, "hops")
    start = int(hops[:number].sum())
    return slice(start, start + int(hops[number]))


@pytest.mark.parametrize("name", ["borel-21", "kyklos-2-2-4", "braided-ring-16"])
def test_small_networks_have_headers(name: str) -> None:
    network = load(NETWORKS / f"{name}.yaml")
    packed = routes.packed(network)
    assert packed["way"] == "with headers"
    names = [network.topology.name(node) for node in range(network.topology.nodes)]
    assert packed["names"] == (None if names == [str(n) for n in range(len(names))] else names)
    routing, topology = network.routing, network.topology
    width, terminals = packed["width"], packed["terminals"]
    weights = 256 ** np.arange(width)
    sent = unpacked(packed, "sent").reshape(-1, width) @ weights
    headers = unpacked(packed, "headers").reshape(-1, width) @ weights
    assert unpacked(packed, "neighbour").tolist() == topology.neighbour.ravel().tolist()
    for start, end in pairs(network):
        number = terminals.index(start) * len(terminals) + terminals.index(end)
        there = row(packed, number)
        assert meant(packed, unpacked(packed, "steps")[there]) == told(network, start, end)
        node, arrival, header = np.array([start]), np.array([topology.local]), sent[[number]]
        for onward in headers[there]:
            decision = routing.decide(node, arrival, header)
            assert decision.header.tolist() == [onward]
            arrival = topology.arrival_port[node, decision.port]
            node, header = topology.neighbour[node, decision.port], decision.header
        assert routing.decide(node, arrival, header).port.tolist() == [topology.local]
        assert node.tolist() == [end]


def image(network: Routed, source: int, target: int) -> list[int]:
    """Every node as the symmetry that takes one node to another sees it."""
    neighbour, found = network.topology.neighbour, {source: target}
    queue = [source]
    for node in queue:
        for port, following in enumerate(neighbour[node].tolist()):
            if following not in found:
                found[following] = int(neighbour[found[node], port])
                queue.append(following)
    return [found[node] for node in range(network.topology.nodes)]


@pytest.mark.parametrize(
    ("name", "orbits"), [("borel-21-shortest", 3), ("star-4", 2), ("scc-4", 6), ("torus-8x8", 2)]
)
def test_routes_of_one_node_of_each_orbit_stand_for_all(
    name: str, orbits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routes, "HEADERS", 0)
    network = read(NETWORKS / f"{name}.yaml").routed()
    packed = routes.packed(network)
    assert packed["way"] == "from orbits"
    first, steps = packed["first"], unpacked(packed, "steps")
    assert len(first) >= orbits
    for start, end in pairs(network):
        orbit = packed["orbit"][start]
        seen = image(network, first[orbit], start).index(end)
        there = row(packed, orbit * network.topology.nodes + seen)
        assert meant(packed, steps[there]) == told(network, start, end)


def test_ports_by_destination(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routes, "HEADERS", 0)
    monkeypatch.setattr(routes, "LARGEST", 16 * 46)
    monkeypatch.setattr(routes, "CHUNK", 40)
    table = read(NETWORKS / "kyklos-2-2-4.yaml").changed(routing="table").routed()
    seen: list[tuple[int, int]] = []
    packed = routes.packed(table, lambda done, total: seen.append((done, total)))
    assert packed["way"] == "by destination"
    assert seen == [(start, 16) for start in range(0, 16, 2)]
    ports = unpacked(packed, "table").reshape(46, 16)
    for start, end in pairs(table):
        node = start
        for port, _ in told(table, start, end):
            assert ports[node, end] == port
            node = int(table.topology.neighbour[node, port])
    monkeypatch.setattr(routes, "LARGEST", 16 * 46 - 1)
    random = routed({"name": "scc", "topology": {"family": "scc", "n": 3},
                     "routing": {"algorithm": "random"}})  # fmt: skip
    for network, why in (
        (table, "all 256 routes would make the page too large"),
        (random, "each packet takes a random route"),
    ):
        packed = routes.packed(network)
        assert (packed["way"], packed["why"]) == ("none", why)
    classes = read(NETWORKS / "metacyclic-513.yaml").routed()  # without nodes to lay a route on
    assert strokes(classes.topology, drawing.figure(classes)) is None


@pytest.mark.parametrize("chunk", [1, 1000])
def test_routes_that_part_are_no_table_of_ports(
    chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routes, "CHUNK", chunk)  # they part in one chunk, and between two
    two_phase = load(NETWORKS / "borel-21.yaml").routing
    assert routes._by_destination(two_phase, lambda done, total: None) is None


def points(path: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in re.findall(r"([-\d.]+) ([-\d.]+)", path)]


@pytest.mark.parametrize(
    "name",
    ["borel-21", "scc-4", "torus-8x8", pytest.param("torus-32x32", marks=pytest.mark.regress)],
)
def test_links_lead_from_node_to_node_within_the_drawing(name: str) -> None:
    network = read(NETWORKS / f"{name}.yaml").routed()
    figure = drawing.figure(network)
    found = strokes(network.topology, figure)
    assert found is not None
    size = figure.get_size_inches() * 72
    nodes, radius = np.array(found["nodes"]), found["diameter"] / 2
    assert (nodes > radius).all()
    assert (nodes < size - radius).all()
    neighbour = network.topology.neighbour
    for path, end in zip(found["links"], neighbour.ravel(), strict=True):
        assert (path == "") == (end < 0)
    for node, port in np.argwhere(neighbour >= 0).tolist():
        path = found["links"][node * network.topology.degree + port]
        start, tip = points(path)[0], points(path[path.rindex("M") :])[0]
        # Small nodes are so near that lines run over them, from middle to middle.
        reach = radius if found["diameter"] >= 12 else 0.0
        assert np.hypot(*(nodes[node] - start)) == pytest.approx(reach, abs=0.2)
        end = nodes[neighbour[node, port]]
        assert np.hypot(*(end - tip)) == pytest.approx(radius + 1, abs=0.3)

"""Routes, decisions of every algorithm, and what becomes of all headers that terminals can send."""

import json
import re
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import yaml
from numpy.typing import NDArray

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.network.network import routed
from fingerpost.golden.routing import ALGORITHMS, Routing
from fingerpost.golden.routing.walk import (
    CHUNK,
    raw_headers,
    walk,
)
from fingerpost.netfile.source import read
from tests.golden.graphs import Edges, Rule, minimal
from tests.golden.test_refusals import keys, topology
from tests.networks import BOREL, CASES, NETWORKS


@pytest.fixture
def ring() -> Edges:
    """0 - 1 - 2 - 3 - 4 - 0; the ports of node 0 lead to 1 and 4, those of node 4 to 0 and 3."""
    return Edges(nx.cycle_graph(5))


def test_routes_are_padded_behind_the_last_hop(ring: Edges) -> None:
    routes = walk(minimal(ring), np.array([4, 2, 2, 2]), np.array([1, 0, 2, 3]))
    assert routes.nodes.tolist() == [[4, 0, 1], [2, 1, 0], [2, -1, -1], [2, 3, -1]]
    assert routes.ports.tolist() == [[0, 0], [0, 0], [-1, -1], [1, -1]]
    assert routes.phases.tolist() == [[0, 0], [0, 0], [-1, -1], [0, -1]]
    assert routes.hops.tolist() == [2, 2, 0, 1]
    one_source = walk(minimal(ring), np.array(0), np.arange(5))
    assert one_source.hops.tolist() == [0, 1, 2, 2, 1]


def to_and_fro_to(last: int) -> Rule:
    """On the path 0 - 1 - 2 - 3: from 0 to 1 and back, and then on to `last`."""
    topology = Edges(nx.path_graph(4))
    ports = iter([0, 0, 0, 1, 1][: last + 2])
    return Rule(topology, lambda node, destination: next(ports, topology.local))


def test_as_many_hops_as_nodes_are_allowed() -> None:
    routes = walk(to_and_fro_to(2), np.array([0]), np.array([2]))
    assert routes.nodes.tolist() == [[0, 1, 0, 1, 2]]


def test_refuses_one_hop_more_than_nodes() -> None:
    with pytest.raises(ValueError, match=r"^rule needs more than n = 4 hops from 0 to 3$"):
        walk(to_and_fro_to(3), np.array([0]), np.array([3]))


def test_refuses_a_packet_delivered_elsewhere(ring: Edges) -> None:
    early = Rule(ring, lambda node, destination: ring.local if node == 2 else 1)
    message = r"^rule delivers a packet from 1 to 2, not to 3$"
    with pytest.raises(ValueError, match=message):
        walk(early, np.array([2, 1]), np.array([2, 3]))


KYKLOS = {"family": "kyklos", "m": 3, "r": 2, "n": 2}  # some digits are none

OPTIONS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    *((case["topology"], case["routing"]) for case in CASES.values()),
    *((KYKLOS, {"algorithm": name}) for name in ("m", "h2", "p2", "modified-p2", "up-down")),
    (KYKLOS | {"r": 3, "n": 3, "variant": "I"}, {"algorithm": "m"}),
    ({"family": "super-rotator", "nodes": 23}, {"algorithm": "class", "link": "first"}),
    ({"family": "grid", "sizes": [5, 6, 2]}, {"algorithm": "dimension-order"}),
]

WIDER = [
    path.stem
    for path in sorted(NETWORKS.glob("*.yaml"))
    if not path.stem.endswith("-deflection")  # these have no routes
    and ("15657" in path.stem or read(path).topology().nodes > 120)
]


LARGE = "scc-5", "metacyclic-7550", "borel-1081-set", "borel-15657", "borel-17525"
LONG = [name for name in WIDER if name.startswith(LARGE)]
"""As others, but larger, or with other generators."""


TRIED = 1 << 17
"""Headers of a case about as many as this, at some of its nodes."""


def of(topology: dict[str, Any], routing: dict[str, Any]) -> Routing:
    return routed({"name": "test", "topology": topology, "routing": routing}).routing


GRIDS: dict[str, dict[str, Any]] = {
    "mesh": {"sizes": [3, 2]},
    "even torus": {"sizes": [4, 4], "wrap": True},
    "odd torus": {"sizes": [5, 3], "wrap": True},
}

SYMMETRIC = CASES | {
    name: {
        "name": "case",
        "topology": {"family": "grid", **sizes},
        "routing": {"algorithm": "dimension-order"},
    }
    for name, sizes in GRIDS.items()
}


@cache
def of_case(name: str) -> Routing:
    return routed(SYMMETRIC[name]).routing


def of_file(name: str) -> Routing:
    return read(NETWORKS / f"{name}.yaml").routed().routing


def first_steps(routing: Routing, node: int, raw: Any) -> set[tuple[int, int]]:
    """Return the ports and next headers of what is let in, whatever the selection is."""
    at, local = np.full_like(raw, node), np.full_like(raw, routing.topology.local)
    steps = set()
    most = 1 << routing.selection_width
    for selection in range(0, most, max(1, most // 64)):
        port, header, error = routing.decide(at, local, raw, np.full_like(raw, selection))
        good = error == 0
        both = np.unique(np.stack([port[good], header[good]], axis=1), axis=0)
        steps |= {(int(p), int(h)) for p, h in both}
    return steps


def let_in(routing: Routing, node: int, raw: IntArray) -> IntArray:
    """Return the different headers that are made at the terminal of a node of those let in."""
    here, local = np.full_like(raw, node), np.full_like(raw, routing.topology.local)
    header, _ = routing.generate_header(here, raw)
    return np.unique(header[routing.decide(here, local, raw).error == 0])


def check_sent(routing: Routing, node: int) -> IntArray:
    """What terminals can send becomes what encoded headers become, or is refused."""
    terminals = routing.topology.terminals
    good = let_in(routing, node, routing.encode(np.full_like(terminals, node), terminals))
    found = [let_in(routing, node, raw) for raw in raw_headers(routing)]
    assert np.unique(np.concatenate(found)).tolist() == good.tolist()
    return good


def check_every_bit(routing: Routing, nodes: list[int]) -> None:
    """All that name no terminal are refused; the others go on as encoded ones do."""
    terminals = routing.topology.terminals
    width = routing.header.width
    for node in nodes:
        good = routing.encode(np.full_like(terminals, node), terminals)
        expected = first_steps(routing, node, good)
        for begin in range(0, 1 << width, CHUNK):
            raw = np.arange(begin, min(1 << width, begin + CHUNK))
            assert first_steps(routing, node, raw) <= expected
        for raw in raw_headers(routing):
            at, local = np.full_like(raw, node), np.full_like(raw, routing.topology.local)
            accepted = raw[routing.decide(at, local, raw).error == 0]
            assert set(accepted.tolist()) <= set(good.tolist())
        assert len(check_sent(routing, node)) == len(terminals)


@pytest.mark.parametrize(
    ("topology", "routing"), OPTIONS, ids=lambda part: "-".join(map(str, part.values()))
)
def test_every_header_of_every_algorithm(topology: dict[str, Any], routing: dict[str, Any]) -> None:
    it = of(topology, routing)
    terminals = it.topology.terminals
    some = terminals[:: 3 if len(terminals) <= 24 else 11].tolist()
    check_every_bit(it, some[: max(2, TRIED >> it.header.width)])


@pytest.mark.parametrize(
    "name", [pytest.param(x, marks=[pytest.mark.regress] if x in LONG else []) for x in WIDER]
)
def test_headers_of_a_large_network_file(name: str) -> None:
    # Where there are too many headers, all values of the fields that a terminal sends are tried,
    # and that all other bits are ignored.
    routing = of_file(name)
    terminals = routing.topology.terminals
    first = terminals[np.unique(routing.orbit[terminals], return_index=True)[1]]
    rng = np.random.default_rng(5)
    for node in first[:4].tolist():
        check_sent(routing, node)
    sent = [routing.header[field] for field in routing.sent]
    mask = sum({1 << f.offset + i for f in sent for i in range(f.width)})
    raw = rng.integers(1 << routing.header.width, size=CHUNK)
    # Mostly those that are let in, with the other bits at random.
    node = rng.choice(terminals, CHUNK)
    good = routing.encode(node, rng.choice(terminals, CHUNK))
    raw = np.where(rng.random(CHUNK) < 0.8, good | raw & ~mask, raw)
    local = np.full_like(node, routing.topology.local)
    for one, other in zip(
        (*routing.generate_header(node, raw), *routing.decide(node, local, raw)),
        (*routing.generate_header(node, raw & mask), *routing.decide(node, local, raw & mask)),
        strict=True,
    ):
        assert (one == other).all()


def test_raw_headers_are_all_values_of_what_is_sent() -> None:
    routing = of(BOREL | {"A": [1, 1], "B": [2, 4]}, {"algorithm": "two-phase"})
    found = np.concatenate(list(raw_headers(routing))).tolist()
    values = [
        tuple(int(routing.header.cut(name, np.array(raw))) for name in ("phase", "c", "x"))
        for raw in found
    ]
    assert sorted(values) == [(p, c, x) for p in range(2) for c in range(4) for x in range(8)]


def test_too_many_headers_are_refused() -> None:
    routing = of({"family": "rotator", "n": 8}, {"algorithm": "rotator"})
    assert routing.header.width == 24
    assert next(raw_headers(routing)).tolist() == list(range(CHUNK))
    routing = of({"family": "star", "n": 9}, {"algorithm": "near-minimal"})
    message = "Header generation needs headers with at most 24 bits sent to be tried out, not 36"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        next(raw_headers(routing))


@pytest.fixture(scope="module", params=CASES)
def routing(request: pytest.FixtureRequest) -> Routing:
    return of_case(request.param)


HEADERS = yaml.load(Path(__file__).with_name("headers.yaml").read_text("utf-8"), yaml.CSafeLoader)


@pytest.mark.parametrize("row", HEADERS, ids=lambda row: f"{row['routing']}-{row['topology'][:20]}")
def test_header_tables_and_constants(row: dict[str, Any]) -> None:
    name, options = keys(row["routing"])
    make: Any = ALGORITHMS[name]
    found: Routing = make(topology(row["topology"]), **options)
    told = {
        "header": {
            f["name"]: [f["offset"], f["width"], f["meaning"]] for f in found.header.describe()
        },
        "constants": json.loads(json.dumps(found.constants())),
        "table_bits": found.table_bits(),
        "header_cycles": found.header_cycles,
        "selection": found.selection,
        "relative": found.relative,
        "width": found.header.width,
    }
    assert list(row.get("header", found.header)) == list(found.header)
    for key in row.keys() - {"topology", "routing", "encoded"}:
        assert told[key] == row[key], key
    for source, destination, fields in row.get("encoded", []):
        ends = [np.array(found.topology.node(str(name))) for name in (source, destination)]
        assert found.encode(*ends) == found.header.pack(**fields)


def test_decisions_keep_the_shape_of_their_arguments(routing: Routing) -> None:
    terminals, local = routing.topology.terminals, routing.topology.local
    node = terminals[: len(terminals) // 2 * 2].reshape(2, -1)
    header = routing.encode(node, node[::-1])
    assert header.shape == node.shape
    decision = routing.decide(node, np.full_like(node, local), header)
    assert {part.shape for part in decision} == {node.shape}
    one = routing.decide(node[0, 0], np.array(local), header[0, 0])
    assert {part.shape for part in one} == {()}


def test_packet_to_oneself_is_delivered_at_once(routing: Routing) -> None:
    node, local = routing.topology.terminals, routing.topology.local
    port, _, error = routing.decide(node, np.full_like(node, local), routing.encode(node, node))
    assert (port == local).all()
    assert not error.any()


FREE = [name for name in CASES if of_case(name).selection == "free"]


@pytest.mark.parametrize("name", FREE)
def test_the_first_free_of_the_ports_in_order_is_taken_else_the_first(name: str) -> None:
    routing, rng = of_case(name), np.random.default_rng(1)
    topology, ports = routing.topology, routing.topology.local + 1
    node, arrival = rng.integers(topology.nodes, size=300), rng.integers(ports, size=300)
    header = rng.integers(1 << routing.header.width, size=300)
    accepted = routing.decide(node, arrival, header).error == 0
    node, arrival, header = node[accepted], arrival[accepted], header[accepted]
    packet, every = routing.alternatives(node, arrival, header)
    orders = [every.port[packet == each].tolist() for each in range(len(node))]
    assert max(map(len, orders)) > 1
    for _ in range(20):
        free = rng.integers(1 << ports, size=len(node))
        taken = routing.decide(node, arrival, header, free).port.tolist()
        for port, order, some in zip(taken, orders, free.tolist(), strict=True):
            assert port == next((way for way in order if some >> way & 1), order[0])


def test_any_bits_are_decided(routing: Routing) -> None:
    topology, rng = routing.topology, np.random.default_rng(1)
    node = rng.integers(topology.nodes, size=500)
    header = rng.integers(1 << routing.header.width, size=500)
    for arrival, told in product(range(topology.local + 1), (None, np.ones_like(node))):
        port, onward, error = routing.decide(node, np.full_like(node, arrival), header, told)
        assert set(error.tolist()) <= {0, 1}
        good = error == 0
        assert ((port[good] >= 0) & (port[good] <= topology.local)).all()
        assert ((onward[good] >= 0) & (onward[good] < 1 << routing.header.width)).all()


RELATIVE = [name for name in CASES if of_case(name).relative]


@pytest.mark.parametrize("name", RELATIVE)
def test_nodes_of_an_orbit_decide_alike_on_the_way(name: str) -> None:
    routing, rng = of_case(name), np.random.default_rng(2)
    node = rng.integers(routing.topology.nodes, size=500)
    header, told = rng.integers([[1 << routing.header.width], [1 << 16]], size=(2, 500))
    others = [rng.choice(np.flatnonzero(routing.orbit == orbit)) for orbit in routing.orbit[node]]
    alike = np.array(others)
    assert (alike != node).any()
    for arrival in range(routing.topology.local):
        here, there = (
            routing.decide(at, np.full_like(at, arrival), header, told) for at in (node, alike)
        )
        assert all((one == other).all() for one, other in zip(here, there, strict=True))


def crossings(routing: Routing) -> NDArray[np.float64]:
    """Return how many packets cross the links of each orbit, by source: one goes to each terminal.

    Packets that have several ways take each with the same probability.
    """
    topology = routing.topology
    terminals, orbits = topology.terminals, int(routing.orbit.max()) + 1
    source = np.repeat(np.arange(len(terminals)), len(terminals))
    node, destination = terminals[source], np.tile(terminals, len(terminals))
    arrival, header = np.full_like(node, topology.local), routing.encode(node, destination)
    crossed = np.zeros((len(terminals), orbits, topology.degree))
    share = np.ones(len(node))
    for _ in range(topology.nodes + 1):
        packet, decision = routing.alternatives(node, arrival, header)
        share = share[packet] / np.bincount(packet)[packet]
        away = decision.port != topology.local
        source, node, port, header = (
            column[away]
            for column in (source[packet], node[packet], decision.port, decision.header)
        )
        np.add.at(crossed, (source, routing.orbit[node], port), share[away])
        there = topology.neighbour[node, port], topology.arrival_port[node, port]
        states, same = np.unique(np.stack([source, *there, header]), axis=1, return_inverse=True)
        source, node, arrival, header = states
        before, share = share[away], np.zeros(states.shape[1])
        np.add.at(share, same.ravel(), before)
        if not len(node):
            return crossed
    raise AssertionError("a packet goes on for more than n hops")


def differ_within_orbits(routing: Routing) -> bool:
    """Return whether a node has other routes than the first one of its orbit."""
    crossed, orbit = crossings(routing), routing.orbit[routing.topology.terminals]
    _, first, which = np.unique(orbit, return_index=True, return_inverse=True)
    return not np.allclose(crossed, crossed[first[which.ravel()]])


@pytest.mark.parametrize("name", SYMMETRIC)
def test_nodes_of_an_orbit_have_the_same_routes(name: str) -> None:
    assert not differ_within_orbits(of_case(name))


@pytest.mark.parametrize("name", ["table-super-rotator", "even torus"])
def test_an_algorithm_that_claims_more_symmetry_than_it_has_is_found(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    routing = routed(SYMMETRIC[name]).routing
    one = np.zeros(routing.topology.nodes, np.int64)
    monkeypatch.setattr(type(routing), "orbit", one)
    assert differ_within_orbits(routing)

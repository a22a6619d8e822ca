"""What every algorithm does, on the examples of its families and with each of its choices."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from fingerpost.golden.network.network import routed
from fingerpost.golden.routing import ALGORITHMS, Routing
from tests.golden.test_refusals import keys, topology
from tests.networks import CASES


@pytest.fixture(scope="module", params=CASES.values(), ids=[*CASES])
def routing(request: pytest.FixtureRequest) -> Routing:
    return routed(request.param).routing


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


FREE = {name: case for name, case in CASES.items() if routed(case).routing.selection == "free"}


@pytest.mark.parametrize("name", FREE)
def test_the_first_free_of_the_ports_in_order_is_taken_else_the_first(name: str) -> None:
    routing, rng = routed(CASES[name]).routing, np.random.default_rng(1)
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


@pytest.mark.parametrize("selection", [None, 1])
def test_any_bits_are_decided(routing: Routing, selection: Any) -> None:
    topology, rng = routing.topology, np.random.default_rng(1)
    node = rng.integers(topology.nodes, size=500)
    header = rng.integers(1 << routing.header.width, size=500)
    for arrival in range(topology.local + 1):
        told = None if selection is None else np.full_like(node, selection)
        port, onward, error = routing.decide(node, np.full_like(node, arrival), header, told)
        assert set(error.tolist()) <= {0, 1}
        good = error == 0
        assert ((port[good] >= 0) & (port[good] <= topology.local)).all()
        assert ((onward[good] >= 0) & (onward[good] < 1 << routing.header.width)).all()


RELATIVE = {name: case for name, case in CASES.items() if routed(case).routing.relative}


@pytest.mark.parametrize("name", RELATIVE)
def test_nodes_of_an_orbit_decide_alike_on_the_way(name: str) -> None:
    routing, rng = routed(RELATIVE[name]).routing, np.random.default_rng(2)
    node = rng.integers(routing.topology.nodes, size=500)
    header, told = rng.integers([[1 << routing.header.width], [1 << 16]], size=(2, 500))
    alike = [rng.choice(np.flatnonzero(routing.orbit == orbit)) for orbit in routing.orbit[node]]
    assert (alike != node).any()
    for arrival in range(routing.topology.local):
        here, there = (
            routing.decide(at, np.full_like(at, arrival), header, told)
            for at in (node, np.array(alike))
        )
        assert all((one == other).all() for one, other in zip(here, there, strict=True))

"""Every registered algorithm on the examples of its families; test_families has lock-step."""

from typing import Any

import networkx as nx
import numpy as np
import pytest

from fingerpost.golden.network.network import routed
from fingerpost.golden.routing import ALGORITHMS
from fingerpost.golden.routing.generated import encoded, generated_headers
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.topology import FAMILIES
from fingerpost.hdl.routing import UNITS, header_generator, routing_unit
from tests.golden.graphs import Edges, minimal
from tests.hdl.routing.common import mismatches
from tests.networks import CASES, EXAMPLES

EACH = pytest.mark.parametrize("description", CASES.values(), ids=CASES)


def test_every_algorithm_has_its_twins() -> None:
    lacking = set(ALGORITHMS) - set(UNITS)
    assert not lacking, (
        f"{lacking} need a routing unit and a header generator in fingerpost.hdl.routing.UNITS"
    )
    lacking = set(UNITS) - set(ALGORITHMS)
    assert not lacking, f"{lacking} need a line in fingerpost.golden.routing.ALGORITHMS"
    for name, twins in UNITS.items():
        assert twins[0].algorithm == name


def test_every_algorithm_and_every_choice_is_tried() -> None:
    assert {case["routing"]["algorithm"] for case in CASES.values()} == set(ALGORITHMS)
    assert {"two-phase-borel-computed", "greedy-scc-none", "table-edge-list-first"} < set(CASES)


@pytest.mark.parametrize("make", [routing_unit, header_generator])
def test_an_algorithm_without_a_twin_is_told(make: Any) -> None:
    message = (
        r"^Hardware needs a routing unit and a header generator for the algorithm rule in "
        r"fingerpost\.hdl\.routing\.UNITS, not those of two-phase, .* alone$"
    )
    with pytest.raises(ValueError, match=message):
        make(minimal(Edges(nx.path_graph(3))))


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_has_an_example_whose_links_end_where_they_lead(family: str) -> None:
    topology = FAMILIES[family](**EXAMPLES[family])
    node, port = np.nonzero(topology.neighbour >= 0)
    there, by = topology.neighbour[node, port], topology.arrival_port[node, port]
    assert (topology.origin[there, by] == node).all()
    assert (topology.arrival_port >= 0).sum() == len(node) > 0
    assert len(topology.port_names) == topology.degree
    for name in range(topology.nodes):
        assert topology.node(topology.name(name)) == name


@EACH
def test_every_packet_arrives(description: dict[str, Any]) -> None:
    routing = routed(description).routing
    terminals = routing.topology.terminals
    routes = walk(routing, np.repeat(terminals, len(terminals)), np.tile(terminals, len(terminals)))
    assert (routes.hops == 0).sum() == len(terminals)


@EACH
def test_terminals_can_send_nothing_else(description: dict[str, Any]) -> None:
    routing = routed(description).routing
    terminals, rng = routing.topology.terminals, np.random.default_rng(0)
    for node in terminals[:2].tolist():
        found = generated_headers(routing, node).tolist()
        assert found == encoded(routing, node).tolist()
        assert len(found) == len(terminals)
    # All bits but those of the fields that it sends are ignored.
    sent = [routing.header[name] for name in routing.sent]
    mask = sum({1 << f.offset + i for f in sent for i in range(f.width)})
    source = rng.choice(terminals, 2000)
    good = routing.encode(source, rng.choice(terminals, 2000))
    raw = rng.integers(1 << routing.header.width, size=2000)
    local = np.full_like(source, routing.topology.local)
    for header in (raw, good | raw & ~mask):
        one, other = (routing.decide(source, local, some) for some in (header, header & mask))
        assert (one.error == other.error).all()
        let_in = one.error == 0
        assert (one.port == other.port)[let_in].all()
        assert (one.header == other.header)[let_in].all()


@EACH
def test_hardware_decides_like_golden(description: dict[str, Any]) -> None:
    assert mismatches(description["topology"], description["routing"], count=200) == []

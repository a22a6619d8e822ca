"""Every registered algorithm, from decisions to lock-step, on the examples of its families."""

from inspect import signature
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import networkx as nx
import numpy as np
import pytest

from fingerpost.golden.network.network import build, routed
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.routing import ALGORITHMS, Routing
from fingerpost.golden.routing.generated import encoded, generated_headers
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.topology import FAMILIES
from fingerpost.hdl.routing import UNITS, header_generator, routing_unit
from fingerpost.testbench.benches import make
from fingerpost.testbench.cosim import run
from tests.golden.graphs import Edges, minimal
from tests.hdl.routing.common import mismatches
from tests.networks import EXAMPLES

ANY = ("edge-list", "super-rotator")
"""Where algorithms for any family are tried: links both ways, and one way."""


def choices(algorithm: type[Routing]) -> list[dict[str, Any]]:
    """Return no options, and each choice that is not a default by itself."""
    hints = get_type_hints(algorithm.__init__)
    return [
        {},
        *(
            {key: choice}
            for key, argument in signature(algorithm).parameters.items()
            if get_origin(hints.get(key)) is Literal
            for choice in get_args(hints[key])
            if choice != argument.default
        ),
    ]


def serves(algorithm: type[Routing], family: str) -> bool:
    """Return whether an algorithm takes networks of a family, by its own word."""
    if algorithm.families:
        return family in algorithm.families
    make: Any = algorithm
    try:
        make(FAMILIES[family](**EXAMPLES[family]))
    except ParameterError as error:
        return error.key != "algorithm"
    return True


CASES: dict[str, dict[str, Any]] = {
    "-".join([name, family, *map(str, options.values())]): {
        "name": "case",
        "topology": {"family": family, **EXAMPLES[family]},
        "routing": {"algorithm": name, **options},
    }
    for name, algorithm in ALGORITHMS.items()
    for family in algorithm.families or ANY
    if serves(algorithm, family)
    for options in choices(algorithm)
}
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


@pytest.mark.regress
@EACH
def test_hardware_keeps_step_with_golden(description: dict[str, Any], tmp_path: Path) -> None:
    network = build(description)
    bench = make(network, "network", cycles=100)
    result = run(bench, simulator="icarus", directory=tmp_path)
    assert (result.mismatches, result.message) == (0, "")
    assert result.details["delivered"] == result.details["packets"] > 0

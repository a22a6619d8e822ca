"""Every registered algorithm on the examples of its families; test_families has lock-step."""

from typing import Any

import networkx as nx
import pytest

from fingerpost.golden.routing import ALGORITHMS
from fingerpost.hdl.routing import UNITS, header_generator, routing_unit
from tests.golden.graphs import Edges, minimal
from tests.hdl.routing.common import mismatches
from tests.networks import CASES

EACH = pytest.mark.parametrize("description", CASES.values(), ids=CASES)


def test_every_algorithm_has_its_twins() -> None:
    lacking = set(ALGORITHMS) - set(UNITS)
    assert not lacking, f"{lacking} need a routing unit in fingerpost.hdl.routing.UNITS"
    lacking = set(UNITS) - set(ALGORITHMS)
    assert not lacking, f"{lacking} need a line in fingerpost.golden.routing.ALGORITHMS"


def test_every_algorithm_and_every_choice_is_tried() -> None:
    assert {case["routing"]["algorithm"] for case in CASES.values()} == set(ALGORITHMS)
    assert {"two-phase-borel-computed", "greedy-scc-none", "table-edge-list-first"} < set(CASES)


@pytest.mark.parametrize("make", [routing_unit, header_generator])
def test_an_algorithm_without_a_twin_is_told(make: Any) -> None:
    message = (
        r"^Hardware needs a routing unit for the algorithm rule in "
        r"fingerpost\.hdl\.routing\.UNITS, not those of two-phase, .* alone$"
    )
    with pytest.raises(ValueError, match=message):
        make(minimal(Edges(nx.path_graph(3))))


@EACH
def test_hardware_decides_like_golden(description: dict[str, Any]) -> None:
    assert mismatches(description["topology"], description["routing"], count=200) == []

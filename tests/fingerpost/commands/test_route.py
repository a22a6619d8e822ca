from pathlib import Path

import pytest

from fingerpost.commands.route import facts, render
from fingerpost.golden.network.network import Network
from tests.fingerpost.common import Run


@pytest.mark.parametrize(("source", "destination"), [("0", "16"), ("0,0", "1,5"), ("0", "1,5")])
def test_json_by_number_or_label(run: Run, borel21: Path, source: str, destination: str) -> None:
    ended = run("route", borel21, source, destination, "--json")
    assert (ended.status, ended.err) == (0, "")
    told = ended.json
    del told["provenance"]
    assert told == {
        "schema": 1,
        "network": "borel-21",
        "algorithm": "two-phase",
        "nodes": [0, 4, 10, 16],
        "ports": [1, 0, 0],
        "hops": 3,
        "names": ["0,0", "1,1", "1,3", "1,5"],
        "port_names": ["B", "A", "A"],
        "phases": ["phase I", "phase II", "phase II"],
        "distance": 3,
    }


def test_human_answer_has_a_line_for_each_phase(run: Run, borel21: Path) -> None:
    assert run("route", borel21, 0, 16).out.splitlines() == [
        "borel-21, two-phase: 3 hops, the shortest path has 3",
        "phase I   0 (0,0) --B--> 4 (1,1)",
        "phase II  4 (1,1) --A--> 10 (1,3) --A--> 16 (1,5)",
    ]


def test_route_to_itself(network: Network) -> None:
    route = facts(network, "5", "5")
    assert (route["nodes"], route["ports"], route["hops"], route["distance"]) == ([5], [], 0, 0)
    assert render(route).splitlines()[1:] == ["5 (2,1) is the destination"]


def test_distance_is_exact_where_the_route_is_longer(borel1081: Network) -> None:
    route = facts(borel1081, "0", "6,46")
    assert route["hops"] > route["distance"] > 0
    neighbour = borel1081.topology.neighbour
    steps = zip(route["nodes"], route["ports"], strict=False)
    assert [int(neighbour[node, port]) for node, port in steps] == route["nodes"][1:]

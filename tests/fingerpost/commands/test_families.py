"""Questions on the command line about networks of every family, and routes in them."""

from pathlib import Path

import networkx as nx
import pytest

from fingerpost.commands.route import facts, render
from fingerpost.golden.network.network import Network
from tests.fingerpost.common import NETWORKS, Run

LARGE = "1081", "2943", "15657", "17525", "scc-5", "32x32"
"""Never simulated here."""

LONG = {
    *("metacyclic-7550", "borel-21-os-link", "petersen-transputers", "borel-21-axi-deflection"),
    *("borel-21-axi", "mesh-4x4-axi", "mesh-2x2-mailbox"),
}
"""Large, slow links, or a compilation of their own."""

FILES = [
    pytest.param(path.stem, marks=[pytest.mark.regress] if path.stem in LONG else [])
    for path in sorted(NETWORKS.glob("*.yaml"))
    if not any(size in path.stem for size in LARGE)
]


@pytest.mark.parametrize("name", FILES)
def test_every_family_can_be_simulated(run: Run, name: str) -> None:
    net = NETWORKS / f"{name}.yaml"
    # A flit takes a cycle on a link in a chip, and some hundreds on an OS-Link.
    slow = {"borel-21-os-link": (0.003, 1200), "petersen-transputers": (0.001, 1200)}
    load, cycles = slow.get(name, (0.05, 400))
    ended = run("simulate", net, "--load", load, "--cycles", cycles, "--seed", 1, "--json")
    assert ended.err == ""
    facts = ended.json
    # So few cycles do not always tell.
    assert (facts["outcome"], ended.status) in {("stable", 0), ("undecided", 5)}
    assert facts["accepted"] == pytest.approx(facts["offered"], rel=0.25)
    assert facts["latency"]["median"] <= facts["latency"]["p99"]


@pytest.mark.parametrize(
    ("name", "source", "destination", "hops"),
    [
        ("borel-21-ring", "0,0", "1,5", 3),
        ("star-4", "4321", "1234", 4),
        ("scc-4", "3:3412", "2:1234", 7),
        ("kyklos-2-2-4", "L3", "L12", 8),
        ("rotator-4", "2341", "1234", 3),
        ("super-rotator-23", "3", "22", 3),
        ("petersen", "0", "7", 2),
        ("braided-ring-16", "0", "15", 8),
        ("torus-8x8", "6,1", "2,7", 6),
    ],
)
def test_nodes_can_be_named_by_labels(
    run: Run, name: str, source: str, destination: str, hops: int
) -> None:
    facts = run("route", NETWORKS / f"{name}.yaml", source, destination, "--json").json
    assert (facts["names"][0], facts["names"][-1]) == (source, destination)
    assert facts["hops"] == len(facts["ports"]) == hops == facts["distance"]


def test_mean_distance_is_over_all_nodes_and_over_terminals(run: Run) -> None:
    facts = run("info", NETWORKS / "kyklos-2-2-4.yaml", "--json").json
    assert (facts["nodes"], facts["terminals"]) == (46, 16)
    # kyklos-1988, Table 3: P-2 is minimal; its average over all N^2 pairs at N = 16 is 4.625.
    assert facts["terminal_mean_distance"] == pytest.approx(4.625 * 16 / 15)
    assert facts["terminal_diameter"] == 8


def test_network_too_large_for_a_proof_is_described_all_the_same(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fingerpost.golden.deadlock.state_graph.LARGEST", 100)
    ended = run("info", NETWORKS / "petersen.yaml")
    assert "not known" not in ended.out
    big = NETWORKS / "braided-ring-16.yaml"
    ended = run("info", big)
    assert ended.status == 0
    assert "not known: too many routes for a proof, so there is no hardware" in ended.out
    assert run("info", big, "--json").json["virtual_channels"] is None
    refused = run("generate", big, "-o", "x")
    assert refused.status == 2
    assert "needs at most 100 routes for the proof" in refused.err


def test_export(run: Run, borel21: Path, tmp_path: Path) -> None:
    file = tmp_path / "net.graphml"
    assert run("export", borel21, "-o", file).err == f"fingerpost: wrote {file}\n"
    assert nx.diameter(nx.read_graphml(file)) == 3
    file = tmp_path / "net.anynet"
    run("export", borel21, "-o", file)
    assert file.read_text().splitlines()[0].startswith("router 0 node 0 router ")


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

"""Questions on the command line about networks of every family, and routes in them."""

from pathlib import Path

import networkx as nx
import pytest

from fingerpost.commands.route import facts, render
from fingerpost.golden.network.network import Network
from tests.fingerpost.common import NETWORKS, Run


def test_json(run: Run, borel21: Path) -> None:
    ended = run("info", borel21, "--json")
    assert (ended.status, ended.err) == (0, "")
    facts = ended.json
    expected = {
        "network": "borel-21",
        "family": "borel",
        "nodes": 21,
        "terminals": 21,
        "links": 84,
        "directed": False,
        "degree": 4,
        "diameter": 3,
        "mean_distance": 2.1,
        "terminal_diameter": 3,
        "terminal_mean_distance": 2.1,
        "port_names": ["A", "B", "A^-1", "B^-1"],
        "algorithm": "two-phase",
        "routing_constants": {"D1": 1, "D2": 3},
        "table_bits": {"phase I": 6, "phase II": 49},
        "flit_width": 32,
        "buffer_depth": 8,
        "link": {"kind": "flit"},
        "terminal": {"kind": "credit"},
        "assumption": "every terminal takes arriving packets without waiting to send",
        "virtual_channels": {"needed": 2, "in_use": 2, "classes": 1, "proven": True},
    }
    assert {key: facts[key] for key in expected} == expected
    more = {"schema", "provenance", "algorithms", "constants", "bypass_limit", "header", "straps"}
    assert set(facts) == {*expected, *more}
    assert facts["constants"]["gcr"]["B^-1"] == [-10, -4, -7]
    assert facts["header"]["width"] == 10
    assert [(f["name"], f["offset"], f["width"]) for f in facts["header"]["fields"]] == [
        ("phase", 0, 1),
        ("c", 1, 2),
        ("word", 3, 7),
        ("x", 3, 3),
    ]
    assert facts["straps"]["width"] == 17  # 2 + 3*2 + 3*3


def test_tells_what_each_algorithm_would_cost(run: Run, borel21: Path) -> None:
    listed = run("info", borel21, "--json").json["algorithms"]
    costs = {each.pop("algorithm"): each for each in listed}
    # Links to 3 classes, 7 words of 3 links and an end; links to 21 nodes, 4 steps in 3 classes.
    assert costs["two-phase"] == {"table_bits": 3 * 2 + 7 * 7, "header_width": 10}
    assert costs["vertex-transitive"] == {"table_bits": 21 * 2 + 12 * 3, "header_width": 5}
    assert costs["adaptive"] == {"table_bits": 21 * 4 + 21 * 2 + 12 * 3, "header_width": 5}
    assert set(costs) == {"two-phase", "vertex-transitive", "adaptive", "chordal-ring"}
    shown = run("info", borel21).out
    assert ["two-phase", "55", "bits", "10", "bits"] in rows(shown)


def test_says_nothing_of_algorithms_where_there_is_no_choice(run: Run) -> None:
    assert run("info", NETWORKS / "petersen.yaml", "--json").json["algorithms"] == []
    assert "routing algorithms" not in run("info", NETWORKS / "petersen.yaml").out


def rows(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


def test_small_network_shows_table_i_in_its_order(run: Run, borel21: Path) -> None:
    shown = rows(run("info", borel21).out)
    at = shown.index(["class", "alpha", "alpha^-1", "beta", "beta^-1"])
    assert shown[at + 1 : at + 4] == [
        ["0", "3", "-3", "4", "-10"],
        ["1", "6", "-6", "7", "-4"],
        ["2", "-9", "9", "10", "-7"],
    ]


def test_digraph_shows_the_constants_of_its_two_links(run: Run) -> None:
    shown = run("info", NETWORKS / "metacyclic-digraph-20.yaml").out.splitlines()
    table = shown.index(next(line for line in shown if line.split()[:1] == ["class"]))
    assert shown[table].split() == ["class", "alpha", "beta"]
    # Node (2, 0) is 2; (2, 0)(3, 1) = (1, 0 + 2^2) is 4*4 + 1 = 17, and 17 - 2 = 20 - 5.
    assert shown[table + 3].split() == ["2", "1", "-5"]


def test_human_answer_tells_the_numbers(run: Run, borel21: Path) -> None:
    lines = [" ".join(row) for row in rows(run("info", borel21).out)]
    for line in (
        "name borel-21",
        "family borel, p 7, a 2, k 3",
        "nodes 21",
        "degree 4, ports A, B, A^-1, B^-1",
        "diameter 3",
        "mean distance 2.1000 over the 20 other nodes",
        "routing two-phase, D1 1, D2 3",
        "tables phase I 6 bits, phase II 49 bits",
        "virtual channels 2 in use, 2 needed, proven deadlock-free",
        "header, 10 bits",
        "9:3 word the links of phase II still to take, a 1",
        "straps, 17 bits",
        "7:2 first0..2 phase I: the link to take to class 0, and so on",
        "16:8 entry0..2 x of the entry to class 0 from here, and so on",
        "bypass limit none (equal turns) at injection, none (equal turns) at a turn into a ring",
        # Two hops and a half a packet, as `loads` tells, over four links a node.
        "first-hop links load 0.62 at injection rate 1, 2.50 on the route of a packet",
    ):
        assert line in lines


@pytest.mark.parametrize("command", ["info", "prove", "loads"])
def test_no_line_ends_in_blanks(run: Run, borel21: Path, command: str) -> None:
    lines = run(command, borel21).out.splitlines()
    assert [line for line in lines if line != line.rstrip()] == []


def test_large_network_has_no_table_of_constants(run: Run) -> None:
    shown = run("info", NETWORKS / "borel-1081.yaml").out
    assert "alpha" not in shown
    assert "entry0..22" in shown


def test_more_channels_than_needed_are_told_apart(run: Run, tmp_path: Path, borel21: Path) -> None:
    text = borel21.read_text(encoding="utf-8")
    path = tmp_path / "x.yaml"
    path.write_text(text.replace("channels: auto", "channels: 3"), encoding="utf-8")
    facts = run("info", path, "--json").json
    assert facts["virtual_channels"] == {"needed": 2, "in_use": 3, "classes": 1, "proven": True}


def test_channels_are_those_of_a_message_class(run: Run) -> None:
    net = NETWORKS / "mesh-4x4-classes.yaml"
    shown = run("info", net).out
    assert "1 in use in each of 2 message classes, 1 needed, proven deadlock-free" in shown
    found = run("info", net, "--json").json["virtual_channels"]
    assert found == {"needed": 1, "in_use": 1, "classes": 2, "proven": True}


def test_proof_tells_what_is_assumed_of_each_message_class(run: Run) -> None:
    found = run("prove", NETWORKS / "mesh-4x4-classes.yaml", "--json").json
    assert found["assumption"] == (
        "every terminal takes arriving packets of class c without waiting to send packets of a "
        "class <= c"
    )
    assert found["channels"] == 2 * 48


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

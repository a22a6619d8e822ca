"""Networks with faults, on the command line and in network files, and how likely they survive."""

import json
import re
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

from fingerpost.commands.survive import copies_facts as damage
from fingerpost.commands.survive import facts, render
from fingerpost.commands.survive import render_copies as render_damage
from fingerpost.golden.faults import faulty
from fingerpost.golden.network.network import Network
from fingerpost.golden.topology import DoubleLoop, Grid
from fingerpost.golden.topology.digraphs import DirectedChordalRing
from fingerpost.golden.topology.edge_list import EdgeList
from fingerpost.netfile import faults
from fingerpost.netfile.schema import spelled
from fingerpost.netfile.source import load, read
from tests.fingerpost.common import NETWORKS, Run, like, written
from tests.golden.graphs import Edges

PETERSEN = NETWORKS / "petersen.yaml"
FAULTS = "link:0-1,node:7"
NOTE = "fingerpost: faults: link 0-1 and node 7; 9 of 10 terminals are left, 80.0% of the pairs\n"
FOUND = {
    "links": [[0, 1]],
    "nodes": [7],
    "cut_off": [],
    "lost_terminals": [7],
    "pairs_connected": 0.8,
}


def test_answers_are_those_of_the_damaged_graph(run: Run) -> None:
    graph = nx.petersen_graph()  # networks/petersen.txt has its numbers
    graph.remove_edge(0, 1)
    graph.remove_node(7)

    def answer(command: str, *more: object) -> Any:
        ended = run(command, PETERSEN, *more, "--faults", FAULTS, "--json")
        assert (ended.status, ended.err, ended.json["faults"]) == (0, NOTE, FOUND)
        return ended.json

    info, route, loads = answer("info"), answer("route", 0, 1), answer("loads")
    assert (info["nodes"], info["terminals"], info["links"]) == (10, 9, 2 * len(graph.edges))
    assert (info["diameter"], info["virtual_channels"]["proven"]) == (nx.diameter(graph), True)
    mean = nx.average_shortest_path_length(graph)
    assert info["mean_distance"] == pytest.approx(mean)
    assert route["hops"] == route["distance"] == nx.shortest_path_length(graph, 0, 1)
    assert nx.is_path(graph, route["nodes"])
    assert loads["bound"] == pytest.approx(2 * len(graph.edges) / 9 / mean)
    simulated = answer("simulate", "--load", 0.2)
    assert simulated["offered"] == pytest.approx(0.2, rel=0.1)  # over those that are left
    lost = run("route", PETERSEN, 0, 7, "--faults", FAULTS)
    assert (lost.status, lost.err.split(", which ")[-1]) == (2, "7 has lost by faults\n")
    assert "faults" not in run("info", PETERSEN, "--json").json


def test_a_file_may_tell_faults_and_the_command_line_others(run: Run, tmp_path: Path) -> None:
    grid = "{name: net, topology: {family: grid, sizes: [3, 3]}, faults: %s}"
    net = written(tmp_path, grid % "'link:0,0-1,0,node:2,2'")
    whole = run("info", net, "--faults", "", "--json")
    assert (whole.err, whole.json["links"]) == ("", 24)
    answer = run("info", net, "--json").json
    assert answer["faults"]["nodes"] == [8]
    found = run("info", net, "--faults", "links=2,seed=1", "--json").json["faults"]
    assert (len(found["links"]), found["nodes"]) == (2, [])
    assert load(net).description["faults"] == "link:0,0-1,0,node:2,2"
    listed = run("info", written(tmp_path, grid % "['link:0,0-1,0', 'node:2,2']"), "--json").json
    assert listed["faults"] == answer["faults"]


def test_another_algorithm_leaves_the_order_of_the_file(borel21: Path) -> None:
    source = read(borel21)
    assert "channel_order" in source.description["router"]
    for routing in ("chordal-ring:lookahead=3,rule=safe", "two-phase:phase1=computed"):
        other = source.changed(routing=routing).description
        assert "channel_order" not in other["router"]
        assert spelled(other["routing"]) == routing.removesuffix(",rule=safe")
        assert other["topology"] == source.description["topology"]
    assert source.changed(routing="two-phase").description == source.description
    changed = source.changed(routing="up-down").network()
    assert (changed.order, changed.virtual_channels) == (None, 1)
    assert source.changed() is source
    both = source.changed(faults="links=2", routing="table").network()
    assert both.channels.is_free_of_deadlock(both.virtual_channels)


def test_many_are_named_few_and_counted() -> None:
    ring = Edges(nx.cycle_graph(30))
    found = faulty(ring, "link:0-1,link:20-21")
    assert faults.sentence(found) == (
        "2 links 0-1 20-21; cut off by that: 0 21 22 23 24 25 26 27 and 2 more; "
        "20 of 30 terminals are left, 43.7% of the pairs"
    )
    assert faults.facts(found)["faults"]["cut_off"] == [0, *range(21, 30)]
    assert faults.sentence(faulty(DoubleLoop(nodes=9, a=1, b=2), "link:3-4")) == (
        "link 3->4; all 9 terminals still reach one another"
    )
    assert faults.sentence(faulty(Grid(sizes=[3, 3]), "links=0")).startswith("nothing; all 9 ")
    assert (faults.sentence(ring), faults.facts(ring)) == ("", {})


def test_export_and_draw_take_faults(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "net.graphml"
    assert run("export", PETERSEN, "-o", file, "--faults", FAULTS).status == 0
    assert nx.number_of_edges(nx.read_graphml(file)) == 15 - 1 - 3
    assert run("draw", PETERSEN, "-o", tmp_path / "net.svg", "--faults", FAULTS).status == 0


RING: dict[str, Any] = {
    "name": "ring",
    "topology": {"family": "grid", "sizes": [8], "wrap": True},
    "routing": {"algorithm": "dimension-order"},
    "router": {"channel_order": [1, 0]},
}


def test_what_is_left_of_a_ring_that_loses_a_link() -> None:
    """A ring of 8 without a link is a line: mean distance 3, and its middle link carries 16/7."""
    found = damage(RING, node_failure=0, link_failure=0.01, copies=3, cycles=400)["left"]
    assert found["algorithm"] == "table"
    whole, copies = found["whole"], found["copies"]
    assert whole["mean_distance"] == pytest.approx(16 / 7)
    assert [copy["faults"] for copy in copies] == [f"links=1%,seed={seed}" for seed in range(3)]
    for copy in copies:
        assert (copy["pairs_connected"], copy["diameter"]) == (1, 7)
        assert copy["mean_distance"] == pytest.approx(3)
        assert copy["bound"] == pytest.approx(14 / 8 / 3)
        assert copy["saturation"] == pytest.approx(7 / 16)
        assert 0.25 < copy["accepted"] <= copy["saturation"] * 1.02 < whole["accepted"]
    json.dumps(found)
    # Among terminals: kyklos-1988, Table 3, as in answers.yaml.
    kyklos = RING | {
        "topology": {"family": "kyklos", "m": 2, "r": 2, "n": 4},
        "routing": {"algorithm": "table"},
        "router": {},
    }
    found = damage(kyklos, node_failure=0, link_failure=1e-7, copies=1)["left"]
    assert found["copies"][0]["faults"] == "links=0.00001%,seed=0"  # a share all the same
    assert found["whole"]["mean_distance"] == pytest.approx(4.625 * 16 / 15)


def test_what_is_left_may_be_nothing() -> None:
    pair = RING | {"topology": {"family": "grid", "sizes": [2]}}
    found = damage(pair, node_failure=0.1, link_failure=0, copies=2)
    for copy in found["left"]["copies"]:
        assert (copy["pairs_connected"], copy["bound"], copy["accepted"]) == (0, None, None)
    assert render_damage(found).splitlines() == [
        "what is left among terminals, by table routing, in copies with faults:",
        "                   pairs",
        "no more faults    100.0%",
        "nodes=10%,seed=0    0.0%",
        "nodes=10%,seed=1    0.0%",
        "mean                0.0%",
        "worst               0.0%",
    ]


def test_survive_tells_what_is_left(run: Run, borel21: Path) -> None:
    arguments = ("survive", borel21, "--link-failure", 0.05, "--samples", 64, "--copies", 2)
    found = run(*arguments, "--routing", "up-down", "--seed", 4, "--json").json["left"]
    assert (found["algorithm"], found["whole"]["faults"]) == ("up-down", "")
    for copy in found["copies"]:
        loads = run("loads", borel21, "--routing", "up-down", "--faults", copy["faults"], "--json")
        assert len(loads.json["faults"]["links"]) == 3  # 5 % of 42, rounded up
        for key in ("bound", "saturation"):
            assert copy[key] == loads.json[key]
    assert found["copies"][0]["faults"] == "links=5%,seed=4"
    text = run(*arguments).out
    assert re.search(r"^survival \d\.\d+, 95%", text, flags=re.M)
    assert re.search(r"^worst +100\.0% +4 +2\.\d{4} +1\.\d{4} +1\.\d{4}$", text, flags=re.M)


def test_exact_answer_or_samples() -> None:
    # Eq. (2.1) at n = 3, all chances 1/2: 3/32 + 1/8 * 18/64.
    found = facts("d", DoubleLoop(nodes=3, a=1, b=2), node_failure=0.5, link_failure=0.5)
    assert (found["method"], found["exact"], found["survival"]) == ("theorem 2.1", True, 0.12890625)
    json.dumps(found)
    assert render(found).splitlines() == [
        "d, 3 nodes: a node fails with probability 0.5, a link with 0.5",
        "survival 0.12890625, exact, by theorem 2.1",
        "survival: two or more nodes survive, and all that do reach one another",
    ]
    braided = facts("b", DoubleLoop(nodes=9, a=1, b=2), node_failure=0, link_failure=0)
    assert (braided["method"], braided["survival"]) == ("frontier sweep", 1)
    chordal = DirectedChordalRing(nodes=20, w=3)
    ring = facts("c", chordal, node_failure=0.1, link_failure=0)
    assert ring["method"] == "chordal ring as double loop, frontier sweep"
    some: dict[str, Any] = {"node_failure": 0.02, "link_failure": 0.02}
    loop = DoubleLoop(nodes=50, a=1, b=2)
    exact, sampled = facts("b", loop, **some), facts("b", loop, **some, samples=5000)
    assert (sampled["samples"], sampled["exact"], exact["exact"]) == (5000, False, True)
    assert sampled["interval"][0] < exact["survival"] < sampled["interval"][1]
    path = EdgeList(links=[(0, 1), (1, 2)], nodes=3).with_terminals(np.array([0, 2]))
    found = facts("path", path, node_failure=0, link_failure=0, samples=10)
    assert render(found).splitlines()[-1].startswith("survival: two or more terminals survive")


def test_samples_of_a_network_without_exact_method(network: Network) -> None:
    found = facts("borel-21", network.topology, node_failure=0.1, link_failure=0.1, seed=5)
    assert (found["method"], found["exact"], found["confidence"]) == ("monte carlo", False, 0.95)
    assert (found["samples"], found["seed"]) == (20_000, 5)
    low, high = found["interval"]
    assert low < found["survival"] == found["survivors"] / 20_000 < high < low + 0.014
    json.dumps(found)
    said = "survival 0.9..., 95% interval 0.9......0.9...: 19... of 20000 samples, seed 5"
    assert like(said, render(found).splitlines()[1])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        *(({"node_failure": x}, f"a node failure probability in 0..1, not {x}") for x in (1.1, -1)),
        ({"link_failure": float("nan")}, "a link failure probability in 0..1, not nan"),
        ({"samples": 0}, "at least 1 sample, not 0"),
    ],
)
def test_refuses(wrong: dict[str, float], message: str) -> None:
    chosen: dict[str, Any] = {"node_failure": 0.1, "link_failure": 0.1} | wrong
    with pytest.raises(ValueError, match=f"^Survival needs {re.escape(message)}$"):
        facts("d", DoubleLoop(nodes=5, a=1, b=2), **chosen)

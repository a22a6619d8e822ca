"""Searches for dense graphs, beside networkx."""

import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
from rich.console import Console

from fingerpost.golden.analysis.dense import steps
from fingerpost.golden.analysis.loads import loads
from fingerpost.golden.routing import VertexTransitive
from fingerpost.golden.topology import FAMILIES, Topology
from fingerpost.jobs import workers
from fingerpost.search import facts, render
from fingerpost.search.spaces import scored
from tests.fingerpost.common import SMALL_SEARCH, InProcess, Run
from tests.golden.borel_group import Group


def brute_force(diameter: int, p_max: int) -> list[dict[str, Any]]:
    """Return every graph by networkx, most nodes first."""
    found = []
    for p in range(2, p_max + 1):
        for k in range(3, p):
            powers = [[pow(a, i, p) for i in range(1, k + 1)] for a in range(1, p)]
            of_order_k = [row[0] for row in powers if 1 in row and row.index(1) == k - 1]
            if any(p % d == 0 for d in range(2, p)) or not of_order_k:
                continue
            for t1, t2 in steps(k).tolist():
                near = Group(p, of_order_k[0], (t1, 1), (t2, 1)).neighbours
                graph = nx.Graph([(v, w) for v, row in enumerate(near) for w in row])
                away = nx.eccentricity(graph, 0)
                if away <= diameter:
                    topology = {"p": p, "a": of_order_k[0], "A": [t1, 1], "B": [t2, 1]}
                    found.append(
                        {
                            "nodes": p * k,
                            "k": k,
                            "diameter": away,
                            "topology": {"family": "borel", **topology},
                        }
                    )
    return sorted(found, key=lambda graph: -graph["nodes"])


ALL = brute_force(4, 20)


MOST = ALL[0]["nodes"]
ORDERS = [(p, k) for p in (5, 7, 11, 13, 17, 19) for k in range(3, p) if (p - 1) % k == 0]
SIZES = [(p * k, len(steps(k))) for p, k in ORDERS if p * k <= 1 + 4 + 12 + 36 + 108]
"""Nodes and number of the graphs of each group, up to the Moore bound."""


def test_finds_all_graphs_with_enough_nodes_or_the_most(cluster: str, slices: None) -> None:
    told: list[tuple[int, int]] = []
    for least in (55, None, 1):
        told.clear()
        answer = facts(
            **SMALL_SEARCH, min_nodes=least, cluster=cluster, progress=lambda *x: told.append(x)
        )
        assert answer["found"] == [graph for graph in ALL if graph["nodes"] >= (least or MOST)]
        assert (answer["diameter"], answer["p_min"], answer["p_max"]) == (4, 2, 20)
        if least == 1:
            assert answer["graphs"] == sum(number for _, number in SIZES)
            assert (told[0][0], told[-1]) == (0, (answer["graphs"], answer["graphs"]))
            assert told == sorted(told)
            assert len(told) > 10
        else:
            assert 0 < answer["graphs"] < sum(number for _, number in SIZES)  # it stops there


def test_finds_the_most_nodes_in_more_units_than_one(
    cluster: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fingerpost.search.spaces.WORK", 1)  # graph by graph
    monkeypatch.setattr(workers, "WAITING", 1)
    found = facts(diameter=6, p_max=19, cluster=cluster)["found"]
    every = brute_force(6, 19)
    assert found == [graph for graph in every if graph["nodes"] == every[0]["nodes"]]
    assert len(found) > 1


def test_searches_nothing_smaller_than_what_is_found(
    cluster: str, slices: None, state: Path
) -> None:
    facts(**SMALL_SEARCH, cluster=cluster, state=state)
    units = [json.loads(line) for line in state.read_text().splitlines()[1:]]
    ahead = workers.WAITING - 1
    assert sum(unit["m"] * unit["k"] < MOST for unit in units) <= ahead


@pytest.mark.parametrize("ahead", [1, 5, 1000])
def test_counts_the_same_graphs_however_far_workers_are_ahead(
    monkeypatch: pytest.MonkeyPatch, slices: None, ahead: int
) -> None:
    """Those begun last are finished first."""
    pool = InProcess(ahead)
    monkeypatch.setattr("fingerpost.jobs.runner.pool", lambda *_: nullcontext(pool))
    answer = facts(**SMALL_SEARCH)
    assert answer["graphs"] == sum(number for nodes, number in SIZES if nodes >= MOST)
    assert answer["found"] == [graph for graph in ALL if graph["nodes"] == MOST]


@pytest.mark.regress
def test_finds_the_densest_graph_of_table_3(cluster: str) -> None:
    found = facts(diameter=7, cluster=cluster)["found"]
    assert {graph["nodes"] for graph in found} == {1081}
    assert {"family": "borel", "p": 47, "a": 2, "A": [1, 1], "B": [7, 1]} in [
        graph["topology"] for graph in found
    ]


def searched(answer: dict[str, Any]) -> str:
    """What people see of the answer of a search."""
    console = Console(width=100)
    with console.capture() as capture:
        console.print(render(answer))
    return capture.get()


def test_command(run: Run, state: Path) -> None:
    arguments = ("--diameter", 3, "--p-max", 13, "--state", state)
    ended = run("search", *arguments, "--json")
    assert (ended.status, ended.err) == (0, "")
    assert {graph["nodes"] for graph in ended.json["found"]} == {21}
    shown = run("search", *arguments).out.splitlines()
    assert shown[0].split() == ["nodes", "p", "k", "a", "A", "B", "diameter"]
    assert shown[1].split() == ["21", "7", "3", "2", "0,1", "1,1", "3"]
    assert shown[-1] == "topology: {family: borel, p: 7, a: 2, A: [0, 1], B: [1, 1]}"
    assert shown[-3].startswith(f"{ended.json['graphs']} graphs in ")
    none = run("search", "--diameter", 3, "--p-min", 13, "--p-max", 13, "--min-nodes", 50).out
    assert none.startswith("no graph of diameter 3 or less (2 graphs in ")


def made(topology: dict[str, Any]) -> Topology:
    keys = dict(topology)
    return FAMILIES[keys.pop("family")](**keys)


def edges(topology: dict[str, Any]) -> list[tuple[int, int]]:
    return [(v, int(w)) for v, row in enumerate(made(topology).neighbour) for w in row]


@pytest.mark.parametrize(
    ("family", "diameter", "nodes", "kind"),
    [("metacyclic", 4, (60, 64), nx.Graph), ("metacyclic-digraph", 6, (50, 55), nx.DiGraph)],
)
def test_score_puts_the_best_first(
    cluster: str, family: str, diameter: int, nodes: tuple[int, int], kind: type
) -> None:
    where: dict[str, Any] = {
        "family": family,
        "diameter": diameter,
        "min_nodes": nodes[0],
        "max_nodes": nodes[1],
    }
    plain = facts(**where, cluster=cluster)
    answer = facts(**where, score="mean-distance", cluster=cluster)
    scores = [graph["score"] for graph in answer["found"]]
    assert scores == sorted(scores)
    assert len(set(scores)) > 1
    assert len(scores) == len(plain["found"])
    for found in answer["found"]:
        graph = kind(edges(found["topology"]))
        assert nx.diameter(graph) == found["diameter"]
        assert found["score"] == pytest.approx(nx.average_shortest_path_length(graph))
    head, first, *_ = searched({**answer, "seconds": 1.0}).splitlines()
    assert head.split()[-1] == "mean-distance"
    assert first.split()[-1] == f"{scores[0]:.6g}"


def test_cubic_graphs_are_searched(cluster: str) -> None:
    answer = facts(family="metacyclic-cubic", diameter=3, cluster=cluster)
    assert {graph["nodes"] for graph in answer["found"]} == {14}  # none of 16 to 22 nodes
    topology = made(answer["found"][0]["topology"])
    assert (topology.nodes, topology.degree) == (14, 3)
    head = searched({**answer, "seconds": 1.0}).splitlines()[0]
    assert head.split() == ["nodes", "m", "k", "r", "A", "B", "C", "diameter"]
    answer = facts(family="metacyclic-cubic", diameter=4, cluster=cluster)
    assert {graph["nodes"] for graph in answer["found"]} == {24}
    pairs = [graph["topology"] for graph in answer["found"] if "C" not in graph["topology"]]
    assert made(pairs[0]).port_names == ("A", "B", "A^-1")
    assert " - " in searched({**answer, "found": answer["found"][-1:], "seconds": 1.0})


@pytest.mark.parametrize(
    ("jumps", "diameter", "nodes"), [(1, 4, 9), (2, 1, 5), (2, 2, 13), (2, 5, 61), (3, 2, 21)]
)
def test_circulants_are_searched(cluster: str, jumps: int, diameter: int, nodes: int) -> None:
    """2 D^2 + 2 D + 1 of two jumps (Boesch and Wang 1985), 21 of three (Monakhova 2012)."""
    answer = facts(family="circulant", jumps=jumps, diameter=diameter, cluster=cluster)
    assert {graph["nodes"] for graph in answer["found"]} == {nodes}
    for found in answer["found"]:
        graph = nx.Graph(edges(found["topology"]))
        assert (nx.diameter(graph), len(found["topology"]["jumps"])) == (diameter, jumps)
    line = f"circulant, nodes: {nodes}, jumps: {answer['found'][0]['topology']['jumps']}}}"
    assert searched({**answer, "seconds": 1.0}).splitlines()[-1].endswith(line)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"jumps": 8}, r"^Search needs jumps in 1\.\.7, not 8$"),
        ({"max_nodes": 4}, r"^Search needs a max-nodes in 5\.\.41, not 4$"),
        ({"jumps": 7}, r"^Search needs at most 1,000,000 circulants: ask for fewer nodes by "),
    ],
)
def test_impossible_searches_of_circulants_are_refused(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        facts(family="circulant", diameter=4, **keys)


def test_scores_are_those_of_vertex_transitive_routing() -> None:
    topology = {"family": "metacyclic", "m": 28, "k": 3, "r": 9, "A": [1, 1], "B": [1, 2]}
    found = loads(VertexTransitive(made(topology)))
    assert scored("load", topology) == pytest.approx(1 / found.link_saturation)
    assert scored("channels", topology) == 3  # as tests of networks/metacyclic-84.yaml have it


@pytest.mark.regress
def test_sample_is_some_of_the_graphs(cluster: str) -> None:
    where: dict[str, Any] = {"family": "metacyclic", "diameter": 4, "min_nodes": 60}
    every = facts(**where, max_nodes=70, cluster=cluster)
    some = facts(**where, max_nodes=70, sample=3, cluster=cluster)
    assert 0 < some["graphs"] < every["graphs"]
    assert some["found"] != []
    assert [graph for graph in every["found"] if graph in some["found"]] == some["found"]
    assert facts(**where, max_nodes=70, sample=3, cluster=cluster)["found"] == some["found"]

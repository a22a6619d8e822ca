import re
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from fingerpost.golden.analysis.loads import loads
from fingerpost.golden.routing import VertexTransitive
from fingerpost.golden.topology import FAMILIES, Topology
from fingerpost.search import facts
from fingerpost.search.space import scored
from tests.fingerpost.common import NOWHERE, searched

PAIRS = sum((2 * 3**12 - 1) // k for k in range(2, 2 * 12 * 13 + 2))
"""Orders m*k up to the Moore bound of diameter 12, with as many classes as a circulant can have."""

REMEDY = "ask for fewer nodes by --max-nodes and --min-nodes"


def made(topology: dict[str, Any]) -> Topology:
    keys = dict(topology)
    return FAMILIES[keys.pop("family")](**keys)


def test_metacyclic_graphs_are_what_they_are_said_to_be(cluster: str, tmp_path: Path) -> None:
    state = tmp_path / "search.jsonl"
    where: dict[str, Any] = {"family": "metacyclic", "diameter": 4, "max_nodes": 90}
    answer = facts(**where, cluster=cluster, state=state)
    assert {graph["nodes"] for graph in answer["found"]} == {84}
    for graph in answer["found"]:
        topology = made(graph["topology"])
        edges = [(v, int(w)) for v, row in enumerate(topology.neighbour) for w in row]
        assert nx.diameter(nx.Graph(edges)) == graph["diameter"] == 4
    again = facts(**where, cluster=NOWHERE, state=state)
    assert (again["found"], again["graphs"]) == (answer["found"], answer["graphs"])
    shown = searched({**answer, "seconds": 1.0}).splitlines()
    assert shown[0].split() == ["nodes", "m", "k", "r", "A", "B", "diameter"]
    assert shown[-1].startswith("topology: {family: metacyclic, m: 28, k: 3, r: ")


def test_score_puts_the_best_first(cluster: str) -> None:
    where: dict[str, Any] = {"family": "metacyclic", "diameter": 4, "min_nodes": 60}
    plain = facts(**where, max_nodes=64, cluster=cluster)
    answer = facts(**where, max_nodes=64, score="mean-distance", cluster=cluster)
    scores = [graph["score"] for graph in answer["found"]]
    assert scores == sorted(scores)
    assert len(set(scores)) > 1
    assert len(scores) == len(plain["found"])
    for graph in answer["found"]:
        topology = made(graph["topology"])
        edges = [(v, int(w)) for v, row in enumerate(topology.neighbour) for w in row]
        mean = nx.average_shortest_path_length(nx.Graph(edges))
        assert graph["score"] == pytest.approx(mean)
    head, first, *_ = searched({**answer, "seconds": 1.0}).splitlines()
    assert head.split()[-1] == "mean-distance"
    assert first.split()[-1] == f"{scores[0]:.6g}"


def test_digraphs_are_searched_by_mean_distance(cluster: str) -> None:
    where: dict[str, Any] = {"family": "metacyclic-digraph", "diameter": 6, "min_nodes": 50}
    answer = facts(**where, max_nodes=55, score="mean-distance", cluster=cluster)
    assert answer["found"]
    for graph in answer["found"]:
        topology = made(graph["topology"])
        edges = [(v, int(w)) for v, row in enumerate(topology.neighbour) for w in row]
        directed = nx.DiGraph(edges)
        assert nx.diameter(directed) == graph["diameter"]
        mean = nx.average_shortest_path_length(directed)
        assert graph["score"] == pytest.approx(mean)


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


def test_refuses_too_many_pairs() -> None:
    message = f"Search needs at most 1,000,000 pairs of m and k, not {PAIRS:,}: {REMEDY}"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        facts(family="metacyclic", diameter=12, cluster=NOWHERE)

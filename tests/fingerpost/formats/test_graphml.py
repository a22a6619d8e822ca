"""GraphML, there and back."""

from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fingerpost.formats import graphs
from fingerpost.golden.topology.edge_list import EdgeList
from tests.fingerpost.graph_files import DIRECTED, NETWORKS, TABLES, Parallel, file, links, refusal


@pytest.mark.parametrize("name", NETWORKS)
def test_graphml_and_back(tmp_path: Path, name: str) -> None:
    topology, path = NETWORKS[name], tmp_path / "net.graphml"
    graphs.write_graphml(topology, path, name=name)
    back = graphs.topology(path)
    assert links(back) == links(topology)
    assert (back.nodes, back.directed) == (topology.nodes, topology.directed)
    names = [topology.name(node) for node in range(topology.nodes)]
    assert [back.name(node) for node in range(back.nodes)] == names


@pytest.mark.parametrize("name", NETWORKS)
def test_graphml_as_networkx_reads_it(tmp_path: Path, name: str) -> None:
    topology, path = NETWORKS[name], tmp_path / "net.graphml"
    graphs.write_graphml(topology, path, name=name)
    graph = nx.read_graphml(path, node_type=int)
    assert graph.graph["name"] == name
    assert graph.is_directed() == (name in DIRECTED)
    assert not graph.is_multigraph()
    assert dict(graph.nodes(data="label")) == {i: topology.name(i) for i in graph}
    assert dict(graph.nodes(data="orbit")) == {i: topology.orbit[i] for i in graph}
    assert dict(graph.nodes(data="terminal")) == dict.fromkeys(graph, True)
    port = {name: number for number, name in enumerate(topology.port_names)}
    for u, v, data in graph.edges(data=True):
        out, into = port[data["port"]], port[data["arrival_port"]]
        assert topology.neighbour[u, out] == v
        assert topology.arrival_port[u, out] == into


def test_graphml_says_where_terminals_are(tmp_path: Path) -> None:
    topology = EdgeList(links=[(0, 1), (1, 2)], nodes=3)
    topology.terminals = np.array([0, 2])
    graphs.write_graphml(topology, tmp_path / "net.graphml", name="path")
    graph = nx.read_graphml(tmp_path / "net.graphml", node_type=int)
    assert dict(graph.nodes(data="terminal")) == {0: True, 1: False, 2: True}


def test_parallel_links_are_written_and_not_read(tmp_path: Path) -> None:
    path = tmp_path / "net.graphml"
    graphs.write_graphml(Parallel(), path, name="two")
    assert len(nx.read_graphml(path).edges) == 2
    assert refusal(path) == "FILE: at most one link can join 0 and 1, not two"


@settings(max_examples=30)
@given(st.integers(3, 12), st.booleans(), st.integers(0, 1000))
def test_graphml_of_others(
    tmp_path_factory: pytest.TempPathFactory, nodes: int, directed: bool, seed: int
) -> None:
    graph = nx.gnp_random_graph(nodes, 0.3, seed=seed, directed=directed)
    nx.add_cycle(graph, range(nodes))
    path = tmp_path_factory.mktemp("graphs") / "g.graphml"
    nx.write_graphml(graph, path)
    topology = graphs.topology(path)
    expected = set(graph.edges) | (set() if directed else {(v, u) for u, v in graph.edges})
    assert links(topology) == expected


def test_graphml_without_labels_goes_by_id(tmp_path: Path) -> None:
    graph = nx.Graph([("n1", "n0"), ("n1", "n2")])
    nx.write_graphml(graph, tmp_path / "g.graphml")
    assert graphs.read(tmp_path / "g.graphml") == {
        "links": [(0, 1), (0, 2)],
        "nodes": 3,
        "directed": False,
        "names": ["n1", "n0", "n2"],
    }


@pytest.mark.parametrize("labels", [["u", "u", "v"], ["u", "", "v"], ["u", "7", "v"]])
def test_labels_that_name_no_node_are_not_names(tmp_path: Path, labels: list[str]) -> None:
    graph = nx.path_graph(3)
    nx.set_node_attributes(graph, dict(enumerate(labels)), "label")
    nx.write_graphml(graph, tmp_path / "g.graphml")
    assert "names" not in graphs.read(tmp_path / "g.graphml")


HEAD = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'


@pytest.mark.parametrize("line", TABLES["graphml"].splitlines())
def test_refuses_graphml(tmp_path: Path, line: str) -> None:
    text, message = line.split(" | ")
    text = text.replace("{HEAD}", HEAD).replace("\\n", "\n")
    assert refusal(file(tmp_path, text, "g.graphml")) == message

"""What every topology has; networks given link by link; what faults leave of a network."""

from itertools import product
from math import comb
from random import Random

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.network.network import topology as family
from fingerpost.golden.topology import FAMILIES, DoubleLoop, Grid, Star, Topology
from fingerpost.golden.topology.base import distances, summary
from fingerpost.golden.topology.edge_list import EdgeList
from fingerpost.golden.topology.faulty import Faulty
from tests.golden.graphs import Edges, links_of, topologies
from tests.networks import EXAMPLES


@pytest.fixture
def path() -> Edges:
    """0 - 1 - 2."""
    return Edges(nx.path_graph(3))


def test_what_a_topology_has_that_says_no_more(path: Edges) -> None:
    assert (path.nodes, path.degree, path.local) == (3, 2, 2)
    assert [path.port_name(port) for port in range(3)] == ["L0", "L1", "LOCAL"]
    assert path.orbit.tolist() == [0, 1, 2]
    assert path.constants() == {}
    assert [path.name(node) for node in range(3)] == ["0", "1", "2"]
    assert [path.node(name) for name in ("2", " 2 ", "02")] == [2, 2, 2]


@pytest.mark.parametrize("array", ["neighbour", "arrival_port", "terminals"])
def test_arrays_are_read_only(path: Edges, array: str) -> None:
    with pytest.raises(ValueError, match=r"^assignment destination is read-only$"):
        getattr(path, array)[0] = 2


def test_refuses_summary_of_parts() -> None:
    graph: nx.Graph[int] = nx.Graph([(0, 1), (2, 3)])
    with pytest.raises(ValueError, match=r"^Topology needs a way from node 0 to 2$"):
        summary(Edges(graph))


PATH = [(0, 1), (1, 2)]


@given(topologies() | topologies(directed=True), st.booleans(), st.randoms())
def test_ports_are_in_the_order_of_neighbours(expected: Edges, both: bool, random: Random) -> None:
    links = links_of(expected)
    directed = expected.directed or both  # each way in the list
    if not directed:
        links = [random.choice([(u, v), (v, u)]) for u, v in links if u < v]
    random.shuffle(links)
    topology = EdgeList(links=links, nodes=expected.nodes, directed=directed)
    assert topology.neighbour.tolist() == expected.neighbour.tolist()
    assert topology.arrival_port.tolist() == expected.arrival_port.tolist()
    assert topology.directed == expected.directed


def test_names() -> None:
    topology = EdgeList(links=PATH, nodes=3, names=["host", "switch 1", "2"])
    assert topology.constants() == {"links": 2}
    assert topology.port_names == ("L0", "L1")
    assert [topology.name(node) for node in range(3)] == ["host", "switch 1", "2"]
    assert [topology.node(name) for name in ("host", " switch 1 ", "2", "0")] == [0, 1, 2, 0]
    with pytest.raises(
        ValueError, match=r"^Node needs a number in 0\.\.2 or a name of the edge list, not 'hots'$"
    ):
        topology.node("hots")
    with pytest.raises(ValueError, match=r"^Node needs a number in 0\.\.2, not 3$"):
        topology.node("3")


WHOLE: list[Topology] = [
    *(FAMILIES[name](**keys) for name, keys in EXAMPLES.items()),
    Grid(sizes=[4, 3], wrap=[True, False]),
    Edges(nx.petersen_graph(), terminals=[1, 2, 5, 6, 9]),
]

Damage = tuple[Topology, list[tuple[int, int]], list[int]]


@st.composite
def damage(draw: st.DrawFn) -> Damage:
    """Draw a network, some of its links, each as a node and an out-port, and some nodes."""
    whole = draw(st.sampled_from(WHOLE))
    every = np.argwhere(whole.neighbour >= 0).tolist()
    links = draw(st.lists(st.sampled_from(every), max_size=len(every) // 2))
    nodes = draw(st.lists(st.integers(0, whole.nodes - 1), max_size=whole.nodes // 2))
    return whole, [(node, port) for node, port in links], nodes


def faulty(whole: Topology, links: list[tuple[int, int]], nodes: list[int]) -> Faulty:
    mask = np.zeros_like(whole.neighbour, np.bool_)
    for node, port in links:
        mask[node, port] = True
    return Faulty(whole, links=mask, nodes=np.array(nodes, np.int64))


def survivors(
    whole: Topology, links: list[tuple[int, int]], nodes: list[int]
) -> "nx.MultiDiGraph[int]":
    """Return what networkx leaves of a network: links by their ports, both ways if they go so."""
    graph: nx.MultiDiGraph[int] = nx.MultiDiGraph()
    graph.add_nodes_from(range(whole.nodes))
    for node, port in np.argwhere(whole.neighbour >= 0).tolist():
        graph.add_edge(node, int(whole.neighbour[node, port]), key=port)
    for node, port in set(links):
        other, back = int(whole.neighbour[node, port]), int(whole.arrival_port[node, port])
        if graph.has_edge(node, other, port):
            graph.remove_edge(node, other, port)
        if not whole.directed and graph.has_edge(other, node, back):
            graph.remove_edge(other, node, back)
    graph.remove_nodes_from(nodes)
    return graph


def best(whole: Topology, graph: "nx.MultiDiGraph[int]") -> set[int]:
    """Return the strongly connected part with most terminals, nodes, and the smallest node."""
    terminals = set(whole.terminals.tolist())
    parts = nx.strongly_connected_components(graph)
    return max(parts, key=lambda part: (len(part & terminals), len(part), -min(part)))


@given(damage())
def test_is_the_largest_part_of_the_damaged_graph(case: Damage) -> None:
    whole, links, nodes = case
    graph = survivors(whole, links, nodes)
    part = best(whole, graph) if graph else set[int]()
    terminals = sorted(part & set(whole.terminals.tolist()))
    if len(terminals) < 2:
        with pytest.raises(ValueError, match=r"^Network needs faults that leave two terminals"):
            faulty(*case)
        return
    found = faulty(*case)
    assert found.terminals.tolist() == terminals
    assert found.lost.tolist() == sorted(set(range(whole.nodes)) - part)
    kept = graph.subgraph(part)
    for node, port in product(range(whole.nodes), range(whole.degree)):
        there = int(found.neighbour[node, port])
        if there < 0:
            other = int(whole.neighbour[node, port])
            assert other < 0 or not kept.has_edge(node, other, port)
            assert found.arrival_port[node, port] == -1
        else:
            assert kept.has_edge(node, there, port)
            assert there == whole.neighbour[node, port]
            assert found.arrival_port[node, port] == whole.arrival_port[node, port]
    for node in part:
        away = nx.single_source_shortest_path_length(kept, node)
        assert distances(found.neighbour, node).tolist() == [
            away.get(other, -1) for other in range(whole.nodes)
        ]
    count, left = len(whole.terminals), len(terminals)
    assert found.connected == pytest.approx(comb(left, 2) / comb(count, 2))
    diameter, mean = summary(found)
    assert diameter == nx.diameter(nx.DiGraph(kept))
    assert mean == pytest.approx(nx.average_shortest_path_length(nx.DiGraph(kept)))


def test_nodes_keep_names_and_kinds_tell_what_is_left() -> None:
    whole = Grid(sizes=[3, 3])
    found = faulty(whole, [(0, 0)], [8])
    assert (found.family, found.name(7), found.node("1,2")) == ("grid", "1,2", 7)
    assert faulty(Star(n=4), [], [3]).node("1234") == Star(n=4).node("1234")  # that is no number
    assert found.constants() == whole.constants()
    assert found.node_type[8] == ((), (), False)
    assert [whole.port_name(port) for port in found.node_type[0].outputs] == ["d1+"]
    assert not found.directed


@pytest.mark.parametrize(
    ("whole", "links", "lost"),
    [
        (Edges(nx.path_graph(4)), [(1, 1)], [2, 3]),  # the part with the smallest node stays
        (Edges(nx.path_graph(5), [0, 1, 3, 4]), [(1, 1)], [0, 1]),  # or that with more nodes
        (Edges(nx.path_graph(7), [0, 1, 2, 6]), [(2, 1)], [3, 4, 5, 6]),  # or more terminals
        # Nothing comes to node 3, and nothing from node 6.
        (DoubleLoop(nodes=9, a=1, b=2), [(2, 0), (1, 1), (6, 0), (6, 1)], [3, 6]),
    ],
)
def test_what_is_cut_off(whole: Topology, links: list[tuple[int, int]], lost: list[int]) -> None:
    found = faulty(whole, links, [])
    assert found.lost.tolist() == lost
    assert not set(found.neighbour.ravel().tolist()) & set(lost)
    assert (found.neighbour[lost] == -1).all()


def test_no_faults_is_the_family_itself() -> None:
    ring = {"family": "double-loop", "nodes": 9, "a": 1, "b": 2}
    assert isinstance(family({"topology": ring, "faults": ""}), DoubleLoop)

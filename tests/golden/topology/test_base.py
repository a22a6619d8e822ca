"""What every topology has; networks given link by link."""

import re

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path

from fingerpost.golden.topology.base import distances, summary
from fingerpost.golden.topology.edge_list import EdgeList
from tests.golden.graphs import Edges


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


@given(st.integers(2, 20), st.integers(1, 3), st.data())
def test_distances_are_those_of_scipy(nodes: int, degree: int, data: st.DataObject) -> None:
    end = st.integers(-1, nodes - 1)
    row = st.lists(end, min_size=degree, max_size=degree)
    neighbour = np.array(data.draw(st.lists(row, min_size=nodes, max_size=nodes)))
    start, port = np.nonzero(neighbour >= 0)
    links = (np.ones(len(start)), (start, neighbour[start, port]))
    expected = shortest_path(csr_array(links, shape=(nodes, nodes)), unweighted=True)
    expected[np.isinf(expected)] = -1
    actual = [distances(neighbour, source) for source in range(nodes)]
    assert (np.stack(actual) == expected).all()


def test_refuses_summary_of_parts() -> None:
    graph: nx.Graph[int] = nx.Graph([(0, 1), (2, 3)])
    with pytest.raises(ValueError, match=r"^Topology needs a way from node 0 to 2$"):
        summary(Edges(graph))


PATH = [(0, 1), (1, 2)]
AROUND = [(i, i % 16 + 1) for i in range(1, 17)]


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, list[tuple[int, int]], bool]:
    """Draw a connected graph of small degree: a ring or a tree, and some more links."""
    nodes, directed = draw(st.integers(3, 12)), draw(st.booleans())
    if directed:
        links = {(i, (i + 1) % nodes) for i in range(nodes)}
    else:
        links = {(draw(st.integers(0, i - 1)), i) for i in range(1, nodes)}
    pairs = st.tuples(st.integers(0, nodes - 1), st.integers(0, nodes - 1))
    for u, v in draw(st.lists(pairs, max_size=12)):
        if u != v and (u, v) not in links and (directed or (v, u) not in links):
            links.add((u, v))
    return nodes, draw(st.permutations(sorted(links))), directed


@given(graphs())
def test_ports_are_in_the_order_of_neighbours(
    graph: tuple[int, list[tuple[int, int]], bool],
) -> None:
    nodes, links, directed = graph
    reference: nx.DiGraph[int] = nx.DiGraph(links)
    if not directed:
        reference.add_edges_from([(v, u) for u, v in links])
    topology = EdgeList(links=links, nodes=nodes, directed=directed)
    degree = max(*(d for _, d in reference.out_degree), *(d for _, d in reference.in_degree))
    assert (topology.nodes, topology.degree) == (nodes, degree)
    for node in range(nodes):
        after, before = sorted(reference.successors(node)), sorted(reference.predecessors(node))
        assert topology.neighbour[node].tolist() == after + [-1] * (degree - len(after))
        assert topology.origin[node].tolist() == before + [-1] * (degree - len(before))
        for port, other in enumerate(after):
            arrival = sorted(reference.predecessors(other)).index(node)
            assert topology.arrival_port[node, port] == arrival
    assert topology.directed == any(not reference.has_edge(v, u) for u, v in reference.edges)


def test_names() -> None:
    topology = EdgeList(links=PATH, nodes=3, names=["host", "switch 1", "2"])
    assert [topology.name(node) for node in range(3)] == ["host", "switch 1", "2"]
    assert [topology.node(name) for name in ("host", " switch 1 ", "2", "0")] == [0, 1, 2, 0]
    with pytest.raises(
        ValueError, match=r"^Node needs a number in 0\.\.2 or a name of the edge list, not 'hots'$"
    ):
        topology.node("hots")
    with pytest.raises(ValueError, match=r"^Node needs a number in 0\.\.2, not 3$"):
        topology.node("3")


def test_nodes_are_numbers_without_names() -> None:
    topology = EdgeList(links=PATH, nodes=3)
    assert [topology.name(node) for node in range(3)] == ["0", "1", "2"]
    assert topology.constants() == {"links": 2}
    assert topology.port_names == ("L0", "L1")


@pytest.mark.parametrize(
    ("links", "message"),
    [
        (PATH * 500_001, "links in 1..1000000, not 1000002"),
        *(
            ([*spokes, *AROUND], "at most 15 links at a node, not 16 at 0")
            for spokes in ([(0, i) for i in range(1, 17)], [(i, 0) for i in range(1, 17)])
        ),
    ],
)
def test_refuses_too_many_links(links: list[tuple[int, int]], message: str) -> None:
    assert EdgeList(links=[(0, leaf) for leaf in range(1, 16)], nodes=16).degree == 15
    with pytest.raises(ValueError, match=f"^Edge-list needs {re.escape(message)}$"):
        EdgeList(links=links, nodes=17, directed=True)

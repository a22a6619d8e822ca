import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.arrays import BoolArray
from fingerpost.golden.reliability.monte_carlo import link_numbers, survives
from fingerpost.golden.topology.base import Topology
from fingerpost.golden.topology.double_loop import DirectedChordalRing, DoubleLoop
from fingerpost.golden.topology.edge_list import EdgeList
from tests.golden.borel_group import EXAMPLE
from tests.golden.graphs import Edges


class Leaves(EdgeList):
    """A binary tree of 7 nodes, with terminals at its leaves and a ring of links around them."""

    def __init__(self) -> None:
        tree = [(0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (2, 6)]
        super().__init__(links=[*tree, (3, 6)], nodes=7)
        self.terminals = np.array([3, 4, 5, 6])


NETWORKS: dict[str, Topology] = {
    "borel": EXAMPLE.topology(),
    "double loop": DoubleLoop(nodes=9, a=1, b=3),
    "chordal ring": DirectedChordalRing(nodes=8, w=5),
    "leaves": Leaves(),
    "petersen": Edges(nx.petersen_graph()),
    "one link": EdgeList(links=[(0, 1)], nodes=2),
}


def independent(topology: Topology, alive: BoolArray, works: BoolArray) -> bool:
    """Whether one copy survives; works is (nodes, out-ports)."""
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(np.flatnonzero(alive).tolist())
    for node, port in np.argwhere(works & (topology.neighbour >= 0)).tolist():
        other = int(topology.neighbour[node, port])
        if alive[node] and alive[other]:
            graph.add_edge(node, other)
    living = [node for node in topology.terminals.tolist() if alive[node]]
    return len(living) > 1 and all(nx.has_path(graph, a, b) for a in living for b in living)


@pytest.mark.parametrize("topology", NETWORKS.values(), ids=NETWORKS)
@pytest.mark.parametrize("failure", [0.15, 0.3])
def test_is_what_networkx_says_of_every_copy(topology: Topology, failure: float) -> None:
    rng = np.random.default_rng(1)
    count, number = link_numbers(topology)
    alive = rng.random((topology.nodes, 128)) >= failure
    works = rng.random((count, 128)) >= failure
    words = [np.packbits(bits, axis=1).view(np.uint64) for bits in (alive, works)]
    survived = np.unpackbits(survives(topology, *words).view(np.uint8)).astype(bool)
    # In terms of out-ports: the link there is the one at the in-port where it ends.
    end = topology.neighbour, topology.arrival_port
    at_out_port = np.where(topology.neighbour >= 0, number[end], -1)
    expected = [
        independent(topology, alive[:, copy], works[:, copy][at_out_port]) for copy in range(128)
    ]
    assert survived.tolist() == expected
    if topology.nodes > 2:
        assert 0 < sum(expected) < 128


def test_undirected_links_have_one_number() -> None:
    for name, links in {"borel": 42, "leaves": 7, "petersen": 15, "one link": 1}.items():
        topology = NETWORKS[name]
        count, number = link_numbers(topology)
        assert count == links
        node, port = np.nonzero(topology.neighbour >= 0)
        other, back = topology.neighbour[node, port], topology.arrival_port[node, port]
        assert (number[node, port] == number[other, back]).all()
        assert np.bincount(number[node, port]).tolist() == [2] * links


def test_directed_links_have_their_own_number() -> None:
    for name, links in {"double loop": 18, "chordal ring": 12}.items():
        count, number = link_numbers(NETWORKS[name])
        assert count == links
        assert sorted(number[number >= 0].tolist()) == list(range(links))


@given(st.sets(st.integers(0, 20), max_size=3))
def test_the_living_are_counted(living: set[int]) -> None:
    # All links work; neighbours of node 0 are 3, 4, 11, 18 in the example.
    topology = NETWORKS["borel"]
    alive = np.zeros((21, 1), np.uint64)
    alive[list(living)] = 1
    works = np.ones((42, 1), np.uint64)
    mask = np.zeros(21, bool)
    mask[list(living)] = True
    expected = independent(topology, mask, np.ones((21, 4), bool))
    assert survives(topology, alive, works).tolist() == [int(expected)]

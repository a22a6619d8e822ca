import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fingerpost.golden.reliability.enumeration import connected_patterns, enumeration
from fingerpost.golden.reliability.links import Links, double_loop
from tests.golden.reliability.brute import LINK, NODE, brute


@st.composite
def small_links(draw: st.DrawFn) -> Links:
    """Draw nodes and links at will: parallel ones and unconnected nodes too."""
    nodes = draw(st.integers(2, 4))
    pairs = st.permutations(range(nodes)).map(lambda order: order[:2])
    ends = draw(st.lists(pairs, min_size=1, max_size=6))
    start, end = np.array(ends).T
    kind = np.array(draw(st.lists(st.integers(0, 2), min_size=len(ends), max_size=len(ends))))
    return Links(nodes, start, end, kind, both_ways=draw(st.booleans()))


@settings(max_examples=25)
@given(small_links())
def test_is_the_sum_over_all_patterns(links: Links) -> None:
    assert enumeration(links, NODE, LINK) == brute(links)


def test_patterns_of_a_ring_of_three() -> None:
    # One way round, all must work; and no two of three nodes are strongly connected.
    ring = Links(3, np.arange(3), np.array([1, 2, 0]), np.zeros(3, int), both_ways=False)
    assert connected_patterns(ring) == {(3, 0, 3, 0): 1}
    # Both ways: any two of three links, or two nodes and the link between them.
    ring = ring._replace(both_ways=True)
    assert connected_patterns(ring) == {(3, 0, 3, 0): 1, (3, 0, 2, 1): 3, (2, 1, 1, 0): 3}


def test_patterns_with_all_nodes_are_spanning_trees_of_networkx() -> None:
    graph = nx.petersen_graph()
    start, end = np.array(graph.edges).T
    links = Links(10, start, end, np.zeros(15, int), both_ways=True)
    trees = round(nx.number_of_spanning_trees(graph))
    assert connected_patterns(links)[10, 0, 9, 6] == trees == 2000


def test_refuses_what_would_not_fit() -> None:
    with pytest.raises(ValueError, match=r"^Enumeration needs at most 20 links, not 22$"):
        enumeration(double_loop(11, 1, 2), NODE, LINK)

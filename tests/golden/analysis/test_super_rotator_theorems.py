from itertools import combinations
from math import factorial

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.analysis.super_rotator_theorems import (
    claims,
    degrees,
    links,
    radix,
    strong_connectedness,
)
from fingerpost.golden.topology.base import summary
from fingerpost.golden.topology.rotator import SuperRotator
from tests.golden.graphs import Edges, links_of
from tests.golden.super_rotator_graph import Plain, digits
from tests.quick import only


def survives(graph: "nx.DiGraph[int]", failures: int) -> bool:
    """Whether the nodes that any so many failures leave reach one another."""
    for gone in combinations(graph, failures):
        rest = graph.subgraph(set(graph) - set(gone))
        if len(rest) < 2 or not nx.is_strongly_connected(rest):
            return False
    return True


@given(st.integers(1, 10**6))
def test_mixed_radix(nodes: int) -> None:
    found = radix(nodes)
    assert {i: c for i, c in enumerate(found, start=1) if c} == digits(nodes)
    assert sum(c * factorial(i) for i, c in enumerate(found, start=1)) == nodes


@pytest.mark.parametrize("nodes", range(3, 30))
def test_strong_connectedness_is_what_failures_show(nodes: int) -> None:
    topology = SuperRotator(nodes=nodes)
    xi = strong_connectedness(topology)
    graph = nx.DiGraph(links_of(topology))
    assert survives(graph, xi)
    assert not survives(graph, xi + 1)


@given(st.integers(4, 9), st.data())
def test_strong_connectedness_of_any_graph(nodes: int, data: st.DataObject) -> None:
    pairs = list(combinations(range(nodes), 2))
    chosen = data.draw(st.sets(st.sampled_from(pairs), min_size=nodes))
    graph = nx.Graph(sorted(chosen))
    graph.add_edges_from(nx.utils.pairwise(range(nodes), cyclic=True))
    assert strong_connectedness(Edges(graph)) == nx.node_connectivity(graph) - 1


def test_strong_connectedness_of_a_cut_vertex() -> None:
    bow_tie: nx.Graph[int] = nx.Graph([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2)])
    assert strong_connectedness(Edges(bow_tie)) == 0
    # The nodes 0 and 1, between which the flows are looked at one by one, on different sides.
    turned: nx.Graph[int] = nx.Graph([(0, 4), (4, 2), (2, 0), (1, 4), (4, 3), (3, 1)])
    assert strong_connectedness(Edges(turned)) == 0
    assert strong_connectedness(Edges(nx.disjoint_union(bow_tie, bow_tie))) == -1


@pytest.mark.parametrize("nodes", range(2, 131))
def test_theorems_3_to_5_and_corollary_1(nodes: int) -> None:
    topology, claim = SuperRotator(nodes=nodes), claims(nodes)
    assert claim.n == topology.n
    assert links(topology) == claim.links == len(Plain(nodes).links)
    found = degrees(topology)
    assert found.max(axis=1).tolist() == [claim.max_degree] * 2
    assert claim.max_degree <= claim.max_degree_bound == claim.n + 1
    assert found.min() == claim.min_degree == claim.n - 1
    assert summary(topology)[0] <= claim.diameter_bound == 2 * claim.n


LARGER = [*(n for n in range(61, 301) if n % 24 in (0, 1, 5, 6, 23)), 719]


@pytest.mark.parametrize("nodes", only(range(2, 61), [*range(2, 61), *LARGER]))
def test_theorem_1(nodes: int) -> None:
    claim = claims(nodes)
    assert strong_connectedness(SuperRotator(nodes=nodes)) == claim.strong_connectedness


@pytest.mark.parametrize(("i", "m"), [(i, m) for i in range(2, 6) for m in range(1, i + 1)])
def test_theorem_2(i: int, m: int) -> None:
    topology = SuperRotator(nodes=m * factorial(i))
    diameter = i - 1 if m == 1 else 2 * i + 1 - m  # exact; the paper has 2i - 1 at most
    assert summary(topology)[0] == diameter <= 2 * i - 1
    if i < 5:
        assert nx.diameter(nx.DiGraph(links_of(topology))) == diameter

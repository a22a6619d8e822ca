from collections import Counter
from itertools import product

import networkx as nx
import pytest

from fingerpost.golden.analysis.metacyclic import (
    generators,
    groups,
    metacyclic,
    multipliers,
)
from fingerpost.golden.topology import Metacyclic
from tests.golden.borel_group import breadth_first
from tests.golden.topology.test_metacyclic import links, neighbours

DEEP = 20
"""No graph of these groups is deeper."""

Profile = tuple[tuple[int, int], ...]


def profile(m: int, k: int, r: int, A: tuple[int, int], B: tuple[int, int]) -> Profile | None:
    """How many nodes there are at each distance; None if some have none."""
    ends = neighbours((m, k, r), A, B)
    distance = breadth_first(m * k, lambda v: ends[v], 0)
    return None if -1 in distance else tuple(sorted(Counter(distance).items()))


@pytest.mark.parametrize(
    ("m", "k", "r"),
    [
        *((8, 2, 3), (8, 4, 3), (9, 3, 4), (15, 2, 4), (6, 4, 5), (12, 2, 7)),
        pytest.param(7, 6, 2, marks=pytest.mark.regress),
    ],
)
def test_no_graph_of_a_group_is_left_out(m: int, k: int, r: int) -> None:
    """Every pair of elements, and the pairs that the search takes, by their distances."""
    every = set()
    elements = list(product(range(k), range(m)))
    for A, B in product(elements, elements):
        if len({(0, 0), *links((m, k, r), A, B)}) == 5 and (found := profile(m, k, r, A, B)):
            every.add(found)
    taken = [((t1, y1), (t2, y2)) for t1, y1, t2, y2 in generators(m, k, r, DEEP).tolist()]
    searched = {profile(m, k, r, A, B) for A, B in taken} - {None}
    assert searched == every
    assert len(taken) < len(elements) ** 2 / 8
    for s, t1, y1, t2, y2, diameter in metacyclic(m, k, DEEP)[1]:
        if s != r:
            continue
        found = profile(m, k, r, (t1, y1), (t2, y2))
        assert found
        assert found[-1][0] == diameter


@pytest.mark.parametrize("m", [7, 8, 15, 21])
@pytest.mark.parametrize("k", [2, 3, 6, 12])
def test_multipliers_are_one_of_each_cyclic_group(m: int, k: int) -> None:
    def powers(r: int) -> frozenset[int]:
        return frozenset(pow(r, i, m) for i in range(k))

    every = {powers(r) for r in range(2, m) if pow(r, k, m) == 1}
    found = [powers(r) for r in multipliers(m, k)]
    assert len(found) == len(set(found))
    assert set(found) == every


def test_groups_come_large_to_small() -> None:
    found = groups(40, 60, 4)
    sizes = [m * k for m, k in found]
    assert sizes == sorted(sizes, reverse=True)
    assert {40, 60} <= set(sizes)
    assert (19, 3) in found
    assert len(found) == len(set(found))


def test_the_largest_of_diameter_7_in_the_tables() -> None:
    """1,155 nodes, as many as the largest Cayley graph of degree 4 and diameter 7 that is known."""
    tried, [(r, t1, y1, t2, y2, diameter)] = metacyclic(77, 15, 7)
    assert tried > 100
    topology = Metacyclic(m=77, k=15, r=r, A=(t1, y1), B=(t2, y2))
    edges = [(v, int(w)) for v in range(topology.nodes) for w in topology.neighbour[v]]
    assert diameter == nx.diameter(nx.Graph(edges)) == 7
    assert topology.nodes == 1155

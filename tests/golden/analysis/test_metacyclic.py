from collections import Counter
from itertools import combinations, product

import networkx as nx
import pytest

from fingerpost.golden.analysis.dense import moore, words
from fingerpost.golden.analysis.metacyclic import (
    cubic,
    cubic_groups,
    cubic_moore,
    generators,
    groups,
    metacyclic,
    multipliers,
)
from fingerpost.golden.topology import Metacyclic, MetacyclicCubic
from tests.golden.borel_group import breadth_first
from tests.golden.graphs import links_of
from tests.golden.metacyclic_group import Element, cayley, links, times

DEEP = 20
"""No graph of these groups is deeper."""

Profile = tuple[tuple[int, int], ...]


def profile(
    m: int, k: int, r: int, A: tuple[int, int], B: tuple[int, int], degree: int
) -> Profile | None:
    """How many nodes there are at each distance; None if some have none."""
    ends = cayley((m, k, r), [A, B], directed=degree == 2)
    distance = breadth_first(m * k, lambda v: ends[v], 0)
    return None if -1 in distance else tuple(sorted(Counter(distance).items()))


@pytest.mark.parametrize("two_way", [True, False])
@pytest.mark.parametrize(
    ("m", "k", "r"),
    [
        *((8, 2, 3), (8, 4, 3), (9, 3, 4), (15, 2, 4), (6, 4, 5), (12, 2, 7)),
        pytest.param(7, 6, 2, marks=pytest.mark.regress),
    ],
)
def test_no_graph_of_a_group_is_left_out(m: int, k: int, r: int, two_way: bool) -> None:
    """Every pair of elements, and the pairs that the search takes, by their distances."""
    degree = 4 if two_way else 2
    every = set()
    elements = list(product(range(k), range(m)))
    for A, B in product(elements, elements):
        if len({(0, 0), *links((m, k, r), [A, B], directed=not two_way)}) > degree:
            every.add(profile(m, k, r, A, B, degree))
    pairs = generators(m, k, r, DEEP, two_way=two_way).tolist()
    taken = [((t1, y1), (t2, y2)) for t1, y1, t2, y2 in pairs]
    searched = {profile(m, k, r, A, B, degree) for A, B in taken}
    assert searched - {None} == every - {None}
    assert len(taken) < len(elements) ** 2 / degree / 2
    for s, t1, y1, t2, y2, diameter in metacyclic(m, k, DEEP, two_way=two_way)[1]:
        if s != r:
            continue
        found = profile(m, k, r, (t1, y1), (t2, y2), degree)
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


@pytest.mark.regress
def test_the_largest_of_diameter_7_in_the_tables() -> None:
    """1,155 nodes, as many as the largest Cayley graph of degree 4 and diameter 7 that is known."""
    tried, [(r, t1, y1, t2, y2, diameter)] = metacyclic(77, 15, 7)
    assert tried > 100
    topology = Metacyclic(m=77, k=15, r=r, A=(t1, y1), B=(t2, y2))
    assert diameter == nx.diameter(nx.Graph(links_of(topology))) == 7
    assert topology.nodes == 1155


@pytest.mark.parametrize("diameter", [1, 2, 5])
def test_words_of_one_way_links_are_all_words_of_two_letters(diameter: int) -> None:
    every = Counter(
        (diameter + word.count("A"), diameter + word.count("B"))
        for length in range(diameter + 1)
        for word in product("AB", repeat=length)
    )
    counted = words(diameter, two_way=False)
    assert {(i, j): counted[i, j] for i, j in zip(*counted.nonzero(), strict=True)} == every
    assert counted.sum() == moore(diameter, two_way=False) == every.total()


def diameters(m: int, k: int, r: int) -> set[int]:
    """The diameters of all cubic Cayley graphs of a group, from every set of generators."""
    group = (m, k, r)
    every: list[Element] = [(t, y) for t in range(k) for y in range(m)]
    product = {(g, h): times(g, h, group) for g in every for h in every}
    inverse = {g: h for (g, h), end in product.items() if end == (0, 0)}
    found = set()
    for taken in combinations(every[1:], 3):
        if {inverse[g] for g in taken} == set(taken):
            graph = nx.Graph((v, product[v, g]) for v in every for g in taken)
            if nx.is_connected(graph):
                found.add(nx.diameter(graph))
    return found


@pytest.mark.parametrize(("m", "k"), [(4, 2), (5, 2), (3, 4), (5, 4), (8, 2), (7, 3)])
def test_search_of_cubic_graphs_finds_all_diameters(m: int, k: int) -> None:
    multipliers = [r for r in range(2, m) if pow(r, k, m) == 1]
    expected = {d for r in multipliers for d in diameters(m, k, r)}
    most = max(expected, default=9)
    _, found = cubic(m, k, most)
    assert {graph[-1] for graph in found} == expected
    for r, *chosen, diameter in found:
        generators = dict(zip("ABC", zip(chosen[::2], chosen[1::2], strict=True), strict=False))
        topology = MetacyclicCubic(m=m, k=k, r=r, **generators)
        assert nx.diameter(nx.Graph(links_of(topology))) == diameter
    assert ((m, k) in cubic_groups(m * k, m * k, most)) == (m * k % 2 == 0)


def test_moore_bound_of_cubic_graphs() -> None:
    assert [cubic_moore(diameter) for diameter in (1, 2, 3)] == [4, 10, 22]  # K4, Petersen

"""Searches of dense Cayley graphs against all graphs of small groups, and graphs that are known."""

from collections import Counter
from itertools import combinations, pairwise, product
from math import gcd

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.analysis.dense import (
    dense,
    diameters,
    element,
    groups,
    moore,
    room,
    steps,
    words,
)
from fingerpost.golden.analysis.metacyclic import (
    cubic,
    cubic_groups,
    generators,
    metacyclic,
    multipliers,
)
from fingerpost.golden.topology import Borel, Metacyclic, MetacyclicCubic
from fingerpost.golden.topology.base import summary
from tests.golden.borel_group import PRIMES, Group, breadth_first
from tests.golden.graphs import links_of
from tests.golden.metacyclic_group import Element, cayley, links, times

SMALL = [(p, k) for p in PRIMES for k in range(3, p) if (p - 1) % k == 0 and p * k <= 160]

small_groups = st.sampled_from(SMALL)


def order(a: int, p: int) -> int:
    return next(i for i in range(1, p) if a**i % p == 1)


def of_order(p: int, k: int) -> list[int]:
    return [a for a in range(1, p) if order(a, p) == k]


# What the paper, docs/reference/errata.md and an earlier search say


@pytest.mark.parametrize(
    ("p", "a", "k", "t"),
    [
        (709, 20, 59, (2, 22)),  # n = 41,831, Section I of two-phase-1995
        (709, 20, 59, (19, 27)),
        (883, 17, 49, (4, 18)),
        (1321, 53, 33, (4, 10)),
    ],
)
def test_known_graphs_of_diameter_11(p: int, a: int, k: int, t: tuple[int, int]) -> None:
    assert diameters(p, a, k, np.array([t]), 11).tolist() == [11]
    assert diameters(p, a, k, np.array([t]), 10).tolist() == [-1]
    assert (*t, 11) in dense(p, k, 0, 10_000, 11)
    assert summary(Borel(p=p, a=a, A=(t[0], 1), B=(t[1], 1)))[0] == 11


@pytest.mark.regress
def test_claim_of_38764_nodes_does_not_hold() -> None:
    """For no t1 < t2 at all, symmetric duplicates or not."""
    every = np.array([t for t in product(range(44), repeat=2) if t[0] < t[1] and gcd(*t, 44) == 1])
    a = of_order(881, 44)[0]
    for batch in np.array_split(every, 60):
        assert (diameters(881, a, 44, batch, 11) == -1).all()
    assert dense(881, 44, 0, 10_000, 11) == []


# Which graphs there are


@pytest.mark.parametrize(("p", "k"), [(5, 4), (7, 3), (7, 6), (13, 4)])
def test_every_borel_cayley_graph_is_one_of_the_steps(p: int, k: int) -> None:
    """Any generators, any y, any a: the graph with the listed steps is isomorphic."""
    least, *others = of_order(p, k)
    listed = {}
    for t1, t2 in steps(k).tolist():
        graph = Group(p, least, (t1, 1), (t2, 1))
        assert graph.is_valid
        key = frozenset([frozenset([t1, -t1 % k]), frozenset([t2, -t2 % k])])
        assert key not in listed
        listed[key] = nx.Graph([(v, w) for v, row in enumerate(graph.neighbours) for w in row])
    rng = np.random.default_rng(p * k)
    seen = set()
    for a in (least, *others):
        # Step t of a is step u*t of the least element of order k, for a = least^u.
        u = next(u for u in range(k) if pow(least, u, p) == a)
        for t1, t2 in product(range(k), repeat=2):
            y1, y2 = rng.integers(p, size=2).tolist()
            graph = Group(p, a, (t1, y1), (t2, y2))
            if graph.is_valid:
                pairs = [frozenset([t * u % k, -t * u % k]) for t in (t1, t2)]
                seen.add(frozenset(pairs))
                links = [(v, w) for v, row in enumerate(graph.neighbours) for w in row]
                assert nx.is_isomorphic(nx.Graph(links), listed[frozenset(pairs)])
    assert seen == listed.keys()


@pytest.mark.parametrize(
    ("p_min", "p_max", "n_min", "n_max"),
    [(2, 60, 1, 10_000), (7, 43, 100, 900), (3, 10**6, 1, 200), (24, 28, 1, 10_000), (2, 2, 1, 9)],
)
def test_groups_are_all_primes_and_divisors(p_min: int, p_max: int, n_min: int, n_max: int) -> None:
    expected = [
        (p, k)
        for p in range(p_min, min(p_max, n_max) + 1)
        if p > 1 and all(p % d for d in range(2, p))
        for k in range(3, p)
        if (p - 1) % k == 0 and n_min <= p * k <= n_max
    ]
    found = groups(p_min, p_max, n_min, n_max)
    assert sorted(found) == expected
    sizes = [p * k for p, k in found]
    assert sizes == sorted(sizes, reverse=True)


# How far they reach


def reduced_words(diameter: int) -> list[tuple[int, ...]]:
    """Words over A, B, a, b without a letter beside its inverse."""
    return [
        word
        for length in range(diameter + 1)
        for word in product(range(4), repeat=length)
        if all((x - y) % 4 != 2 for x, y in pairwise(word))
    ]


@pytest.mark.parametrize("diameter", range(6))
def test_words_are_those_of_the_free_group(diameter: int) -> None:
    every = reduced_words(diameter)
    expected = np.zeros((2 * diameter + 1,) * 2)
    for word in every:
        i, j = (word.count(x) - word.count(x + 2) for x in (0, 1))
        expected[diameter + i, diameter + j] += 1
    assert words(diameter).tolist() == expected.tolist()
    assert moore(diameter) == len(every)


@given(small_groups, st.integers(1, 9), st.data())
def test_diameters_are_those_of_the_matrices(
    group: tuple[int, int], most: int, data: st.DataObject
) -> None:
    p, k = group
    a = data.draw(st.sampled_from(of_order(p, k)))
    batch = data.draw(st.lists(st.sampled_from(steps(k).tolist()), min_size=1, max_size=4))
    expected = [max(Group(p, a, (t1, 1), (t2, 1)).away) for t1, t2 in batch]
    found = diameters(p, a, k, np.array(batch), most)
    assert found.tolist() == [d if d <= most else -1 for d in expected]
    for fewest, diameter in zip(room(k, np.array(batch), most), expected, strict=True):
        assert fewest >= p or diameter > most


@pytest.mark.parametrize("most", [3, 4, 7])
def test_small_search_finds_what_networkx_does(most: int) -> None:
    """Diameters on both sides of the length up to which words are listed."""
    for p, k in SMALL:
        expected = []
        for t1, t2 in steps(k).tolist():
            near = Group(p, element(p, k), (t1, 1), (t2, 1)).neighbours
            graph = nx.Graph([(v, w) for v, row in enumerate(near) for w in row])
            diameter = nx.eccentricity(graph, 0)
            if diameter <= most:
                expected.append((t1, t2, diameter))
        assert dense(p, k, 0, 10_000, most) == expected


def test_slices_make_the_whole() -> None:
    whole = dense(47, 23, 0, 10_000, 7)
    parts = [graph for first in range(0, 70, 10) for graph in dense(47, 23, first, first + 10, 7)]
    assert parts == whole
    assert len(parts) > 1


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


@pytest.mark.regress
def test_the_largest_of_diameter_7_in_the_tables() -> None:
    """1,155 nodes, as many as the largest Cayley graph of degree 4 and diameter 7 that is known."""
    tried, [(r, t1, y1, t2, y2, diameter)] = metacyclic(77, 15, 7)
    assert tried > 100
    topology = Metacyclic(m=77, k=15, r=r, A=(t1, y1), B=(t2, y2))
    assert diameter == nx.diameter(nx.Graph(links_of(topology))) == 7
    assert topology.nodes == 1155


def cubic_diameters(m: int, k: int, r: int) -> set[int]:
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
    expected = {d for r in multipliers for d in cubic_diameters(m, k, r)}
    most = max(expected, default=9)
    _, found = cubic(m, k, most)
    assert {graph[-1] for graph in found} == expected
    for r, *chosen, diameter in found:
        generators = dict(zip("ABC", zip(chosen[::2], chosen[1::2], strict=True), strict=False))
        topology = MetacyclicCubic(m=m, k=k, r=r, **generators)
        assert nx.diameter(nx.Graph(links_of(topology))) == diameter
    assert ((m, k) in cubic_groups(m * k, m * k, most)) == (m * k % 2 == 0)

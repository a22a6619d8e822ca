"""Routing by letters in rotator and Kautz graphs, against breadth-first search and strings."""

from functools import cache
from itertools import permutations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.routing import ClassRouting, Routing
from fingerpost.golden.routing.kautz_shift import Shift, overlap
from fingerpost.golden.routing.rotator import LongestSuffix, rotation
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.topology import Kautz, Rotator, SuperRotator
from tests.golden.graphs import check_shortest
from tests.golden.super_rotator_graph import rotated, vertex_number


def breadth_first(n: int) -> dict[tuple[int, ...], int]:
    """The distance of every label to 0, 1, 2..., against the direction of the links."""
    graph = nx.DiGraph(
        (rotated(word, letters), word)
        for word in permutations(range(n))
        for letters in range(2, n + 1)
    )
    return dict(nx.single_source_shortest_path_length(graph, tuple(range(n))))


@pytest.mark.parametrize("n", range(2, 8))
def test_k_is_the_distance_and_g_l_lowers_it(n: int) -> None:
    away = breadth_first(n)
    words = list(away)
    k, letters = rotation(np.array(words))
    for word, waiting, length in zip(words, k.tolist(), letters.tolist(), strict=True):
        assert waiting == away[word]
        if waiting:
            assert 2 <= length <= n
            assert away[rotated(word, length)] == waiting - 1


@given(st.integers(6, 8), st.data())
def test_routes_of_larger_rotator_graphs_are_as_long_as_the_diameter_at_most(
    n: int, data: st.DataObject
) -> None:
    routing = LongestSuffix(graph(n))
    pairs = [data.draw(st.permutations(range(1, n + 1))) for _ in range(2)]
    source, goal = (np.array([vertex_number(tuple(word))]) for word in pairs)
    assert walk(routing, source, goal).hops.max() <= n - 1


@cache
def graph(n: int) -> Rotator:
    return Rotator(n=n)


@given(st.integers(1, 6), st.data())
def test_overlap_is_that_of_strings(letters: int, data: st.DataObject) -> None:
    texts = st.text("abc", min_size=letters, max_size=letters)
    word, goal = data.draw(texts), data.draw(texts)
    expected = next(k for k in range(letters, -1, -1) if word.endswith(goal[:k]))
    found = overlap(np.array([[ord(x) for x in word]]), np.array([[ord(x) for x in goal]]))
    assert found.tolist() == [expected]


@pytest.mark.parametrize(
    "routing",
    [
        *(LongestSuffix(Rotator(n=n)) for n in range(2, 6)),
        *(ClassRouting(SuperRotator(nodes=nodes)) for nodes in (6, 24, 120)),
        *(
            Shift(Kautz(degree=d, diameter=D))
            for d, D in [(2, 1), (2, 2), (2, 4), (2, 6), (3, 3), (4, 3), (6, 2)]
        ),
    ],
    ids=lambda routing: f"{routing.algorithm}-{routing.topology.nodes}",
)
def test_every_route_is_shortest(routing: Routing) -> None:
    check_shortest(routing)


def test_header_of_rotator_graphs_says_where_the_letters_stand() -> None:
    routing = LongestSuffix(Rotator(n=4))
    # In 3142 letter 1 stands at place 1, letter 2 at 3, 3 at 0 and 4 at 2; two bits each.
    goal = vertex_number((3, 1, 4, 2))
    header = routing.encode(np.array([5]), np.array([goal]))
    assert header.tolist() == [1 | 3 << 2 | 0 << 4 | 2 << 6]
    assert routing.header.width == 8
    decision = routing.decide(np.array([5, goal]), np.array([3, 0]), np.repeat(header, 2))
    assert decision.header.tolist() == header.tolist() * 2
    assert decision.port[1] == 3
    assert decision.error.tolist() == [0, 0]


def test_header_of_kautz_graphs_is_the_word_of_the_destination() -> None:
    topology = Kautz(degree=2, diameter=4)
    routing = Shift(topology)
    node, goal = topology.node("abca"), topology.node("cabc")
    header = routing.encode(np.array([node]), np.array([goal]))
    assert header.tolist() == [2 | 0 << 2 | 1 << 4 | 2 << 6]
    assert routing.header.width == 8
    decision = routing.decide(np.array([node, goal]), np.array([2, 0]), np.repeat(header, 2))
    # abca ends in ca, with which cabc begins: the next letter is b, the first behind the last, a.
    assert decision.port.tolist() == [0, topology.local]
    assert decision.header.tolist() == header.tolist() * 2
    assert decision.error.tolist() == [0, 0]

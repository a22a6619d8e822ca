from functools import cache
from itertools import permutations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.routing.rotator import LongestSuffix, is_permutation, rotation
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.topology.rotator import Rotator
from tests.golden.super_rotator_graph import rotated, vertex_number


@pytest.fixture(scope="module")
def routing() -> LongestSuffix:
    return LongestSuffix(Rotator(n=4))


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


@pytest.mark.parametrize("n", range(2, 6))
def test_every_route_is_shortest(n: int) -> None:
    topology = Rotator(n=n)
    nodes = np.arange(topology.nodes)
    hops = walk(LongestSuffix(topology), np.repeat(nodes, len(nodes)), np.tile(nodes, len(nodes)))
    pairs = [(u, int(v)) for u in nodes.tolist() for v in topology.neighbour[u]]
    away = dict(nx.all_pairs_shortest_path_length(nx.DiGraph(pairs)))
    expected = [away[u][v] for u in nodes.tolist() for v in nodes.tolist()]
    assert hops.hops.tolist() == expected


@given(st.integers(6, 8), st.data())
def test_routes_of_larger_graphs_are_as_long_as_the_diameter_at_most(
    n: int, data: st.DataObject
) -> None:
    routing = LongestSuffix(graph(n))
    pairs = [data.draw(st.permutations(range(1, n + 1))) for _ in range(2)]
    source, goal = (np.array([vertex_number(tuple(word))]) for word in pairs)
    assert walk(routing, source, goal).hops.max() <= n - 1


@cache
def graph(n: int) -> Rotator:
    return Rotator(n=n)


def test_header_says_where_the_letters_stand(routing: LongestSuffix) -> None:
    # In 3142 letter 1 stands at place 1, letter 2 at 3, 3 at 0 and 4 at 2; two bits each.
    goal = vertex_number((3, 1, 4, 2))
    header = routing.encode(np.array([5]), np.array([goal]))
    assert header.tolist() == [1 | 3 << 2 | 0 << 4 | 2 << 6]
    assert routing.header.width == 8
    decision = routing.decide(np.array([5, goal]), np.array([3, 0]), np.repeat(header, 2))
    assert decision.header.tolist() == header.tolist() * 2
    assert decision.port[1] == 3
    assert decision.error.tolist() == [0, 0]


def test_terminals_are_refused_just_where_the_header_is_no_permutation(
    routing: LongestSuffix,
) -> None:
    header = np.arange(256)
    for node in (0, 7, 23):
        for arrival in range(4):
            decision = routing.decide(np.full(256, node), np.full(256, arrival), header)
            named = [len({h >> 2 * a & 3 for a in range(4)}) == 4 for h in header.tolist()]
            assert decision.error.tolist() == [arrival == 3 and not x for x in named]
            assert decision.port.min() >= 0
            assert decision.port.max() <= 3


@given(st.integers(2, 6), st.data())
def test_any_bits_are_decided(n: int, data: st.DataObject) -> None:
    routing = LongestSuffix(graph(n))
    header = np.array(data.draw(st.lists(st.integers(0, 2**63 - 1), min_size=1)))
    node = np.full(len(header), data.draw(st.integers(0, routing.topology.nodes - 1)))
    on_the_way = routing.decide(node, np.zeros_like(node), header)
    assert not on_the_way.error.any()
    decision = routing.decide(node, np.full_like(node, n - 1), header)
    assert decision.port.tolist() == on_the_way.port.tolist()
    width = (n - 1).bit_length()
    for h, error in zip(header.tolist(), decision.error.tolist(), strict=True):
        assert error == (sorted(h >> a * width & (1 << width) - 1 for a in range(n)) != [*range(n)])


def test_is_permutation() -> None:
    labels = np.array([[0, 1, 2], [2, 0, 1], [0, 0, 1], [1, 2, 3], [0, 1, 3]])
    assert is_permutation(labels).tolist() == [True, True, False, False, False]


def test_straps(routing: LongestSuffix) -> None:
    assert list(routing.straps) == [f"letter{t}" for t in range(4)]
    node = vertex_number((3, 1, 4, 2))
    assert [routing.straps.value(f"letter{t}")[node] for t in range(4)] == [2, 0, 3, 1]

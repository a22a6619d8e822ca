"""KYKLOS: headers, decisions, levels against the words of the paper, routes and their channels."""

from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.header import bits
from fingerpost.golden.routing import kyklos_p2
from fingerpost.golden.routing.kyklos import H2, Y2, KyklosRouting, M
from fingerpost.golden.routing.kyklos_p2 import P2, ModifiedP2
from fingerpost.golden.routing.walk import walk
from tests.golden.graphs import channel_dependencies
from tests.golden.kyklos_1988 import Reference, networks

STRATEGIES: tuple[type[KyklosRouting], ...] = (M, H2, P2, ModifiedP2, Y2)
SMALL = [(2, 1, 4), (2, 2, 4), (2, 2, 6), (2, 3, 6), (3, 2, 4), (4, 2, 2), (2, 4, 4), (3, 3, 3)]


def strategies(net: Reference) -> list[type[KyklosRouting]]:
    """Return the algorithms that run on a network."""
    return [
        strategy
        for strategy in STRATEGIES
        if net.variant in strategy.variants and (strategy is not Y2 or net.m == 2)
    ]


def generated_headers(routing: KyklosRouting, source: IntArray, goal: IntArray) -> IntArray:
    """Return the headers as they leave the terminals of the leaves `source`."""
    header, error = routing.generate_header(source, routing.encode(source, goal))
    assert not error.any()
    return header


def levels_of(routing: KyklosRouting, header: IntArray) -> Any:
    """Return L as lists, in the shape of `header`."""
    fields = [routing.header.cut(f"L{t}", header) for t in range(routing.topology.r)]
    return np.stack(fields, axis=-1).tolist()


@settings(deadline=None)
@given(networks(most=70))
def test_p2_is_one_table_for_all_start_trees(net: Reference) -> None:
    # What the hardware looks up at the number Y_s, counted from s on.
    i, j = np.divmod(np.arange(net.leaves**2), net.leaves)
    for strategy in (P2, ModifiedP2):
        routing = strategy(net.topology())
        width, r = routing.header["L0"].width, net.r
        assert routing.table_bits() == {"levels": len(routing.table) * (r * width + bits(r))}
        header = generated_headers(routing, i, j)
        s = routing.straps.value("start")[i]
        x = routing.topology.digits(i) != routing.topology.digits(j)
        y = np.take_along_axis(x, routing.topology.z[s], axis=1)
        entry = routing.table[(y << np.arange(net.n)).sum(axis=1)]
        for k in range(r):
            levels = np.array(levels_of(routing, header))
            here = np.take_along_axis(levels, ((s + k) % r)[:, None], axis=1)[:, 0]
            assert (entry >> k * width & (1 << width) - 1 == here).all()
        assert ((s + (entry >> r * width)) % r == routing.header.cut("last", header)).all()


def expected_levels(net: Reference, algorithm: str, x: str, s: int) -> list[int]:
    """Return L in the proposed network by the words of the paper."""
    if algorithm == "h2":
        return net.h2(x)
    if algorithm == "y2":
        return net.y2(x, s)
    order = [(s + k) % net.r for k in range(net.r)]
    if algorithm == "m":
        lengths = net.m_lengths(x)
        tree = min(order, key=lambda t: lengths[t])
        return [lengths[t] if t == tree else 0 for t in range(net.r)]
    ways = net.ways(x)
    if algorithm == "p2":
        ways.sort(key=lambda way: (np.count_nonzero(way), [-way[t] for t in order]))
    else:
        ways.sort(key=lambda way: (sorted(way, reverse=True), [-way[t] for t in order]))
    return list(ways[0])


@settings(max_examples=20)
@given(networks(most=70), st.data())
def test_levels_are_those_of_the_words(net: Reference, data: st.DataObject) -> None:
    net = Reference(net.m, net.r, net.n)
    i = np.repeat(data.draw(st.integers(0, net.leaves - 1)), net.leaves)
    j = np.arange(net.leaves)
    for strategy in strategies(net):
        routing = strategy(net.topology())
        levels = levels_of(routing, generated_headers(routing, i, j))
        s = net.start(int(i[0]))
        expected = [
            expected_levels(net, strategy.algorithm, net.x(int(i[0]), goal), s)
            for goal in range(net.leaves)
        ]
        assert levels == expected, strategy.algorithm


@pytest.mark.parametrize("r", [1, 2, 3, 4, 6])
def test_y2_for_every_word_and_start_tree(r: int) -> None:
    net = Reference(2, r, 12 if r < 6 else 6)
    routing = Y2(net.topology())
    word, s = np.divmod(np.arange(r << net.n), r)
    x = (word[:, None] >> np.arange(net.n) & 1).astype(bool)
    texts = [f"{w:0{net.n}b}" for w in word.tolist()]
    expected = [net.y2(text, start) for text, start in zip(texts, s.tolist(), strict=True)]
    assert routing.levels(x, s).tolist() == expected


@given(networks(most=70))
def test_shortest_paths_of_all_variants(net: Reference) -> None:
    i, j = np.zeros(net.leaves, np.int64), np.arange(net.leaves)
    ways = [net.ways(net.x(0, goal)) for goal in range(net.leaves)]
    fewest, lowest = (
        levels_of(routing, generated_headers(routing, i, j))
        for routing in (P2(net.topology()), ModifiedP2(net.topology()))
    )
    for goal, choice in enumerate(ways):
        assert tuple(fewest[goal]) in choice
        assert np.count_nonzero(fewest[goal]) == min(map(np.count_nonzero, choice))
        assert tuple(lowest[goal]) in choice
        heights = [sorted(way, reverse=True) for way in choice]
        assert sorted(lowest[goal], reverse=True) == min(heights)


def test_vectors_looked_at_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    net = Reference(2, 3, 6)
    i, j = np.divmod(np.arange(64**2), 64)
    routing = P2(net.topology())
    header = generated_headers(routing, i, j)
    monkeypatch.setattr(kyklos_p2, "PAIRS", 100)
    assert (generated_headers(routing, i, j) == header).all()


def check_routes(net: Reference, strategy: type[KyklosRouting]) -> None:
    topology = net.topology()
    routing = strategy(topology)
    i, j = np.divmod(np.arange(net.leaves**2), net.leaves)
    levels = np.array(levels_of(routing, generated_headers(routing, i, j)))
    routes = walk(routing, i, j)
    assert (routes.hops == 2 * levels.sum(axis=1)).all()
    rng = np.random.default_rng(0)
    for row in rng.choice(len(i), min(len(i), 500), replace=False).tolist():
        a, b = int(i[row]), int(j[row])
        if strategy is Y2:
            x = net.x(a, b)
            wanted = [level > 0 for level in net.h2(x)]
        else:
            wanted = (levels[row] > 0).tolist()
        last = net.first(wanted, net.start(a))
        names = [topology.name(node) for node in routes.nodes[row, : routes.hops[row] + 1]]
        assert names == net.route(a, b, levels[row].tolist(), last)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("parameters", [*SMALL, (2, 4, 8)])
def test_all_pairs(parameters: tuple[int, int, int], strategy: type[KyklosRouting]) -> None:
    net = Reference(*parameters)
    if strategy in strategies(net):
        check_routes(net, strategy)


@settings(deadline=None)
@given(networks(most=100), st.data())
def test_routes_of_any_network(net: Reference, data: st.DataObject) -> None:
    leaf = st.lists(st.integers(0, net.leaves - 1), min_size=20, max_size=20)
    i, j = np.array(data.draw(leaf)), np.array(data.draw(leaf))
    for strategy in strategies(net):
        routing = strategy(net.topology())
        levels = np.sum(levels_of(routing, generated_headers(routing, i, j)), axis=1)
        assert (walk(routing, i, j).hops == 2 * levels).all()


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize(
    "parameters",
    [
        *((2, 1, 4), (2, 2, 4), (2, 2, 6), (2, 3, 6), (2, 5, 5)),
        pytest.param((2, 4, 8), marks=pytest.mark.regress),
    ],
)
def test_two_channels_are_free_of_deadlock(
    strategy: type[KyklosRouting], parameters: tuple[int, int, int]
) -> None:
    routing = strategy(Reference(*parameters).topology())
    graph = channel_dependencies(routing, routing.vc_increments(), 9)
    assert nx.is_directed_acyclic_graph(graph)
    # Of the nine that there are no route takes more than two.
    assert {channel for _, _, channel in graph} <= {0, 1}
    # One is enough where all routes are in a single tree.
    one = channel_dependencies(routing, routing.vc_increments(), 1)
    assert nx.is_directed_acyclic_graph(one) == (strategy is M or routing.topology.r == 1)


@pytest.mark.parametrize(
    ("parameters", "pairs"),
    [((2, 2, 2), [(0, 1), (1, 0)]), ((2, 3, 3), [(0, 1), (0, 2), (1, 2)])],
)
def test_turns_are_at_leaves_to_trees_of_higher_number(
    parameters: tuple[int, int, int], pairs: list[tuple[int, int]]
) -> None:
    """Of two trees both changes are turns."""
    routing = H2(Reference(*parameters).topology())
    turns = [[leaf, u, t] for leaf in range(routing.topology.leaves) for u, t in pairs]
    assert np.argwhere(routing.vc_increments()).tolist() == turns

"""The levels that a packet climbs in each tree, against the words of the paper."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fingerpost.golden.routing import kyklos_p2
from fingerpost.golden.routing.kyklos_h2 import H2
from fingerpost.golden.routing.kyklos_m import M
from fingerpost.golden.routing.kyklos_p2 import P2, ModifiedP2
from fingerpost.golden.routing.kyklos_y2 import Y2
from tests.golden.kyklos_1988 import Reference, networks
from tests.golden.routing.kyklos_strategies import (
    generated_headers,
    levels_of,
    strategies,
)


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


@given(networks(most=70))
def test_m_climbs_the_shortest_single_tree(net: Reference) -> None:
    routing = M(net.topology())
    i, j = np.zeros(net.leaves, np.int64), np.arange(net.leaves)
    for goal, levels in enumerate(levels_of(routing, generated_headers(routing, i, j))):
        # The lowest node that is above both leaves, in whichever tree.
        meet = min(
            next(v for v in range(net.n + 1) if net.above(0, t, v) == net.above(goal, t, v))
            for t in range(net.r)
        )
        assert sum(levels) == meet
        assert np.count_nonzero(levels) <= 1


@given(networks(most=300, two=True))
def test_y2_is_never_longer_than_h2(net: Reference) -> None:
    source, goal = np.zeros(net.leaves, np.int64), np.arange(net.leaves)
    h2, y2 = (
        np.sum(levels_of(routing, generated_headers(routing, source, goal)), axis=1)
        for routing in (H2(net.topology()), Y2(net.topology()))
    )
    assert (y2 <= h2).all()

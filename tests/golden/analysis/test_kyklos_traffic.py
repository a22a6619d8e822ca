from itertools import product

import numpy as np
import pytest
from hypothesis import given

from fingerpost.golden.analysis.kyklos import (
    classes,
    h2_level_traffic,
    h2_link_traffic,
    level_crossings,
    level_traffic,
    link_crossings,
    mean_length,
    y2_link_traffic,
)
from fingerpost.golden.routing.kyklos import KyklosRouting
from fingerpost.golden.routing.kyklos_h2 import H2
from fingerpost.golden.routing.kyklos_m import M
from fingerpost.golden.routing.kyklos_p2 import P2, ModifiedP2
from fingerpost.golden.routing.kyklos_y2 import Y2
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.topology.kyklos import Kyklos
from tests.golden.kyklos_1988 import Reference, networks


@given(networks(most=100))
def test_classes_hold_all_pairs(net: Reference) -> None:
    x, s, pairs = classes(net.topology())
    words = ["".join("01"[bit] for bit in word[::-1]) for word in x.astype(int)]
    told = {(word, int(start)): int(n) for word, start, n in zip(words, s, pairs, strict=True)}
    counted = dict.fromkeys(told, 0)
    for i, j in product(range(net.leaves), repeat=2):
        counted[net.x(i, j), net.start(i)] += 1
    assert told == counted


@pytest.mark.parametrize("strategy", [M, H2, P2, ModifiedP2, Y2])
@pytest.mark.parametrize("parameters", [(2, 1, 3), (2, 2, 4), (2, 2, 6), (2, 3, 6), (3, 2, 4)])
def test_traffic_is_what_walks_leave_on_the_links(
    strategy: type[KyklosRouting], parameters: tuple[int, int, int]
) -> None:
    topology = Reference(*parameters).topology()
    m, r, n = parameters
    if strategy is Y2 and m > 2:
        return
    routing = strategy(topology)
    i, j = np.divmod(np.arange(topology.leaves**2), topology.leaves)
    routes = walk(routing, i, j)
    count = np.zeros((r, n))
    links = np.zeros((r, n))
    hop = routes.ports >= 0
    for a, b in zip(routes.nodes[:, :-1][hop], routes.nodes[:, 1:][hop], strict=True):
        upper = max(int(a), int(b), key=lambda node: topology.level[node])
        count[topology.tree[upper], topology.level[upper] - 1] += 1
    for node in range(topology.leaves, topology.nodes):
        links[topology.tree[node], topology.level[node] - 1] += m
    assert level_crossings(routing).tolist() == count.tolist()
    assert level_traffic(routing) == pytest.approx(count.sum(axis=0) / links.sum(axis=0))
    assert mean_length(routing) == pytest.approx(routes.hops.mean())


@pytest.mark.parametrize(("n", "most"), [(4, 24), (6, 248), (8, 2784)])
def test_strict_p2_averaged_over_its_ties(n: int, most: int) -> None:
    # docs/reference/errata.md: what the paper prints there, 26, 196, 1,616, is modified P-2.
    net = Reference(2, 2, n)
    share = np.zeros(n)
    for word in range(net.leaves):
        ways = net.ways(f"{word:0{n}b}")
        fewest = min(map(np.count_nonzero, ways))
        ties = [way for way in ways if np.count_nonzero(way) == fewest]
        for way, v in product(ties, range(n)):
            share[v] += 2 * sum(level > v for level in way) / len(ties)
    traffic = share * net.leaves / (2 * 2 ** np.arange(n, 0, -1))
    assert traffic.max() == pytest.approx(most)
    # Ours breaks them by the start tree. The level of a link changes, the number of hops does not.
    links = 2 * 2 ** np.arange(n, 0, -1)
    ours = level_traffic(P2(net.topology()))
    assert (ours * links).sum() == pytest.approx((traffic * links).sum())


# The formulas.


@given(networks(most=3000))
def test_h2_theorems(net: Reference) -> None:
    m, r, n = net.m, net.r, net.n
    routing = H2(Kyklos(m=m, r=r, n=n))
    of_level = [h2_level_traffic(m, r, n, v) for v in range(1, n + 1)]
    of_link = [h2_link_traffic(m, r, n, v) for v in range(1, n + 1)]
    assert level_crossings(routing) == pytest.approx(np.array([of_level] * r))
    assert level_traffic(routing) == pytest.approx(np.array(of_link))
    # The maximum is at level h: 2 (m-1) / m^2 N^(1 + 1/r), without the 1/r of the paper.
    assert max(of_link) == pytest.approx(2 * (m - 1) / m**2 * net.leaves ** (1 + 1 / r))
    assert np.argmax(of_link) == net.h - 1


@pytest.mark.parametrize("n", [2, 4, 6, 8, 10])
def test_y2_densities_of_appendix_c(n: int) -> None:
    traffic = level_traffic(Y2(Kyklos(m=2, r=2, n=n)))
    for v in range(1, n + 1):
        if v < n // 2 - 2:
            assert traffic[v - 1] < y2_link_traffic(n, v)
        else:
            assert traffic[v - 1] == y2_link_traffic(n, v)


def test_y2_takes_a_quarter_off_the_maximum_of_h2() -> None:
    for n in (4, 6, 8):
        topology = Kyklos(m=2, r=2, n=n)
        h2, y2 = (level_traffic(strategy(topology)).max() for strategy in (H2, Y2))
        assert y2 == 0.75 * h2


@given(networks(most=300, two=True))
def test_links_cross_as_often_as_they_are_drawn(net: Reference) -> None:
    topology = net.topology()
    for t, v in product(range(net.r), range(1, net.n + 1)):
        parents = np.repeat(topology.first[t, v - 1] + np.arange(2 ** (net.n - v)), 2)
        children = topology.neighbour[parents, np.arange(len(parents)) % 2]
        top, bottom = topology.place[parents], topology.place[children]
        cross = (top[:, None] < top) & (bottom[:, None] > bottom)
        assert link_crossings(net.n, v, int(topology.d[t, v - 1])) == cross.sum()

"""Joins and link traffic of KYKLOS against walks, the words and the formulas of the paper."""

from itertools import product
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.analysis.kyklos import (
    h2_level_traffic,
    join_level,
    join_site,
    level_crossings,
    level_loads,
    level_traffic,
    link_crossings,
    loads,
    mid_point_loads,
)
from fingerpost.golden.routing.kyklos import (
    H2,
    Y2,
    KyklosRouting,
    M,
)
from fingerpost.golden.routing.kyklos_p2 import P2, ModifiedP2
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.topology.kyklos import Kyklos
from tests.golden.kyklos_1988 import Reference, networks


def find_v(y: int, n: int) -> int:
    """Level Assignment Algorithm (Section VII), as printed."""
    v, rest = 1, y
    if y == 0:
        v = 0
    if y == 2**n - 2:
        rest = 0
    if y == 2**n - 1:
        v, rest = n, 0
    rest //= 2
    while rest > 0:
        if rest % 2:
            v += 1
        else:
            rest = 0
        rest //= 2
    return v


def site(net: Reference, i: int, j: int, highest: int) -> str:
    """The name of the join site of S from i and R from j (Section VII and Appendix A)."""
    x, s = net.x(i, j), net.start(j)
    v = find_v(int(net.y_t(x, s), 2), net.n)
    tree = net.first(["1" in net.x_t(x, t) for t in range(net.r)], s)
    return net.above(i, tree, 1 if v > highest else v)


@given(networks(most=300, two=True), st.data())
def test_sites_are_ancestors_of_s_in_the_join_tree(net: Reference, data: st.DataObject) -> None:
    topology = net.topology()
    j = data.draw(st.integers(0, net.leaves - 1))
    i = np.arange(net.leaves)
    for strategy, highest in ((H2, net.h), (Y2, net.n)):
        sites = join_site(strategy(topology), i, np.full_like(i, j))
        assert [topology.name(int(node)) for node in sites] == [
            site(net, leaf, j, highest) for leaf in range(net.leaves)
        ]


def missed(routing: KyklosRouting) -> int:
    """Count the pairs whose R does not pass by the site of the join."""
    leaves = routing.topology.leaves
    i, j = np.divmod(np.arange(leaves**2), leaves)
    routes = walk(routing, j, i)
    sites = join_site(routing, i, j)
    return int((routes.nodes != sites[:, None]).all(axis=1).sum())


@pytest.mark.parametrize("parameters", [(2, 1, 4), (2, 2, 2), (2, 2, 4), (2, 2, 6)])
@pytest.mark.parametrize("strategy", [H2, Y2])
def test_r_passes_by_the_site(
    strategy: type[KyklosRouting], parameters: tuple[int, int, int]
) -> None:
    assert missed(strategy(Reference(*parameters).topology())) == 0


@pytest.mark.parametrize("n", [2, 4, 6, 8, 10])
def test_loads_of_section_7(n: int) -> None:
    leaves, h = 2**n, n // 2
    h2 = level_loads(H2(Kyklos(m=2, r=2, n=n)))
    above = [leaves / 2 if v <= h else 0 for v in range(2, n + 1)]
    assert h2.tolist() == [1, leaves / 2 + sqrt(leaves) - 1, *above]


@given(networks(most=3000, two=True))
def test_y2_loads_every_level_alike(net: Reference) -> None:
    mean = level_loads(Y2(net.topology()))
    assert mean == pytest.approx([1, *[net.leaves / net.r] * net.n])


@pytest.mark.parametrize("n", [2, 4, 6])
def test_y2_loads_every_node_of_two_trees_alike(n: int) -> None:
    topology = Kyklos(m=2, r=2, n=n)
    load = loads(Y2(topology))
    assert (load == np.where(topology.level == 0, 1, topology.leaves // 2)).all()


@pytest.mark.parametrize("strategy", [M, ModifiedP2])
def test_mid_points_are_in_the_middle_of_walks(strategy: type[KyklosRouting]) -> None:
    topology = Kyklos(m=2, r=2, n=6)
    routing = strategy(topology)
    i, j = np.divmod(np.arange(4096), 64)
    routes = walk(routing, i, j)
    level = topology.level[routes.nodes[np.arange(4096), routes.hops // 2]]
    nodes = np.bincount(topology.level)
    assert mid_point_loads(routing) == pytest.approx(np.bincount(level, minlength=7) / nodes)


def test_refuses_networks_that_the_paper_has_no_joins_for() -> None:
    message = r"^Join levels need a kyklos network with m = 2, not m = 3$"
    with pytest.raises(ValueError, match=message):
        join_level(H2(Kyklos(m=3, r=2, n=2)), np.zeros(2, bool), np.array(0))
    message = r"^Mid-point joins need a kyklos network with r = 2, not r = 3$"
    with pytest.raises(ValueError, match=message):
        mid_point_loads(M(Kyklos(m=2, r=3, n=3)))


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
    # Of a tree's m^(n-v+1) links; the printed 1/r is one too many.
    of_link = [traffic / m ** (n - v + 1) for v, traffic in enumerate(of_level, start=1)]
    assert level_crossings(routing) == pytest.approx(np.array([of_level] * r))
    assert level_traffic(routing) == pytest.approx(np.array(of_link))
    # The maximum is at level h: 2 (m-1) / m^2 N^(1 + 1/r), without the 1/r of the paper.
    assert max(of_link) == pytest.approx(2 * (m - 1) / m**2 * net.leaves ** (1 + 1 / r))
    assert np.argmax(of_link) == net.h - 1


@pytest.mark.parametrize("n", [2, 4, 6, 8, 10])
def test_y2_densities_of_appendix_c(n: int) -> None:
    """Doubled, for both ways; below v = h-2 there is but a bound."""
    traffic, h = level_traffic(Y2(Kyklos(m=2, r=2, n=n))), n // 2
    for v in range(1, n + 1):
        share = 1 / 8 if v > h else {h: 3 / 16, h - 1: 5 / 32}.get(v, 25 / 256)
        density = 2 * 2**n * 2**h * share
        assert traffic[v - 1] < density if v < h - 2 else traffic[v - 1] == density


@given(networks(most=300, two=True))
def test_links_cross_as_often_as_they_are_drawn(net: Reference) -> None:
    topology = net.topology()
    for t, v in product(range(net.r), range(1, net.n + 1)):
        parents = np.repeat(topology.first[t, v - 1] + np.arange(2 ** (net.n - v)), 2)
        children = topology.neighbour[parents, np.arange(len(parents)) % 2]
        top, bottom = topology.place[parents], topology.place[children]
        cross = (top[:, None] < top) & (bottom[:, None] > bottom)
        assert link_crossings(net.n, v, int(topology.d[t, v - 1])) == cross.sum()

import numpy as np
import pytest

from fingerpost.golden.algebra.star_cycles import ring_distance
from fingerpost.golden.routing.scc_greedy import Greedy, nearest
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.topology.scc import Scc
from tests.golden.star_group import b_list, d, greedy_laterals, labels, laterals, length


def routes_to(i_d: int, routing: Greedy) -> list[tuple[int, tuple[int, ...], int]]:
    """Return position, permutation and hops of the routes from every node to <i_d, identity>."""
    scc = routing.topology
    assert isinstance(scc, Scc)
    n = scc.n
    goal = scc.node(f"{i_d}:" + "".join(map(str, range(1, n + 1))))
    nodes = [(i, p) for p in labels(n) for i in range(2, n + 1)]
    source = np.array([scc.node(f"{i}:" + "".join(map(str, p))) for i, p in nodes])
    hops = walk(routing, source, np.full_like(source, goal)).hops.tolist()
    return [(i, p, found) for (i, p), found in zip(nodes, hops, strict=True)]


@pytest.mark.parametrize(("n", "i_d"), [(3, 3), (4, 2), (4, 4), (5, 2), (5, 3)])
def test_routes_are_as_long_as_those_of_algorithm_2(n: int, i_d: int) -> None:
    for i, p, found in routes_to(i_d, Greedy(Scc(n=n))):
        assert found == length(i, greedy_laterals(i, p), i_d, n)


def test_routes_are_as_long_as_those_of_algorithm_2_where_many_r_cycles_interleave() -> None:
    scc = Scc(n=7)
    routing = Greedy(scc)
    rng = np.random.default_rng(7)
    source = rng.integers(scc.nodes, size=2000)
    hops = walk(routing, source, np.full(2000, scc.node("5:1234567"))).hops
    for node, found in zip(source.tolist(), hops.tolist(), strict=True):
        i, p = int(scc.name(node)[0]), tuple(map(int, scc.name(node)[2:]))
        assert found == length(i, greedy_laterals(i, p), 5, 7)


@pytest.mark.parametrize(("n", "i_d"), [(4, 2), (5, 3)])
def test_routes_without_memory_take_the_nearest_link_afresh(n: int, i_d: int) -> None:
    for i, p, found in routes_to(i_d, Greedy(Scc(n=n), memory="none")):
        taken, _ = laterals(i, p, lambda i, p: min(b_list(p), key=lambda b: d(i, b, n)))
        assert found == length(i, taken, i_d, n)


@pytest.mark.parametrize("n", [5, 6, 7])
def test_nearest_is_the_first_in_canonical_order(n: int) -> None:
    some = labels(n)[:: max(1, len(labels(n)) // 120)]
    for i in range(2, n + 1):
        found = nearest(np.array(i), np.array(some), ring_distance(n)).tolist()
        choose = [min(b_list(p), key=lambda b: d(i, b, n), default=1) for p in some]
        assert found == choose


@pytest.mark.parametrize(
    ("n", "mean"), [(4, "5.3333"), (5, "8.8417")]  # docs/reference/errata.md: over all pairs
)  # fmt: skip
def test_averages_over_all_pairs(n: int, mean: str) -> None:
    routing = Greedy(Scc(n=n))
    hops = [found for i_d in range(2, n + 1) for _, _, found in routes_to(i_d, routing)]
    assert f"{sum(hops) / len(hops):.4f}" == mean


def test_anchor_is_set_lifted_and_kept() -> None:
    # 21543 = (1 2)(3 5)(4), from position 4 and to it. Laterals 3 and 5 are nearest, and 3 comes
    # first in its r-cycle: the anchor. Then p[1] = 5, then 3 again, and last 2.
    scc = Scc(n=5)
    routing = Greedy(scc)
    node, arrival = np.array(scc.node("4:21543")), np.array(scc.local)
    header = routing.encode(node, np.array(scc.node("4:12345")))
    seen = []
    while True:
        decision = routing.decide(node, arrival, header)
        header = decision.header
        anchor = int(routing.header.cut("anchor", header)) + 1
        seen.append((scc.name(int(node)), scc.port_name(int(decision.port)), anchor))
        if decision.port == scc.local:
            break
        node, arrival = scc.neighbour[node, decision.port], scc.arrival_port[node, decision.port]
    assert seen == [
        ("4:21543", "-", 1),
        ("3:21543", "lateral", 3),
        ("3:51243", "+", 3),  # halfway round from 3 to 5: by +
        ("4:51243", "+", 3),
        ("5:51243", "lateral", 3),
        ("5:31245", "-", 3),
        ("4:31245", "-", 3),
        ("3:31245", "lateral", 1),
        ("3:21345", "-", 1),
        ("2:21345", "lateral", 1),
        ("2:12345", "+", 1),  # halfway round from 2 to 4: by +
        ("3:12345", "+", 1),
        ("4:12345", "LOCAL", 1),
    ]


def test_anchor_without_an_r_cycle_under_way_is_forgotten() -> None:
    # 13254 with anchor 4: symbol 1 is in place, so the nearest link, 2, becomes the anchor.
    scc = Scc(n=5)
    routing = Greedy(scc)
    node = np.array(scc.node("2:13254"))
    header = routing.encode(node, np.array(scc.node("2:12345")))
    header |= 3 << routing.header["anchor"].offset
    decision = routing.decide(node, np.array(scc.local), header)
    assert (int(decision.port), int(decision.error)) == (scc.lateral, 0)
    assert routing.header.cut("anchor", decision.header) + 1 == 2

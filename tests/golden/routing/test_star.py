"""Routing on star graphs and star-connected cycles."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.routing.scc import Minimal, NearMinimal
from fingerpost.golden.routing.star import Greedy, Random, StarRouting
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.topology.base import distances
from fingerpost.golden.topology.star import Scc, Star
from tests.golden.star_group import (
    Permutation,
    b_list,
    behind,
    d,
    f_list,
    greedy_laterals,
    laterals,
    length,
    move_in,
    relative,
)

MAKERS: dict[str, Callable[[Star | Scc], StarRouting]] = {
    "greedy": Greedy,
    "greedy, no memory": lambda topology: Greedy(topology, memory="none"),
    "random": Random,
    "near-minimal": NearMinimal,
    "minimal": Minimal,
}
TOPOLOGIES = {f"{T.family}-{n}": T(n=n) for T in (Star, Scc) for n in (3, 4, 5)}
BOTH = pytest.mark.parametrize(
    ("maker", "network"), [(maker, network) for maker in MAKERS for network in TOPOLOGIES]
)


def make(maker: str, network: str) -> StarRouting:
    return MAKERS[maker](TOPOLOGIES[network])


@BOTH
def test_every_pair_is_joined(maker: str, network: str) -> None:
    routing = make(maker, network)
    nodes = routing.topology.nodes
    sources = np.arange(nodes) if nodes <= 120 else np.arange(7, nodes, 16)  # of every orbit
    away = np.stack([distances(routing.topology.neighbour, source) for source in sources.tolist()])
    source, goal = np.repeat(sources, nodes), np.tile(np.arange(nodes), len(sources))
    routes = walk(routing, source, goal, seed=1)  # walk() refuses wrong ends
    extra = routes.hops - away.ravel()
    assert extra.min() == 0
    if maker == "minimal" or network.startswith("star"):
        assert extra.max() == 0
    lateral = routes.ports == routing.topology.degree - 1
    if network.startswith("scc"):  # the fewest lateral links, Eq. (4), for any choice
        star = Star(n=routing.topology.n)
        across = np.stack([distances(star.neighbour, node) for node in range(star.nodes)])
        ring = routing.topology.n - 1
        assert (lateral.sum(axis=1) == across[source // ring, goal // ring]).all()


@given(st.integers(3, 6), st.data())
def test_header_is_the_relative_permutation(n: int, data: st.DataObject) -> None:
    scc = Scc(n=n)
    routing = NearMinimal(scc)
    source, goal = (data.draw(st.integers(0, scc.nodes - 1)) for _ in range(2))
    header = routing.encode(np.array(source), np.array(goal))
    pi = [tuple(map(int, scc.name(node)[2:])) for node in (source, goal)]
    found = tuple(int(routing.header.cut(f"p{k}", header)) + 1 for k in range(1, n + 1))
    assert found == relative(*pi)
    assert routing.header.cut("i_d", header) + 1 == int(scc.name(goal)[0])


def label(topology: Star | Scc, node: int) -> Permutation:
    return tuple(map(int, topology.name(node).split(":")[-1]))


def promise(i: int, p: Permutation, i_d: int) -> int:
    """Return Eq. (16) with L = 0."""
    n = len(p)
    if not b_list(p):
        return d(i, i_d, n)
    enter = min(d(i, b, n) for b in b_list(p))
    return enter + move_in(p) + min(d(f, i_d, n) for f in f_list(p))


def child(i: int, p: Permutation, i_d: int) -> int:
    """Return the child of least M in Algorithm 3; of equals the nearest, then the smallest."""
    n = len(p)
    return min(b_list(p), key=lambda b: (d(i, b, n) + promise(b, behind(p, b), i_d), d(i, b, n), b))


def afresh(i: int, p: Permutation) -> int:
    """Return the nearest link; of equals the first in canonical order."""
    return min(b_list(p), key=lambda b: d(i, b, len(p)), default=1)


ALGORITHMS: dict[str, Callable[[int, Permutation, int], list[int]]] = {
    "greedy": lambda i, p, i_d: greedy_laterals(i, p),  # Algorithm 2
    "greedy, no memory": lambda i, p, i_d: laterals(i, p, afresh)[0],
    "near-minimal": lambda i, p, i_d: laterals(i, p, lambda i, p: child(i, p, i_d))[0],
}
"""The lateral links of a route from <i, p> to <i_d, identity>. The third has no backtracking."""


def check_lengths(name: str, scc: Scc, source: IntArray, i_d: int) -> None:
    goal = scc.node(f"{i_d}:" + "1234567"[: scc.n])
    hops = walk(MAKERS[name](scc), source, np.full_like(source, goal)).hops
    for node, found in zip(source.tolist(), hops.tolist(), strict=True):
        i, p = int(scc.name(node)[0]), label(scc, node)
        assert found == length(i, ALGORITHMS[name](i, p, i_d), i_d, scc.n)


@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize(("n", "i_d"), [(3, 2), (3, 3), (4, 2), (4, 4), (5, 2), (5, 3)])
def test_routes_are_as_long_as_those_of_the_algorithm(name: str, n: int, i_d: int) -> None:
    scc = Scc(n=n)
    check_lengths(name, scc, np.arange(scc.nodes), i_d)


def test_greedy_routes_where_many_r_cycles_interleave() -> None:
    scc = Scc(n=7)
    check_lengths("greedy", scc, np.random.default_rng(7).integers(scc.nodes, size=2000), 5)


def test_routes_are_shortest_in_the_largest_network() -> None:
    scc = Scc(n=7)
    routing = Minimal(scc)
    source = np.arange(0, scc.nodes, 5)
    goal = scc.node("4:1234567")
    hops = walk(routing, source, np.full_like(source, goal)).hops
    assert (hops == distances(scc.neighbour, goal)[source]).all()


@pytest.mark.parametrize("topology", [Scc(n=3), Scc(n=5), Star(n=4)], ids=["scc3", "scc5", "star4"])
def test_tables_of_a_router_hold_its_decisions(topology: Scc | Star) -> None:
    routing = Minimal(topology)
    assert not routing.table.flags.writeable
    positions = routing.ports.shape[1]
    assert routing.ports.shape == (len(topology.labels), positions, positions)
    assert routing.behind.shape == (len(topology.labels), positions)
    number, i, i_d = np.indices(routing.ports.shape).reshape(3, -1)
    # From the node of the first supernode at position i+2; the star graph's nodes are all alike.
    header = routing.header.pack(number=number)
    if isinstance(topology, Scc):
        header = routing.header.pack(number=number, i_d=i_d + 1)
    port, onward, error = routing.decide(i, np.full_like(i, topology.local), header)
    assert not error.any()
    assert (routing.ports[number, i, i_d] == port).all()
    crosses = port == topology.lateral if isinstance(topology, Scc) else port != topology.local
    behind = np.where(crosses, routing.behind[number, i], number)
    assert (behind == routing.header.cut("number", onward)).all()


@pytest.mark.parametrize("topology", [Star(n=5), Scc(n=4), Scc(n=5)], ids=["star", "scc4", "scc5"])
def test_alternatives_are_the_links_of_b(topology: Star | Scc) -> None:
    routing = Random(topology)
    n = topology.n
    identity = topology.node(("" if isinstance(topology, Star) else "2:") + "12345"[:n])
    node = np.arange(topology.nodes)
    local = np.full_like(node, topology.local)
    header = routing.encode(node, np.full_like(node, identity))
    packet, decision = routing.alternatives(node, local, header)
    assert not decision.error.any()
    for k in node.tolist():
        b = sorted(b_list(label(topology, k)))
        ports = decision.port[packet == k].tolist()
        if not b:
            assert len(ports) == 1
        elif isinstance(topology, Star):
            assert ports == [link - 2 for link in b]
        else:
            targets = (routing.header.cut("target", decision.header[packet == k]) + 1).tolist()
            here = int(topology.name(k)[0])
            assert targets == [1 if link == here else link for link in b]
            assert [port == topology.lateral for port in ports] == [link == here for link in b]


@pytest.mark.parametrize("topology", [Star(n=4), Scc(n=4)], ids=["star", "scc"])
def test_every_selection_leads_to_one_of_the_alternatives_and_all_do_evenly(
    topology: Star | Scc,
) -> None:
    routing = Random(topology)
    selections = np.arange(0, 1 << 16, 7)
    for k in range(1, topology.nodes, 5):
        node = np.full_like(selections, k)
        header = routing.encode(node, np.zeros_like(node))
        port, onward, _ = routing.decide(node, node * 0, header, selections)
        _, every = routing.alternatives(node[:1], node[:1] * 0, header[:1])
        found, counts = np.unique(np.stack([port, onward]), axis=1, return_counts=True)
        pairs = set(zip(*found.tolist(), strict=True))
        assert pairs == set(zip(every.port.tolist(), every.header.tolist(), strict=True))
        assert len(pairs) == len(every.port)
        assert counts.max() - counts.min() <= 1


def test_without_a_selection_the_smallest_link_is_drawn() -> None:
    star = Star(n=5)
    node = np.array([star.node("13254")])
    header = Random(star).encode(node, np.array([star.node("12345")]))
    assert Random(star).decide(node, node * 0, header).port.tolist() == [0]  # link 2


@pytest.mark.parametrize(("n", "mean"), [(4, 5.5 + 1 / 72), (5, 9.25 + 1 / 72)])
def test_average_of_random_routes_is_that_of_section_3(n: int, mean: float) -> None:
    # Eq. (14) + (d(loc) - d(in))/n!; means of 40 routes from each node, so within 4 sigma.
    scc = Scc(n=n)
    source = np.tile(np.arange(scc.nodes), 40)
    goal = scc.node("2:" + "12345"[:n])
    hops = walk(Random(scc), source, np.full_like(source, goal), seed=5).hops
    assert abs(hops.mean() - mean) < 4 * hops.std() / len(hops) ** 0.5

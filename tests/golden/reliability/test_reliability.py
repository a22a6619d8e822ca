"""Survival by enumeration, closed form, frontier sweep, in fractions; and by samples."""

from fractions import Fraction
from itertools import product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from fingerpost.golden.arrays import BoolArray
from fingerpost.golden.reliability import monte_carlo as module
from fingerpost.golden.reliability.exact import TooWideError, ddlcn, exact, sweep, width
from fingerpost.golden.reliability.links import (
    Chance,
    Links,
    connected_patterns,
    double_loop,
    enumeration,
    links,
    narrowest,
)
from fingerpost.golden.reliability.monte_carlo import link_numbers, monte_carlo, wilson
from fingerpost.golden.topology import DirectedChordalRing, DoubleLoop, EdgeList, Topology
from tests.golden.borel_group import EXAMPLE
from tests.golden.graphs import Edges

NODE: Chance = (Fraction(9, 10), Fraction(1, 10))
LINK: list[Chance] = [
    (Fraction(4, 5), Fraction(1, 5)),
    (Fraction(7, 10), Fraction(3, 10)),
    (Fraction(1, 2), Fraction(1, 2)),
]
"""Chances that differ, so that none can be taken for another."""


def survives(alive: set[int], working: list[tuple[int, int]]) -> bool:
    """Whether two or more nodes are alive, and strongly connected by working links."""
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(alive)
    graph.add_edges_from(link for link in working if alive.issuperset(link))
    return len(alive) > 1 and nx.is_strongly_connected(graph)


def brute(links: Links) -> Fraction:
    """Sum the chances of all patterns that survive; for up to 12 nodes and links together."""
    ends = list(zip(links.start.tolist(), links.end.tolist(), strict=True))
    total = Fraction(0)
    for pattern in product((0, 1), repeat=links.nodes + len(ends)):
        nodes, up = pattern[: links.nodes], pattern[links.nodes :]
        chance = Fraction(1)
        for fails in nodes:
            chance *= NODE[fails]
        for fails, kind in zip(up, links.kind.tolist(), strict=True):
            chance *= LINK[kind][fails]
        working = [link for link, fails in zip(ends, up, strict=True) if not fails]
        if links.both_ways:
            working += [link[::-1] for link in working]
        if survives({node for node, fails in enumerate(nodes) if not fails}, working):
            total += chance
    return total


@st.composite
def small_links(draw: st.DrawFn) -> Links:
    """Draw nodes and links at will: parallel ones and unconnected nodes too."""
    nodes = draw(st.integers(2, 4))
    pairs = st.permutations(range(nodes)).map(lambda order: order[:2])
    ends = draw(st.lists(pairs, min_size=1, max_size=6))
    start, end = np.array(ends).T
    kind = np.array(draw(st.lists(st.integers(0, 2), min_size=len(ends), max_size=len(ends))))
    return Links(nodes, start, end, kind, both_ways=draw(st.booleans()))


@settings(max_examples=25)
@given(small_links())
def test_is_the_sum_over_all_patterns(links: Links) -> None:
    assert enumeration(links, NODE, LINK) == brute(links)


def test_patterns_with_all_nodes_are_spanning_trees_of_networkx() -> None:
    graph = nx.petersen_graph()
    start, end = np.array(graph.edges).T
    links = Links(10, start, end, np.zeros(15, int), both_ways=True)
    trees = round(nx.number_of_spanning_trees(graph))
    assert connected_patterns(links)[10, 0, 9, 6] == trees == 2000


def test_refuses_what_would_not_fit() -> None:
    with pytest.raises(ValueError, match=r"^Enumeration needs at most 20 links, not 22$"):
        enumeration(double_loop(11, 1, 2), NODE, LINK)


THEOREM, SWEEP = "theorem 2.1", "frontier sweep"


@pytest.mark.parametrize(
    ("n", "b"),
    [*((n, n - 1) for n in range(2, 9)), *((n, b % n) for n in range(4, 9) for b in (2, -2))],
)
def test_double_loops_are_counted(n: int, b: int) -> None:
    """DDLCN, braided ring and daisy chain."""
    found = enumeration(double_loop(n, 1, b), NODE, LINK)
    assert sweep(double_loop(n, 1, b), NODE, LINK) == found
    if b == n - 1:
        assert ddlcn(n, NODE, *LINK[:2]) == found


@pytest.mark.parametrize("n", [20, 50])
def test_long_ddlcn_is_theorem_2_1(n: int) -> None:
    assert sweep(double_loop(n, 1, n - 1), NODE, LINK) == ddlcn(n, NODE, *LINK[:2])


@given(small_links())
def test_any_links_are_counted(links: Links) -> None:
    assert sweep(links, NODE, LINK) == enumeration(links, NODE, LINK)


@given(st.integers(4, 8), st.integers(0, 6), st.integers(0, 100))
def test_undirected_networks_are_counted(nodes: int, more: int, seed: int) -> None:
    graph = nx.gnm_random_graph(nodes, min(nodes - 1 + more, 14), seed=seed)
    listed = links(Edges(graph))
    chances = [LINK[0]] * 14
    if width(listed) <= 7:
        assert sweep(listed, NODE, chances) == enumeration(listed, NODE, chances)


def test_longer_rings_have_no_more_states(monkeypatch: pytest.MonkeyPatch) -> None:
    # What makes the sweep O(n): the first 20 nodes have met all states that there are.
    monkeypatch.setattr("fingerpost.golden.reliability.exact.BUDGET", 20_000)
    for n in (20, 3000):
        assert 0 < sweep(double_loop(n, 1, n - 2), (0.999, 0.001), [(0.999, 0.001)] * 2) < 1


def test_refuses_a_wide_frontier() -> None:
    message = r"^Sweep needs a frontier of at most 7 nodes, not 9$"
    with pytest.raises(TooWideError, match=message):
        sweep(double_loop(100, 1, 4), NODE, LINK)


def test_gives_up_when_there_are_too_many_states(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fingerpost.golden.reliability.exact.BUDGET", 5000)
    message = r"^Sweep needs a frontier with at most 5000 states in all$"
    with pytest.raises(TooWideError, match=message):
        sweep(double_loop(100, 1, 3), NODE, LINK)


@given(st.integers(3, 30), st.integers(1, 29), st.integers(1, 29))
def test_narrowest_is_the_same_network_with_shorter_steps(n: int, a: int, b: int) -> None:
    a, b = a % n, b % n
    steps = narrowest(n, a, b)
    units = {(u * a % n, u * b % n) for u in range(1, n) if np.gcd(u, n) == 1}
    assert steps in units

    def reach(pair: tuple[int, int]) -> int:
        return max(min(step, n - step) for step in pair)

    assert reach(steps) == min(map(reach, units))


# The method that fits.


def loop(n: int, a: int, b: int) -> Topology:
    return DoubleLoop(nodes=n, a=a, b=b)


def ring(n: int, w: int) -> Topology:
    return DirectedChordalRing(nodes=n, w=w)


@pytest.mark.parametrize(
    ("topology", "method"),
    [
        (loop(7, 1, 6), THEOREM),
        (loop(7, 4, 3), THEOREM),  # DL(7, 1, 6), renumbered
        (loop(7, 6, 1), THEOREM),
        (loop(7, 1, 2), SWEEP),
        (loop(7, 1, 5), SWEEP),
        (loop(7, 3, 5), SWEEP),
        (loop(8, 2, 3), SWEEP),
        (ring(8, 3), f"chordal ring as double loop, {SWEEP}"),
        (ring(10, 5), f"chordal ring as double loop, {SWEEP}"),
        (ring(10, 7), f"chordal ring as double loop, {THEOREM}"),
        (ring(10, 9), SWEEP),
        (EdgeList(links=[(0, 1), (1, 2), (2, 0), (2, 3)], nodes=4), SWEEP),
        (EdgeList(links=[(0, 1), (1, 2), (2, 0)], nodes=3, directed=True), SWEEP),
    ],
)
def test_is_what_counting_gives(topology: Topology, method: str) -> None:
    link = LINK[: topology.degree]
    assert exact(topology, NODE, link) == (method, enumeration(links(topology), NODE, link))


class Ends(EdgeList):
    """A path of three nodes, of which the ends only have terminals."""

    def __init__(self) -> None:
        super().__init__(links=[(0, 1), (1, 2)], nodes=3)
        self._place(np.array([0, 2]))


@pytest.mark.parametrize(
    "topology",
    [
        EXAMPLE.topology(),
        Ends(),  # the sweep wants every node to be reached
        loop(100, 1, 17),
        loop(5001, 1, 2),  # takes too long
    ],
)
def test_has_no_method_for_others(topology: Topology) -> None:
    assert exact(topology, (0.9, 0.1), [(0.9, 0.1)] * topology.degree) is None


LADDER = [(i, i + 2) for i in range(18)] + [(i, i + 1) for i in range(0, 20, 2)]

NETWORKS: dict[str, Topology] = {
    "braided ring": DoubleLoop(nodes=30, a=1, b=2),
    "daisy chain": DoubleLoop(nodes=30, a=1, b=28),
    "DDLCN": DoubleLoop(nodes=12, a=1, b=11),
    "chordal ring": DirectedChordalRing(nodes=16, w=3),
    "ladder": EdgeList(links=LADDER, nodes=20),
}


@pytest.mark.parametrize("topology", NETWORKS.values(), ids=NETWORKS)
def test_95_percent_of_intervals_hold_the_exact_value(topology: Topology) -> None:
    # 100 intervals: 87 or fewer would hold it with probability 1 in 700.
    found = exact(topology, (0.97, 0.03), [(0.98, 0.02)] * topology.degree)
    assert found is not None
    estimates = [monte_carlo(topology, 0.03, 0.02, samples=640, seed=seed) for seed in range(100)]
    assert sum(each.low <= found[1] <= each.high for each in estimates) >= 88
    survivors = sum(each.survivors for each in estimates)
    assert binomtest(survivors, 64_000, float(found[1])).pvalue > 0.001


def test_same_seed_same_estimate() -> None:
    topology = EXAMPLE.topology()
    first = monte_carlo(topology, 0.1, 0.1, samples=1000, seed=7)
    assert first == monte_carlo(topology, 0.1, 0.1, samples=1000, seed=7)
    assert first != monte_carlo(topology, 0.1, 0.1, samples=1000, seed=8)


@pytest.mark.parametrize("samples", [1, 63, 64, 65, 1000])
def test_counts_just_the_samples_asked_for(samples: int) -> None:
    sure = monte_carlo(EXAMPLE.topology(), 0, 0, samples=samples)
    assert (sure.survivors, sure.samples, sure.survival) == (samples, samples, 1)
    assert monte_carlo(EXAMPLE.topology(), 1, 0, samples=samples).survivors == 0
    assert monte_carlo(EXAMPLE.topology(), 0, 1, samples=samples).survivors == 0


def test_batches_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = DoubleLoop(nodes=30, a=1, b=2)
    monkeypatch.setattr(module, "BATCH", 30 * 6 * 2)  # 128 samples at a time
    estimate = monte_carlo(loop, 0.03, 0.02, samples=20_000, seed=1)
    value = sweep(links(loop), (0.97, 0.03), [(0.98, 0.02)] * 2)
    assert estimate.samples == 20_000
    assert binomtest(estimate.survivors, 20_000, float(value)).pvalue > 0.001


@pytest.mark.parametrize(("successes", "samples"), [(0, 1), (1, 1), (0, 50), (50, 50), (7, 900)])
def test_interval_is_wilsons(successes: int, samples: int) -> None:
    theirs = binomtest(successes, samples).proportion_ci(0.95, method="wilson")
    assert wilson(successes, samples) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


class Leaves(EdgeList):
    """A binary tree of 7 nodes, with terminals at its leaves and a ring of links around them."""

    def __init__(self) -> None:
        tree = [(0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (2, 6)]
        super().__init__(links=[*tree, (3, 6)], nodes=7)
        self._place(np.array([3, 4, 5, 6]))


SURVIVORS: dict[str, Topology] = {
    "borel": EXAMPLE.topology(),
    "double loop": DoubleLoop(nodes=9, a=1, b=3),
    "chordal ring": DirectedChordalRing(nodes=8, w=5),
    "leaves": Leaves(),
    "petersen": Edges(nx.petersen_graph()),
    "one link": EdgeList(links=[(0, 1)], nodes=2),
}


def independent(topology: Topology, alive: BoolArray, works: BoolArray) -> bool:
    """Whether one copy survives; works is (nodes, out-ports)."""
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(np.flatnonzero(alive).tolist())
    for node, port in np.argwhere(works & (topology.neighbour >= 0)).tolist():
        other = int(topology.neighbour[node, port])
        if alive[node] and alive[other]:
            graph.add_edge(node, other)
    living = [node for node in topology.terminals.tolist() if alive[node]]
    return len(living) > 1 and all(nx.has_path(graph, a, b) for a in living for b in living)


@pytest.mark.parametrize("topology", SURVIVORS.values(), ids=SURVIVORS)
@pytest.mark.parametrize("failure", [0.15, 0.3])
def test_is_what_networkx_says_of_every_copy(topology: Topology, failure: float) -> None:
    rng = np.random.default_rng(1)
    count, number = link_numbers(topology)
    alive = rng.random((topology.nodes, 128)) >= failure
    works = rng.random((count, 128)) >= failure
    words = [np.packbits(bits, axis=1).view(np.uint64) for bits in (alive, works)]
    survived = np.unpackbits(module.survives(topology, *words).view(np.uint8)).astype(bool)
    # In terms of out-ports: the link there is the one at the in-port where it ends.
    end = topology.neighbour, topology.arrival_port
    at_out_port = np.where(topology.neighbour >= 0, number[end], -1)
    expected = [
        independent(topology, alive[:, copy], works[:, copy][at_out_port]) for copy in range(128)
    ]
    assert survived.tolist() == expected
    if topology.nodes > 2:
        assert 0 < sum(expected) < 128

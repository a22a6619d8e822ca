"""Survival in closed form, by a frontier sweep and by the method that fits, against enumeration."""

from fractions import Fraction
from math import comb

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.reliability.enumeration import enumeration
from fingerpost.golden.reliability.exact import ddlcn, exact
from fingerpost.golden.reliability.links import Links, double_loop, links, narrowest
from fingerpost.golden.reliability.sweep import TooWideError, sweep, width
from fingerpost.golden.topology import DirectedChordalRing, DoubleLoop, EdgeList, Topology
from tests.golden.borel_group import EXAMPLE
from tests.golden.graphs import Edges
from tests.golden.reliability.brute import LINK, NODE
from tests.golden.reliability.test_enumeration import small_links

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


def test_certain_and_impossible() -> None:
    loop, sure, never = double_loop(9, 1, 2), (1, 0), (0, 1)
    assert sweep(loop, sure, [sure, sure]) == 1
    assert sweep(loop, sure, [sure, never]) == 1  # the ring alone
    assert sweep(loop, sure, [never, sure]) == 1  # 9 is odd: the other ring alone
    assert sweep(loop, sure, [never, never]) == 0
    assert sweep(loop, never, [sure, sure]) == 0


def test_braided_ring_without_link_failures_is_consecutive_2_out_of_n() -> None:
    # It survives iff no two neighbours on the circle fail: the number of ways to choose k nodes
    # on a circle of n, no two of them adjacent, is n/(n-k) C(n-k, k).
    n, p, q = 30, Fraction(9, 10), Fraction(1, 10)
    ways = [n * comb(n - k, k) // (n - k) for k in range(n // 2 + 1)]
    expected = sum(many * q**k * p ** (n - k) for k, many in enumerate(ways))
    sure = (Fraction(1), Fraction(0))
    assert sweep(double_loop(n, 1, 2), (p, q), [sure, sure]) == expected


def test_longer_rings_have_no_more_states(monkeypatch: pytest.MonkeyPatch) -> None:
    # What makes the sweep O(n): the first 20 nodes have met all states that there are.
    monkeypatch.setattr("fingerpost.golden.reliability.sweep.BUDGET", 20_000)
    for n in (20, 3000):
        assert 0 < sweep(double_loop(n, 1, n - 2), (0.999, 0.001), [(0.999, 0.001)] * 2) < 1


def test_width_of_the_papers_networks() -> None:
    assert width(double_loop(100, 1, 99)) == 3
    assert width(double_loop(100, 1, 98)) == width(double_loop(100, 1, 2)) == 5


def test_refuses_a_wide_frontier() -> None:
    message = r"^Sweep needs a frontier of at most 7 nodes, not 9$"
    with pytest.raises(TooWideError, match=message):
        sweep(double_loop(100, 1, 4), NODE, LINK)


def test_gives_up_when_there_are_too_many_states(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fingerpost.golden.reliability.sweep.BUDGET", 5000)
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


def test_value_by_hand() -> None:
    # n = 3, all chances 1/2: 3 * 1/2 * 1/4 * 1/4 for one dead node;
    # 1/8 * (1/8 + 1/8 - 1/64 + 3 * 1/4 * 1/16) for none.
    half = (Fraction(1, 2), Fraction(1, 2))
    assert ddlcn(3, half, half, half) == Fraction(3, 32) + Fraction(1, 8) * Fraction(18, 64)


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


@pytest.mark.parametrize("w", range(3, 10, 2))
def test_chordal_ring_for_a_curve(w: int) -> None:
    p = np.linspace(0, 1, 5)
    found = exact(ring(10, w), (p, 1 - p), [(0.9, 0.1), (0.8, 0.2)])
    assert found is not None
    counted = enumeration(links(ring(10, w)), (p, 1 - p), [(0.9, 0.1), (0.8, 0.2)])
    np.testing.assert_allclose(found[1], counted, rtol=1e-12)


class Ends(EdgeList):
    """A path of three nodes, of which the ends only have terminals."""

    def __init__(self) -> None:
        super().__init__(links=[(0, 1), (1, 2)], nodes=3)
        self.terminals = np.array([0, 2])


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

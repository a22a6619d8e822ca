import numpy as np
import pytest

from fingerpost.golden.reliability.enumeration import enumeration
from fingerpost.golden.reliability.exact import exact
from fingerpost.golden.reliability.links import links
from fingerpost.golden.topology.base import Topology
from fingerpost.golden.topology.directed_chordal_ring import DirectedChordalRing
from fingerpost.golden.topology.double_loop import DoubleLoop
from fingerpost.golden.topology.edge_list import EdgeList
from tests.golden.borel_group import EXAMPLE
from tests.golden.reliability.brute import LINK, NODE

THEOREM, SWEEP = "theorem 2.1", "frontier sweep"


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

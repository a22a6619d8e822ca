"""Exact survival reliability, for the networks that have a method: Theorem 2.1, or the sweep."""

from collections.abc import Sequence
from typing import Any

from fingerpost.golden.reliability.links import Chance, Links, double_loop, links, narrowest
from fingerpost.golden.reliability.sweep import TooWideError, sweep
from fingerpost.golden.topology.base import Topology
from fingerpost.golden.topology.double_loop import DirectedChordalRing, DoubleLoop

LONGEST = 5_000
"""More nodes than this are not swept: with many states it would take minutes."""


def ddlcn(n: int, node: Chance, a: Chance, b: Chance) -> Any:
    """Return R(n, 1, n-1), that of the DDLCN, by Eq. (2.1) of Hwang & Wright, Theorem 2.1.

    Survival means that at least two nodes survive, and the survivors are strongly connected: the
    sum stops at k = n-2, so a single survivor does not count.

    Parameters
    ----------
    n : int
        At least 2.
    node, a, b : (works, fails)
        Probabilities of a node, of an a-link, of a b-link.
    """
    (p, q), (p_a, q_a), (p_b, q_b) = node, a, b
    block = sum(q**k * p ** (n - k) * (p_a * p_b) ** (n - k - 1) for k in range(1, n - 1))
    whole = p_a**n + p_b**n - (p_a * p_b) ** n + n * q_a * q_b * (p_a * p_b) ** (n - 1)
    return n * block + p**n * whole


def exact(topology: Topology, node: Chance, link: Sequence[Chance]) -> tuple[str, Any] | None:
    """Return a method and the survival reliability that it finds, None if no method serves.

    Parameters
    ----------
    topology : Topology
    node : (works, fails)
        Probabilities of a node: numbers, or arrays of one shape for a curve.
    link : sequence of (works, fails)
        The same of the links, by out-port.
    """
    match topology:
        case DoubleLoop():
            return _double_loop(topology.nodes, topology.a, topology.b, node, link)
        case DirectedChordalRing() if topology.w != topology.nodes - 1:
            # An even node has one link out, to the odd node after it, which has no other link in:
            # a pair survives if both and the link between them do, and must not survive in part.
            # So it is a node of a double loop; ring link and chord lead from pair to pair.
            (p, q), (p_a, _) = node, link[0]
            pair = p**2 * p_a, q**2
            found = _double_loop(topology.nodes // 2, 1, (topology.w + 1) // 2, pair, link)
            return found and (f"chordal ring as double loop, {found[0]}", found[1])
        case _:
            if len(topology.terminals) < topology.nodes:
                return None  # nodes without a terminal need not be reached
            return _sweep(links(topology), node, link)


def _double_loop(
    n: int, a: int, b: int, node: Chance, link: Sequence[Chance]
) -> tuple[str, Any] | None:
    if (a + b) % n == 0:  # then a is a unit modulo n: DL(n; 1, n-1), renumbered
        return "theorem 2.1", ddlcn(n, node, *link)
    return _sweep(double_loop(n, *narrowest(n, a, b)), node, link)


def _sweep(links: Links, node: Chance, link: Sequence[Chance]) -> tuple[str, Any] | None:
    if links.nodes > LONGEST:
        return None
    try:
        return "frontier sweep", sweep(links, node, link)
    except TooWideError:
        return None

"""What can fail in a network: its nodes, and its links."""

from typing import Any, NamedTuple

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.topology.base import Topology

Chance = tuple[Any, Any]
"""Probabilities (works, fails): floats, Fractions or arrays of them. The substitution for chordal
rings gives nodes two weights that do not add up to 1, so both are always given."""


def chance(what: str, fails: float) -> Chance:
    """Return (works, fails) of a node or a link.

    Raises
    ------
    ValueError
        If `fails` is no probability.
    """
    if not 0 <= fails <= 1:
        raise ValueError(f"Survival needs a {what} failure probability in 0..1, not {fails}")
    return 1 - fails, fails


class Links(NamedTuple):
    """The links of a network, in any order.

    start, end and kind are (links,). Links of one kind fail with one probability: kind is the
    out-port at the start. A link that works both ways fails as a whole.
    """

    nodes: int
    start: IntArray
    end: IntArray
    kind: IntArray
    both_ways: bool


def links(topology: Topology) -> Links:
    """Return the links of any topology; one that goes both ways is listed at its smaller end."""
    start, kind = np.nonzero(topology.neighbour >= 0)
    end = topology.neighbour[start, kind]
    if topology.directed:
        return Links(topology.nodes, start, end, kind, both_ways=False)
    once = start < end
    return Links(topology.nodes, start[once], end[once], kind[once], both_ways=True)


def double_loop(nodes: int, a: int, b: int) -> Links:
    """Return the links of DL(n; a, b), a-links first; n = 2 and any a and b will do."""
    node = np.arange(nodes)
    start, kind = np.tile(node, 2), np.repeat([0, 1], nodes)
    end = (start + np.array([a, b])[kind]) % nodes
    return Links(nodes, start, end, kind, both_ways=False)


def narrowest(nodes: int, a: int, b: int) -> tuple[int, int]:
    """Return the steps of DL(n; a, b) when its nodes are renumbered to make them short.

    Multiplying all numbers by a unit u of the integers modulo n gives DL(n; ua, ub).
    """
    unit = np.arange(1, nodes)
    unit = unit[np.gcd(unit, nodes) == 1]
    steps = np.stack([unit * a, unit * b]) % nodes
    reach = np.minimum(steps, nodes - steps).max(axis=0)
    best = steps[:, reach.argmin()]
    return int(best[0]), int(best[1])

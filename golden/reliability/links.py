"""What can fail in a network, its nodes and its links; all ways in which they can: enumeration.

Survival reliability by looking at everything that can fail is the yardstick for small networks.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
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


LARGEST = 20
"""More links than this are refused: their patterns would fill the memory."""

Pattern = tuple[int, ...]
"""Nodes that live, nodes that do not, and for each kind the links that work and that do not, of
those between living nodes."""


def connected_patterns(links: Links) -> Counter[Pattern]:
    """Return how often each pattern has two or more survivors, strongly connected.

    These are the coefficients of the reliability polynomial.

    Raises
    ------
    ValueError
        If there are more than 20 links.
    """
    if len(links.start) > LARGEST:
        raise ValueError(f"Enumeration needs at most {LARGEST} links, not {len(links.start)}")
    ends = list(zip(links.start.tolist(), links.end.tolist(), links.kind.tolist(), strict=True))
    kinds = int(links.kind.max()) + 1
    count: Counter[Pattern] = Counter()
    for living in range(1 << links.nodes):
        alive = [node for node in range(links.nodes) if living >> node & 1]
        if len(alive) < 2:
            continue
        inside = [link for link in ends if living >> link[0] & living >> link[1] & 1]
        working = np.arange(1 << len(inside))
        survives = _strongly_connected(alive, inside, working, links.both_ways)
        numbers = [[i for i, (*_, k) in enumerate(inside) if k == kind] for kind in range(kinds)]
        up = [np.bitwise_count(working & sum(1 << i for i in which)) for which in numbers]
        found, often = np.unique(np.stack(up)[:, survives], axis=1, return_counts=True)
        for works, many in zip(found.T.tolist(), often.tolist(), strict=True):
            fails = [len(which) - i for which, i in zip(numbers, works, strict=True)]
            pairs = (x for pair in zip(works, fails, strict=True) for x in pair)
            count[len(alive), links.nodes - len(alive), *pairs] += many
    return count


def enumeration(links: Links, node: Chance, link: Sequence[Chance]) -> Any:
    """Return the probability that two or more nodes survive, strongly connected; as `sweep`."""
    chances = [value for pair in (node, *link) for value in pair]
    total: Any = 0
    for pattern, many in connected_patterns(links).items():
        term: Any = many
        for value, exponent in zip(chances, pattern, strict=False):
            term = term * value**exponent
        total = total + term
    return total


def _strongly_connected(
    alive: list[int], inside: list[tuple[int, int, int]], working: Any, both_ways: bool
) -> BoolArray:
    """Return for each pattern of working links whether the living nodes reach one another."""
    reach = {node: np.full_like(working, 1 << node) for node in alive}
    for which, (start, end, _) in enumerate(inside):
        works = working >> which & 1
        reach[start] |= works << end
        if both_ways:
            reach[end] |= works << start
    for via in alive:  # Warshall's closure, for all patterns at once
        for node in alive:
            reach[node] |= reach[via] * (reach[node] >> via & 1)
    everyone = sum(1 << node for node in alive)
    survives: BoolArray = np.bitwise_and.reduce(list(reach.values())) == everyone
    return survives

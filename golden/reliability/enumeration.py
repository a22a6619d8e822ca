"""Survival reliability by looking at everything that can fail: the yardstick for small networks."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from fingerpost.golden.arrays import BoolArray
from fingerpost.golden.reliability.links import Chance, Links

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

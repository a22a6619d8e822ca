"""Circulants of small diameter: all that there are, those that are alike once."""

from itertools import combinations, product
from math import comb, gcd

import numpy as np

from fingerpost.golden.algebra.gcr import circulant_distances


def bound(jumps: int, diameter: int) -> int:
    """Return the most nodes of a circulant: the points of a lattice so many steps away at most.

    Examples
    --------
    >>> [bound(2, diameter) for diameter in (1, 2, 6)], bound(3, 3)
    ([5, 13, 85], 63)
    """
    return sum(2**i * comb(jumps, i) * comb(diameter, i) for i in range(jumps + 1))


def circulants(nodes: int, jumps: int, most: int) -> tuple[int, list[tuple[int, ...]]]:
    """Return how many circulants were tried, and jumps and diameter of the dense ones.

    These have a diameter of at most `most`. Where a jump has no common divisor with the nodes, all
    can be multiplied so that it is 1: only that one of the alike graphs is tried.
    """
    some = [jump for jump in range(2, (nodes + 1) // 2) if gcd(jump, nodes) > 1]
    units = [(1, *rest) for rest in combinations(range(2, (nodes + 1) // 2), jumps - 1)]
    others = [each for each in combinations(some, jumps) if gcd(nodes, *each) == 1]
    found = []
    for each in units + others:
        shift = np.array([sign * jump for sign, jump in product((1, -1), each)])
        distance = circulant_distances(nodes, shift)
        if distance.max() <= most:
            found.append((*each, int(distance.max())))
    return len(units) + len(others), found

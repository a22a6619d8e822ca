"""Shortest ways in C_k(+-t1, +-t2), the circulant graph that the classes of a Borel graph form."""

from itertools import product
from typing import NamedTuple

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.parameters import ParameterError

NEVER = 1 << 30
"""Longer than any way."""


def circulant_distances(k: int, shift: IntArray) -> IntArray:
    """Return d1(r), the hops from class 0 to class r in the circulant C_k(+-t1, +-t2)."""
    distance = np.full(k, -1)
    distance[0] = 0
    frontier = np.array([0])
    while len(frontier):
        reached = np.unique((frontier[:, None] + shift) % k)
        depth = distance[frontier[0]] + 1
        frontier = reached[distance[reached] < 0]
        distance[frontier] = depth
    return distance


class TableII(NamedTuple):
    """What the computation of phase I comes to.

    Attributes
    ----------
    pairs : (k, 2)
        (m1, m2) with m1 t1 + m2 t2 = r mod k and least |m1| + |m2|, for every r.
    steps : tuple of (sign, l, Q')
        The steps of Table II whose candidate is taken for some r, in their order. The others need
        not be made.
    """

    pairs: IntArray
    steps: tuple[tuple[int, int, int], ...]


def computed_phase1(k: int, t1: int, t2: int, d1: int) -> TableII:
    """Compute phase I for every r by Table II as corrected: O(D1^2) steps, and no table.

    Raises
    ------
    ValueError
        If t1 or t2 is 0: the computation divides by both.
    """
    if 0 in (t1, t2):
        raise ParameterError(
            "phase1", f"Phase I can be computed only for t1, t2 != 0, not ({t1}, {t2})"
        )
    hi, lo = max(t1, t2), min(t1, t2)
    turns = d1 * hi // k + d1 * lo // k  # l1 + l2
    quotient = d1 * lo // hi  # Q
    steps = np.array(list(product((1, -1), range(turns + 1), range(-quotient - 1, quotient + 1))))
    sign, turn, extra = steps.T[..., None]
    r = np.arange(k)
    u = turn * k + np.where(sign > 0, r, k - r)
    m1 = u // hi - extra
    m2, rest = np.divmod(u - m1 * hi, lo)
    length = np.where(rest == 0, np.abs(m1) + np.abs(m2), NEVER)
    best = length.argmin(axis=0)
    pairs = np.stack([m1[best, r], m2[best, r]], axis=1) * steps[best, :1]
    taken = tuple((int(s), int(turn), int(q)) for s, turn, q in steps[np.unique(best)])
    return TableII(pairs if t1 >= t2 else pairs[:, ::-1], taken)

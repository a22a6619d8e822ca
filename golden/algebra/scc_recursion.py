"""The local links of every route of SCC_n at once, by recursion over the star distance.

A packet at position i of supernode p that takes lateral link b next makes d(i, b) local moves and
is then at position b of a supernode that is one lateral link nearer. Algorithms differ only in
the choice of b.
"""

from collections.abc import Callable
from functools import lru_cache
from math import factorial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.algebra.permutation import number, permutations
from fingerpost.golden.algebra.star_cycles import bsymbols, star_distance, swap
from fingerpost.golden.arrays import BoolArray, IntArray

FloatArray = NDArray[np.float64]


class Supernodes:
    """The n! relative permutations, in the order of their numbers.

    Attributes
    ----------
    p : (n!, n)
        The permutations.
    behind : (n!, n)
        The supernode behind each lateral link b, at [., b-1]; itself at b = 1.
    b : (n!, n)
        B(p), as a mask.
    lat : (n!,)
        The star distance, Eq. (4).
    """

    def __init__(self, n: int) -> None:
        self.p = permutations(np.arange(factorial(n)), n)
        self.behind = np.stack([number(swap(self.p, b)) for b in range(1, n + 1)], axis=1)
        self.b = bsymbols(self.p)
        self.lat = star_distance(self.p)

    @classmethod
    @lru_cache(maxsize=2)
    def of(cls, n: int) -> "Supernodes":
        """Return the supernodes of SCC_n; the last two are remembered."""
        return cls(n)


class Choices(NamedTuple):
    """The choices of an algorithm, at every position of k supernodes.

    `number` (k,) are the numbers of the supernodes, `p` and `b` (k, 1, n) their permutations and
    B(p). `links` (k, n, n) has the local links from position i by lateral b to the destination,
    at [., i-1, b-1].
    """

    number: IntArray
    p: IntArray
    b: BoolArray
    links: FloatArray

    def at(self, target: IntArray) -> FloatArray:
        """Return the local links by the lateral links `target` (k, n)."""
        return np.take_along_axis(self.links, target[..., None] - 1, axis=-1)[..., 0]


Rule = Callable[[Choices], FloatArray]
"""The local links (k, n) that an algorithm makes of its choices."""


def local_links(
    distance: IntArray,
    rule: Rule,
    i_d: int = 2,
    *,
    behind: IntArray | None = None,
    within: IntArray | None = None,
) -> FloatArray:
    """Return the local links from every <i, p> to <i_d, identity>, at [number of p, i-1].

    Parameters
    ----------
    distance : (n, n)
        Eq. (7), or zeros for a star graph.
    rule : callable
        What the algorithm makes of the choices it has at a supernode.
    i_d : int
        The position of the destination.
    behind : (n!, n), optional
        The supernode where the algorithm chooses next after lateral b, if not the first one.
    within : (n!, n), optional
        The local links that it takes to there, 0 if not given.
    """
    n = len(distance)
    supernodes = Supernodes.of(n)
    behind = supernodes.behind if behind is None else behind
    local = np.zeros((len(supernodes.p), n))
    local[-1] = distance[:, i_d - 1]  # the identity has the last number
    for lat in range(1, int(supernodes.lat.max()) + 1):
        level = np.flatnonzero(supernodes.lat == lat)
        rest = local[behind[level], np.arange(n)]
        if within is not None:
            rest = rest + within[level]
        p, b = supernodes.p[level, None], supernodes.b[level, None]
        local[level] = rule(Choices(level, p, b, distance + rest[:, None, :]))
    return local

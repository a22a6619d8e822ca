"""The r-cycles of permutations, and what routing makes of them.

(star-connected-cycles-1995, Sections 3 and 4.) A permutation p of 1..n is the last axis of an
array, p[k] the symbol at position k. The next symbol of s in its r-cycle is p[s], the position
where s belongs. Sets of symbols are masks, and whatever depends on a symbol or a position is an
array, with one place for each of 1..n on the last axis.

`distance` is the (n, n) matrix of local links between ring positions, Eq. (7); zeros for a star
graph, which has no rings.

`local_links` counts the local links of every route of SCC_n at once, by the star distance. A packet
at position i of supernode p that takes lateral link b next makes d(i, b) local moves and is then at
position b of a supernode that is one lateral link nearer. Algorithms differ only in the choice of
b.
"""

from collections.abc import Callable
from functools import lru_cache
from math import factorial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.algebra.group import number, permutations
from fingerpost.golden.arrays import BoolArray, IntArray

FAR = 1 << 40
"""More than any number of links."""


def ring_distance(n: int) -> IntArray:
    """Return d(i, j) of Eq. (7) for positions i, j of a supernode, at [i-1, j-1].

    Position 1 is on no ring; its row and column are 0.
    """
    position = np.arange(1, n + 1)
    gap = np.abs(position[:, None] - position)
    d: IntArray = np.minimum(gap, n - 1 - gap)
    d[0] = d[:, 0] = 0
    return d


def following(p: IntArray, s: IntArray) -> IntArray:
    """Return p[s], the symbol after s in its r-cycle."""
    return np.take_along_axis(p, s[..., None] - 1, axis=-1)[..., 0]


def swap(p: IntArray, t: IntArray | int) -> IntArray:
    """Return the permutations behind lateral links `t`: positions 1 and t exchanged."""
    if isinstance(t, int):
        swapped = p.copy()
        swapped[..., 0], swapped[..., t - 1] = p[..., t - 1], p[..., 0]
        return swapped
    there = np.arange(1, p.shape[-1] + 1) == t[..., None]
    swapped = np.where(there, p[..., :1], p)
    swapped[..., 0] = following(p, np.broadcast_to(t, p.shape[:-1]))
    return swapped


def apart(p: IntArray) -> BoolArray:
    """Return the symbols of the r-cycles, r >= 2, that are without symbol 1."""
    symbols = np.arange(1, p.shape[-1] + 1)
    every, with_one = p.reshape(-1), np.zeros(p.size, bool)
    row = np.arange(0, p.size, len(symbols))
    at = row  # of symbol 1, and of those that follow it
    for _ in symbols:
        with_one[at] = True
        at = row + every[at] - 1
    whole: BoolArray = ~with_one.reshape(p.shape) & (p != symbols)
    return whole


def _next_of_one(p: IntArray) -> BoolArray:
    """Return {p[1]}, or nothing if p[1] is 1."""
    symbols = np.arange(1, p.shape[-1] + 1)
    symbol: BoolArray = (symbols == p[..., :1]) & (symbols != 1)
    return symbol


def _before_one(p: IntArray) -> BoolArray:
    """Return the symbol whose next one is 1, or nothing if that is 1 itself."""
    symbol: BoolArray = (p == 1) & (np.arange(1, p.shape[-1] + 1) != 1)
    return symbol


def bsymbols(p: IntArray) -> BoolArray:
    """Return B(p): the lateral links that lower the star distance.

    They are p[1], if it is not 1, and every symbol of the r-cycles without 1.
    """
    return apart(p) | _next_of_one(p)


def leaders(p: IntArray) -> IntArray:
    """Return the smallest symbol of the r-cycle of every symbol."""
    leader = np.broadcast_to(np.arange(1, p.shape[-1] + 1), p.shape)
    ahead = p
    for _ in range(p.shape[-1].bit_length()):  # looks 1, 2, 4, ... symbols ahead
        leader = np.minimum(leader, np.take_along_axis(leader, ahead - 1, axis=-1))
        ahead = np.take_along_axis(ahead, ahead - 1, axis=-1)
    return leader


def canonical_order(p: IntArray) -> IntArray:
    """Return a number for every symbol: smaller where it comes earlier in canonical order.

    That is: r-cycles by their smallest symbol, each from there on along p.
    """
    leader = leaders(p)
    n = p.shape[-1]
    to_go = np.zeros(p.shape, np.int64)  # symbols from this one to the end of the r-cycle
    ahead = np.broadcast_to(np.arange(1, n + 1), p.shape)
    for k in range(1, n + 1):
        ahead = np.take_along_axis(p, ahead - 1, axis=-1)
        to_go = np.where((to_go == 0) & (ahead == leader), k, to_go)
    order: IntArray = leader * n - to_go
    return order


def star_distance(p: IntArray) -> IntArray:
    """Return the lateral links to the identity, Eq. (4): c + m, less 2 if p[1] is not 1."""
    symbols = np.arange(1, p.shape[-1] + 1)
    misplaced = p != symbols
    c = ((leaders(p) == symbols) & misplaced).sum(axis=-1)
    m = misplaced.sum(axis=-1)
    lat: IntArray = c + m - 2 * misplaced[..., 0]
    return lat


def move_in(p: IntArray, distance: IntArray) -> IntArray:
    """Return the MI local links to the identity: Eq. (8), summed over all r-cycles.

    Each symbol s is followed by p[s], without a move where either is 1.
    """
    links: IntArray = distance[np.arange(p.shape[-1]), p - 1].sum(axis=-1)
    return links


def minloc(i: IntArray | int, p: IntArray, i_d: IntArray | int, distance: IntArray) -> IntArray:
    """Return the least local links that <i, p> may need to <i_d, identity>: Eq. (16), L = 0."""
    whole = apart(p)  # in B and in F both: an r-cycle without 1 may begin anywhere
    enter = np.where(whole | _next_of_one(p), distance[i - 1], FAR).min(axis=-1)
    leave = np.where(whole | _before_one(p), distance[i_d - 1], FAR).min(axis=-1)
    home = enter == FAR  # no lateral link is left to take
    total = enter + move_in(p, distance) + leave
    least: IntArray = np.where(home, distance[i - 1, i_d - 1], total)
    return least


def first(among: BoolArray, key: IntArray | NDArray[np.float64]) -> IntArray:
    """Return the symbol of least `key` in the set `among`, the smallest if many; 1 if empty."""
    symbol: IntArray = np.where(among, key, FAR).argmin(axis=-1) + 1
    return symbol


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

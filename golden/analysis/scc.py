"""What star-connected-cycles-1995 computes: its closed formulas, exactly, averages, and a search.

Eqs. (4), (7), (8) and (16) are in `fingerpost.golden.algebra.star_cycles`. The averages of routing
algorithms are exact, as in Section 5: from all (n-1) n! nodes, the destination itself among them,
to <2, identity>. Algorithm 3 (Section 4.4) finds a shortest route in SCC_n by search.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from fingerpost.golden.algebra.group import number
from fingerpost.golden.algebra.star_cycles import (
    FloatArray,
    Rule,
    Supernodes,
    bsymbols,
    leaders,
    local_links,
    minloc,
    move_in,
    ring_distance,
    star_distance,
    swap,
)
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.routing.scc import promising
from fingerpost.golden.routing.star import nearest


def _product(n: int) -> int:
    """Return the sum of d(i, 2) over all positions i: floor(n/2) floor((n-1)/2)."""
    return n // 2 * ((n - 1) // 2)


def diameter_bound(n: int) -> int:
    """Return Eq. (1), which is an upper bound: BFS finds 30, not 31, at n = 7, 48, not 50, at 9."""
    if n == 3:
        return 6
    return (n * n + n - 4) // 2 if n % 2 == 0 else (n * n + 3 * n - 8) // 2


def harmonic(n: int) -> Fraction:
    """Return H_n, the sum of 1/k for k = 1..n."""
    return sum((Fraction(1, k) for k in range(1, n + 1)), Fraction(0))


def mean_lateral(n: int) -> Fraction:
    """Return the average number of lateral links, Eq. (6)."""
    return n + harmonic(n) + Fraction(2, n) - 4


def mean_move_in(n: int) -> Fraction:
    """Return the average number of MI local links, Eq. (9)."""
    return Fraction((n - 1) * _product(n), n)


def mean_move_between(n: int) -> Fraction:
    """Return the average number of MB local links of random routing, Eq. (12)."""
    return _product(n) * (harmonic(n) * (n - 1) - 2) / (n * n - 3 * n + 2)


def length_bound(n: int) -> Fraction:
    """Return the bound on the average distance, Eq. (14)."""
    term = Fraction(n * n + 1, n * n - n) + (harmonic(n) - 2) / (n - 2)
    return n + harmonic(n) + Fraction(2, n) - 4 + _product(n) * term


ALGORITHMS = (
    "minimal",
    "near-minimal",
    "greedy",
    "greedy, memory none",
    "random",
    "random, worst case",
)
"""The routing algorithms; of random routing the mean of its routes, and the longest of them."""


def local_links_of(algorithm: str, n: int, i_d: int) -> FloatArray:
    """Return the local links from every <i, p> to <i_d, identity>, at [number of p, i-1]."""
    i, distance = np.arange(1, n + 1), ring_distance(n)
    rules: dict[str, Rule] = {
        "minimal": lambda c: c.links.min(axis=-1, where=c.b, initial=np.inf),
        "near-minimal": lambda c: c.at(promising(i, c.p, i_d, distance)),
        "greedy": lambda c: c.at(nearest(i, c.p, distance)),
        "greedy, memory none": lambda c: c.at(nearest(i, c.p, distance)),
        "random": lambda c: c.links.mean(axis=-1, where=c.b),
        "random, worst case": lambda c: c.links.max(axis=-1, where=c.b, initial=0),
    }
    whole = r_cycles(n) if algorithm == "greedy" else (None, None)
    return local_links(distance, rules[algorithm], i_d, behind=whole[0], within=whole[1])


def r_cycles(n: int) -> tuple[IntArray, IntArray]:
    """Return where greedy routing chooses next, and the local links to there; both (n!, n).

    A lateral link other than p[1] is the first of a whole r-cycle (Algorithm 2, step 4).
    """
    supernodes, distance, symbols = Supernodes.of(n), ring_distance(n), np.arange(1, n + 1)
    p, behind = supernodes.p, supernodes.behind.copy()
    within = np.zeros_like(behind)
    leader = leaders(p)
    for b in range(2, n + 1):
        r_cycle = leader == leader[:, [b - 1]]
        done = np.where(r_cycle, symbols, p)
        whole = ~r_cycle[:, 0]
        behind[whole, b - 1] = number(done[whole])
        within[whole, b - 1] = (move_in(p, distance) - move_in(done, distance))[whole]
    return behind, within


@dataclass(frozen=True)
class Averages:
    """The average numbers of links of a route: lateral, move-in and move-between.

    `distribution` is the number of nodes whose route has 0, 1, 2, ... links.
    """

    lat: float
    mi: float
    mb: float
    distribution: tuple[int, ...]

    @property
    def loc(self) -> float:
        """Return the average number of local links."""
        return self.mi + self.mb

    @property
    def length(self) -> float:
        """Return the average length of a route, Eq. (5)."""
        return self.lat + self.loc


@cache
def averages(n: int, algorithm: str, i_d: int = 2) -> Averages:
    """Return the averages of one of `ALGORITHMS` over all nodes.

    The distribution of random routing is that of its means, each to the next integer.
    """
    local = local_links_of(algorithm, n, i_d)[:, 1:]
    supernodes = Supernodes.of(n)
    mi = float(move_in(supernodes.p, ring_distance(n)).mean())
    lengths = supernodes.lat[:, None] + local
    return Averages(
        lat=float(supernodes.lat.mean()),
        mi=mi,
        mb=float(local.mean()) - mi,
        distribution=tuple(np.bincount(np.rint(lengths).astype(np.int64).ravel()).tolist()),
    )


@cache
def simulated(n: int, seed: int = 0) -> tuple[int, ...]:
    """Return the distribution of the lengths of one random route from every node.

    Algorithm 1 as the paper simulates it, every link drawn uniformly from B(p).
    """
    supernodes, distance = Supernodes.of(n), ring_distance(n)
    rng = np.random.default_rng(seed)
    choices = supernodes.b.sum(axis=1)
    links = np.argsort(~supernodes.b, axis=1, kind="stable") + 1  # those of B(p) first
    p = np.repeat(np.arange(len(choices)), n - 1)
    i = np.tile(np.arange(2, n + 1), len(choices))
    length = supernodes.lat[p]
    moving = np.flatnonzero(length)
    while len(moving):
        here = p[moving]
        t = links[here, rng.integers(choices[here])]
        length[moving] += distance[i[moving] - 1, t - 1]
        p[moving], i[moving] = supernodes.behind[here, t - 1], t
        moving = moving[supernodes.lat[p[moving]] > 0]
    length += distance[i - 1, 1]
    return tuple(np.bincount(length).tolist())


class Vertex(NamedTuple):
    """A vertex of the search tree: node <i, p>, behind `laterals` and L local links of M."""

    i: int
    p: IntArray
    laterals: tuple[int, ...]
    local: int  # L_i
    promise: int  # M_i


def route_length(i_s: int, laterals: tuple[int, ...], i_d: int, n: int) -> int:
    """Return the length of the route by these lateral links, Eq. (15)."""
    d = ring_distance(n)
    stops = (i_s, *laterals, i_d)
    return len(laterals) + int(sum(d[i - 1, j - 1] for i, j in pairwise(stops)))


def minimal_laterals(i_s: int, p: IntArray, i_d: int) -> tuple[int, ...]:
    """Return the lateral links of a shortest route from <i_s, p> to <i_d, identity>.

    Vertices are enabled, that is expanded, while the local links M that they promise are not
    more than T. When none is left, T rises to the least promise, and those that were passed over
    are taken up again: the search goes back. A vertex in the supernode of the destination
    promises just what it needs, so the first one that is enabled ends a shortest route.
    """
    d = ring_distance(len(p))
    least = int(minloc(i_s, p, i_d, d))  # T
    tree = [Vertex(i_s, p, (), 0, least)]
    while True:
        enabled = [v for v in tree if v.promise <= least]
        for v in enabled:
            if star_distance(v.p) == 0:
                return v.laterals
        tree = [v for v in tree if v.promise > least]
        for v in enabled:
            tree += _children(v, i_d, d)
        least = max(least, min(v.promise for v in tree))


def _children(v: Vertex, i_d: int, d: IntArray) -> list[Vertex]:
    """Return a vertex for every lateral link in B(p)."""
    links = np.flatnonzero(bsymbols(v.p)) + 1
    p = swap(np.broadcast_to(v.p, (len(links), len(v.p))), links)
    L = v.local + d[v.i - 1, links - 1]
    M = L + minloc(links, p, i_d, d)
    return [
        Vertex(*child)
        for child in zip(
            links.tolist(),
            p,
            [(*v.laterals, b) for b in links.tolist()],
            L.tolist(),
            M.tolist(),
            strict=True,
        )
    ]

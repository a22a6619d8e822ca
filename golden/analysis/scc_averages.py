"""Exact averages of the routing algorithms over all nodes of SCC_n (star-connected-cycles-1995).

As in Section 5: from all (n-1) n! nodes, the destination itself among them, to <2, identity>.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np

from fingerpost.golden.algebra.permutation import number
from fingerpost.golden.algebra.scc_recursion import (
    FloatArray,
    Rule,
    Supernodes,
    local_links,
)
from fingerpost.golden.algebra.star_cycles import leaders, move_in, ring_distance
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.routing.scc_greedy import nearest
from fingerpost.golden.routing.scc_near_minimal import promising

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

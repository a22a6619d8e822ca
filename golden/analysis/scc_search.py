"""Algorithm 3: a shortest route in SCC_n by search (star-connected-cycles-1995, Section 4.4)."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from fingerpost.golden.algebra.star_cycles import (
    bsymbols,
    minloc,
    ring_distance,
    star_distance,
    swap,
)
from fingerpost.golden.arrays import IntArray


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

"""Link traffic on KYKLOS by level (kyklos-1988, Section VI, Table 3 and Appendix C).

Traffic is counted for one message from every leaf to every leaf, N^2 in all, on both directions of
a link together. A route depends on its start tree s and its difference word X only, so that the
pairs are taken in r * 2^n classes.
"""

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.routing.kyklos import KyklosRouting
from fingerpost.golden.routing.kyklos_words import Words, start_tree
from fingerpost.golden.topology.kyklos import Kyklos

__all__ = ["classes", "level_crossings", "level_traffic"]


def classes(topology: Kyklos) -> tuple[Words, IntArray, IntArray]:
    """Return X, s and the number of pairs that have them, for all r * 2^n classes of pairs."""
    sources = np.bincount(start_tree(topology, np.arange(topology.leaves)), minlength=topology.r)
    word, s = np.divmod(np.arange(topology.r << topology.n), topology.r)
    x = (word[:, None] >> np.arange(topology.n) & 1).astype(bool)
    pairs: IntArray = (topology.m - 1) ** x.sum(axis=1) * sources[s]
    return x, s, pairs


def level_crossings(routing: KyklosRouting) -> IntArray:
    """Return the messages that pass the links below level v of tree t, at [t, v-1]."""
    x, s, pairs = classes(routing.topology)
    passes = routing.levels(x, s)[:, :, None] >= np.arange(1, routing.topology.n + 1)
    crossings: IntArray = 2 * (pairs[:, None, None] * passes).sum(axis=0)  # up and down
    return crossings


def level_traffic(routing: KyklosRouting) -> NDArray[np.float64]:
    """Return the mean traffic of a link below level v, over all trees, at [v-1]."""
    m, r, n = routing.topology.m, routing.topology.r, routing.topology.n
    links = r * m ** np.arange(n, 0, -1)
    traffic: NDArray[np.float64] = level_crossings(routing).sum(axis=0) / links
    return traffic

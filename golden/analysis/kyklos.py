"""What kyklos-1988 computes: its formulas, as they hold, traffic by level, and joins.

Traffic (Section VI, Table 3 and Appendix C) is counted for one message from every leaf to every
leaf, N^2 in all, on both directions of a link together. A route depends on its start tree s and its
difference word X only, so that the pairs are taken in r * 2^n classes.

Of a pair of fragments (Sections VII, VIII and Appendix A) the fragment S of leaf i is to meet the
fragment R of leaf j. R is sent from j to i; S climbs the last tree of that route to the level of
the join and waits there. With two trees R always passes by; with more Y-2 does not always climb
that high in the last tree.
"""

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.routing.kyklos import (
    KyklosRouting,
    Words,
    differences,
    start_tree,
    strings,
)
from fingerpost.golden.topology.kyklos import Kyklos


def h2_level_traffic(m: int, r: int, n: int, v: int) -> float:
    """Return the traffic below level v of one tree under H-r (Section VI, second theorem)."""
    h = n // r
    N: int = m**n
    return 2 * (1 - (1 / m) ** (h - v + 1)) * N**2 if v <= h else 0


def link_crossings(n: int, v: int, d: int) -> int:
    """Return the crossings of links below level v of a binary tree (Table B-1, footnote 13)."""
    crossings: int = 2**n // 2 ** (v + 1) * (2**d - 1)
    return crossings


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


def join_level(routing: KyklosRouting, x: Words, s: IntArray) -> IntArray:
    """Return the level of the join from Y_s: 1 + the run of ones that starts at its bit 1.

    It is 0, at the leaf, if Y_s = 0, and 1 if Y_s = N-2 or the strategy does not climb so high.

    Raises
    ------
    ValueError
        If m > 2.
    """
    if routing.topology.m != 2:
        raise ValueError(
            f"Join levels need a kyklos network with m = 2, not m = {routing.topology.m}"
        )
    y = strings(routing.topology, x)
    y = np.take_along_axis(y, s[..., None, None], axis=-2)[..., 0, :]
    v = 1 + np.logical_and.accumulate(y[..., 1:], axis=-1).sum(axis=-1)
    v = np.where(~y[..., 0] & y[..., 1:].all(axis=-1) | (v > routing.highest), 1, v)
    return np.where(y.any(axis=-1), v, 0)


def ancestor(routing: KyklosRouting, leaf: IntArray, tree: IntArray, level: IntArray) -> IntArray:
    """Return the node of `level` above `leaf` in `tree`."""
    node = leaf
    for v in range(routing.topology.n):
        port = tree if v == 0 else routing.topology.m
        node = np.where(v < level, routing.topology.neighbour[node, port], node)
    return node


def join_site(routing: KyklosRouting, i: IntArray, j: IntArray) -> IntArray:
    """Return the node where S of leaf i and R of leaf j are joined."""
    x, s = differences(routing.topology, i, j), start_tree(routing.topology, j)
    tree = routing.last(x, s, routing.levels(x, s))
    return ancestor(routing, i, tree, join_level(routing, x, s))


def loads(routing: KyklosRouting) -> IntArray:
    """Return the joins at every node, for the N^2 pairs of fragments; shape (nodes,)."""
    total = np.zeros(routing.topology.nodes, np.int64)
    i = routing.topology.terminal_nodes
    for j in i:
        total += np.bincount(join_site(routing, i, np.full_like(i, j)), minlength=len(total))
    return total


def _by_level(routing: KyklosRouting, level: IntArray, pairs: IntArray) -> NDArray[np.float64]:
    """Return the mean joins of a node at each level 0..n, for pairs joined at `level`."""
    m, r, n = routing.topology.m, routing.topology.r, routing.topology.n
    joins = np.bincount(level, pairs, minlength=n + 1)
    nodes = m ** np.arange(n, -1, -1)
    nodes[1:] *= r
    return joins / nodes


def level_loads(routing: KyklosRouting) -> NDArray[np.float64]:
    """Return the mean joins of a node at each level 0..n, all trees together."""
    x, s, pairs = classes(routing.topology)
    return _by_level(routing, join_level(routing, x, s), pairs)


def mid_point_loads(routing: KyklosRouting) -> NDArray[np.float64]:
    """Return the mean joins of a node at each level if joins are in the middle of the routes.

    The middle of a route through two trees lies in the higher one, as far below its top as the
    other is high; or in the leaf between them. (Table 3; for r = 2.)

    Raises
    ------
    ValueError
        If r is not 2.
    """
    if routing.topology.r != 2:
        raise ValueError(
            f"Mid-point joins need a kyklos network with r = 2, not r = {routing.topology.r}"
        )
    x, s, pairs = classes(routing.topology)
    levels = routing.levels(x, s)
    return _by_level(routing, np.abs(levels[:, 0] - levels[:, 1]), pairs)

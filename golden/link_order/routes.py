"""Routes in an order of links, chosen so that all links carry the same load."""

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.link_order.graph import LinkGraph
from fingerpost.golden.link_order.kernel import trace

PASSES = 24
"""Passes over all sources."""

MOVED = 0.5
"""The part of a source's routes that a pass chooses anew."""

CROWDED, STEEP = 0.1, 10
"""A link of mean load is so much longer than 1; the excess grows with this power of its load."""

LONGER = 1.1
"""The hops of all routes, by those of shortest paths in the order."""

SLIGHT = 1e-3
"""Among shortest paths: so much that no path becomes longer than one of more links."""


def balanced_paths(graph: LinkGraph, *, channels: int, limit: int, seed: int = 0) -> IntArray:
    """Return routes from all sources to all terminals that descend less than `channels` times.

    Shortest paths first. Then in each pass some routes of every source are taken back and chosen
    anew, by paths whose links are the longer the more they carry; kept are the routes of the pass
    with the lowest highest load, of those with at most `LONGER` times as many hops. No route has
    more hops than the longest of the shortest paths.

    Returns
    -------
    (sources, terminals, limit)
        The links, -1 behind the last.
    """
    rng = np.random.default_rng(seed)
    scratch, links = graph.scratch(channels), graph.first.size * graph.degree
    shape = len(graph.sources), len(graph.terminals), limit
    paths, fresh = np.full(shape, -1, np.int64), np.empty(shape[1] * limit, np.int64)
    load, used, most = np.zeros(links), graph.order, limit

    def choose(number: int, some: IntArray, again: int) -> None:
        mean = load[used].mean()
        crowded = load / mean if mean else load
        excess = CROWDED * crowded**STEEP if again else SLIGHT * np.minimum(crowded, 10)
        trace(graph.sources[number], 1 + excess, channels, most, graph, scratch, fresh)
        found = fresh.reshape(shape[1:])
        # A path of short links may have used up the hops that one of fewer links would leave.
        better = some[found[some, 0] >= 0]
        paths[number, better] = found[better]

    def count(number: int, some: IntArray, by: int) -> None:
        taken = paths[number, some]
        load[:] += by * np.bincount(taken[taken >= 0], minlength=links)

    best, lowest, hops = paths, np.inf, 0
    for again in range(PASSES + 1):
        for number in rng.permutation(shape[0]).tolist():
            some = np.flatnonzero(rng.random(shape[1]) < MOVED) if again else np.arange(shape[1])
            if again:
                count(number, some, -1)
            choose(number, some, again)
            count(number, some, 1)
        if not again:
            most, hops = int((paths >= 0).sum(axis=2).max()), (paths >= 0).sum()
        if load.max() < lowest and (paths >= 0).sum() <= LONGER * hops:
            best, lowest = paths.copy(), load.max()
    return best

"""A search for an order of the links in which packets descend seldom.

Between two descents a packet takes links in their order, so no packets wait for each other in a
circle there; at a descent it moves to the next virtual channel. Routes that descend less often than
there are channels are thus free of deadlock, on any network. This is turn prohibition (Starobinski
et al. 2003) with one channel, and has the aim of Nue routing (Domke et al. 2016): routes for a
given number of channels.

A good order is one in which many short paths ascend. It begins with groups of links that lead from
each node to another, as the ports of a Cayley graph do: on a grid, dimension order. Simulated
annealing improves it: a move puts a link at another place, or swaps two. The energy is the norm of
the loads of all links under uniform traffic by shortest paths, in hops: it grows with the hops and
with what the busiest links carry.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.link_order.graph import LinkGraph
from fingerpost.golden.link_order.kernel import measure
from fingerpost.golden.topology.base import Topology, distances

LOST = 80.0
"""The energy of a pair of terminals without a path, in hops."""

NORM = 8
"""The norm: the higher, the more the busiest links count."""

STARTS = 4
"""Random orders of groups, of which the best is where the search begins."""

HOTTEST, COLDEST = 0.1, 0.001
"""Temperatures, in hops."""

SWAPS, NEAR = 0.2, 0.4
"""Of all moves, those that swap two links, and those that put one at a place near by."""


class Found(NamedTuple):
    """An order, with its energy, and the hops and pairs without a path that it leaves."""

    order: IntArray
    energy: float
    hops: float
    lost: int

    def rank(self) -> tuple[int, float]:
        """Return what is less of a better order."""
        return self.lost, self.energy


def search(
    topology: Topology,
    graph: LinkGraph,
    *,
    channels: int,
    limit: int,
    steps: int,
    seed: int,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Found:
    """Return the best order that is found, where paths descend less than `channels` times.

    Parameters
    ----------
    limit : int
        The most hops of a path.
    progress
        Called with (steps done, steps to do).
    """
    rng = np.random.default_rng(seed)
    scratch, weight = graph.scratch(channels), np.ones(graph.first.size * graph.degree)
    load = np.empty(len(weight), np.int64)
    pairs = len(graph.sources) * max(1, len(graph.terminals) - 1)

    def tried(order: IntArray) -> Found:
        arguments = weight, channels, limit, graph._replace(order=order), scratch, load
        hops, lost = measure(*arguments)
        norm = float((load[order].astype(float) ** NORM).mean() ** (1 / NORM))
        return Found(order, (norm * len(order) + LOST * lost) / pairs, hops / pairs, lost)

    now = best = min(map(tried, _starts(topology, graph, rng)), key=Found.rank)
    for step in range(steps):
        progress(step, steps)
        trial = tried(_moved(now.order, rng))
        temperature = HOTTEST * (COLDEST / HOTTEST) ** (step / steps)
        rise = trial.energy - now.energy
        if rise < 0 or rng.random() < np.exp(-rise / temperature):
            now = trial
            if now.rank() < best.rank():
                best = now
    return best


def _moved(order: IntArray, rng: Generator) -> IntArray:
    """Return an order in which two links are swapped, or one is at another place."""
    moved, links = order.copy(), len(order)
    old, new = rng.integers(links, size=2).tolist()
    kind = rng.random()
    if kind < SWAPS:
        moved[old], moved[new] = order[new], order[old]
        return moved
    if kind < SWAPS + NEAR:
        far = max(2, links // 16)
        new = min(max(0, old + int(rng.integers(-far, far + 1))), links - 1)
    if old < new:
        moved[old:new] = order[old + 1 : new + 1]
    else:
        moved[new + 1 : old + 1] = order[new:old]
    moved[new] = order[old]
    return moved


def _starts(topology: Topology, graph: LinkGraph, rng: Generator) -> Iterator[IntArray]:
    """Yield orders to begin with: groups in random orders, and up and down a tree."""
    groups = _groups(graph)
    for _ in range(STARTS):
        yield np.concatenate([_along(groups[i], graph, rng) for i in rng.permutation(len(groups))])
    if len(graph.first) == topology.nodes + 1 and not topology.directed:
        yield _up_down(topology, graph)


def _ends(graph: LinkGraph) -> tuple[IntArray, IntArray]:
    """Return the orbits at which each of `graph.every` begins and ends."""
    orbit = np.empty(len(graph.members), np.int64)
    orbit[graph.members] = np.repeat(np.arange(len(graph.first) - 1), np.diff(graph.first))
    begin, port = np.divmod(graph.every, graph.degree)
    there = graph.neighbour[graph.members[graph.first[begin]] * graph.degree + port]
    return begin, orbit[there]


def _groups(graph: LinkGraph) -> list[IntArray]:
    """Return groups of links, of which no two begin, and no two end, at one orbit."""
    every = graph.every
    begin, end = _ends(graph)
    by_port = [np.flatnonzero(every % graph.degree == port) for port in range(graph.degree)]
    if all(len(np.unique(end[some])) == len(some) for some in by_port):
        return [every[some] for some in by_port if len(some)]
    # Not above: the import takes longer than the commands that need no search.
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    orbits = len(graph.first) - 1
    groups, left = [], np.arange(len(every))
    while len(left):
        ends = begin[left].tolist(), end[left].tolist()
        joined = csr_array((np.ones(len(left)), ends), shape=(orbits, orbits))
        matched = maximum_bipartite_matching(joined, perm_type="column")
        place = dict(zip(zip(*ends, strict=True), left.tolist(), strict=True))
        taken = [place[pair] for pair in enumerate(matched.tolist()) if pair in place]
        groups.append(every[taken])
        left = np.setdiff1d(left, taken)
    return groups


def _along(group: IntArray, graph: LinkGraph, rng: Generator) -> IntArray:
    """Return a group in the order in which a packet takes its links, from a random one on.

    Where they close a circle it ends where it began.
    """
    begin, end = _ends(graph)
    place = np.searchsorted(graph.every, group)
    link_from = dict(zip(begin[place].tolist(), group.tolist(), strict=True))
    to = dict(zip(begin[place].tolist(), end[place].tolist(), strict=True))
    heads = [orbit for orbit in to if orbit not in set(to.values())]
    starts = rng.permutation(heads).tolist() + rng.permutation(list(to)).tolist()
    order = []
    for orbit in starts:
        at = orbit
        while at in link_from:
            order.append(link_from.pop(at))
            at = to[at]
    return np.array(order, np.int64)


def _up_down(topology: Topology, graph: LinkGraph) -> IntArray:
    """Return the links that lead up to a root, the lowest first, then those that lead down.

    All pairs have a path without a descent, of twice the root's eccentricity at most.
    """
    level = min(
        (distances(topology.neighbour, root) for root in topology.terminal_nodes.tolist()),
        key=np.max,
    )
    rank = level * topology.nodes + np.arange(topology.nodes)
    begin, end = (rank[orbit] for orbit in _ends(graph))
    return graph.every[np.lexsort((np.where(end < begin, -begin, begin), end > begin))]

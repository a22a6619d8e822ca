"""Orders of links, and routes that descend in them less often than there are channels.

Between two descents a packet takes links in their order, so no packets wait for each other in a
circle there; at a descent it moves to the next virtual channel. Routes that descend less often than
there are channels are thus free of deadlock, on any network. This is turn prohibition (Starobinski
et al. 2003) with one channel, and has the aim of Nue routing (Domke et al. 2016): routes for a
given number of channels.

Paths are searched by compiled functions: links are taken in their order, once for each channel. So
when a link is taken, what is known of the node where it begins are paths that end with an earlier
link, or descend once more than before. A path is kept as a *label*: its last link, and the label of
the path to the node before. Labels stay as they are when a better path to their node is found,
since other paths may go on from them.

A good order is one in which many short paths ascend. It begins with groups of links that lead from
each node to another, as the ports of a Cayley graph do: on a grid, dimension order. Simulated
annealing improves it: a move puts a link at another place, or swaps two. The energy is the norm of
the loads of all links under uniform traffic by shortest paths, in hops: it grows with the hops and
with what the busiest links carry.

Where there are many links, annealing tries too few orders. So orders by the traffic of turns
(`fingerpost.golden.turn_order`) are candidates as well.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.jit.compile import called, compiled
from fingerpost.golden.topology.base import Topology, distances
from fingerpost.golden.turn_order import orders


class LinkGraph(NamedTuple):
    """The links of a network, in an order. Those of an orbit by one port are one link here.

    Attributes
    ----------
    order : (links,)
        The links, orbit * degree + port, the first one first.
    neighbour : (nodes * degree,)
        The node to which each port leads, -1 where there is no link.
    first, members
        The nodes of orbit i are `members[first[i]:first[i + 1]]`.
    sources, terminals
        The first terminal of every orbit, and all terminals.
    degree : int
    """

    order: IntArray
    neighbour: IntArray
    first: IntArray
    members: IntArray
    sources: IntArray
    terminals: IntArray
    degree: int

    @property
    def every(self) -> IntArray:
        """Return all links, ascending."""
        orbit = self.members[self.first[:-1]]
        links = self.neighbour.reshape(-1, self.degree)[orbit] >= 0
        return np.flatnonzero(links)

    @property
    def orbit(self) -> IntArray:
        """Return the orbit of each node."""
        orbit = np.empty(len(self.members), np.int64)
        orbit[self.members] = np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))
        return orbit

    def scratch(self, channels: int) -> "Labels":
        """Return room for the labels of paths from one source."""
        nodes, most = len(self.members), channels * len(self.neighbour) + 1
        return Labels(
            length=np.empty(nodes),
            label=np.empty(nodes, np.int64),
            link=np.empty(most, np.int32),
            before=np.empty(most, np.int32),
            hops=np.empty(most, np.int32),
            paths=np.empty(most, np.int64),
        )


class Labels(NamedTuple):
    """The paths from one source: see the head of this file.

    By node, the length of the shortest path and its label, -1 if there is none; by label, the last
    link, the label before, the hops, and the paths that go through it.
    """

    length: NDArray[np.float64]
    label: IntArray
    link: NDArray[np.int32]
    before: NDArray[np.int32]
    hops: NDArray[np.int32]
    paths: IntArray


def link_graph(topology: Topology, orbit: IntArray) -> LinkGraph:
    """Return the links of a network by orbits of its nodes, which are in no order yet."""
    first = np.concatenate([[0], np.bincount(orbit).cumsum()])
    terminals = topology.terminal_nodes
    return LinkGraph(
        order=np.empty(0, np.int64),
        neighbour=topology.neighbour.astype(np.int64).ravel(),
        first=first,
        members=np.argsort(orbit, kind="stable"),
        sources=terminals[np.unique(orbit[terminals], return_index=True)[1]],
        terminals=terminals.astype(np.int64),
        degree=topology.degree,
    )


FAR = 1e9
"""More than the length of any path."""


@compiled
def label_paths(
    source: int, weight: Any, channels: int, limit: int, graph: Any, labels: Any
) -> int:
    """Label the shortest paths from a source; return the number of labels.

    Parameters
    ----------
    weight : (links,)
        The length of each link.
    channels : int
        A path descends in the order less often than this.
    limit : int
        The most hops of a path.
    graph, labels
        Of `LinkGraph`, and what its `scratch` gives.
    """
    for node in range(len(labels.label)):
        labels.length[node] = FAR
        labels.label[node] = -1
    labels.length[source] = 0.0
    labels.label[source] = 0
    labels.hops[0] = 0
    count = 1
    for _ in range(channels):
        for link in graph.order:
            orbit, port = link // graph.degree, link % graph.degree
            for place in range(graph.first[orbit], graph.first[orbit + 1]):
                node = graph.members[place]
                there = graph.neighbour[node * graph.degree + port]
                if there < 0:
                    continue
                length = labels.length[node] + weight[link]
                if length < labels.length[there] and labels.hops[labels.label[node]] < limit:
                    labels.length[there] = length
                    labels.label[there] = count
                    labels.link[count] = link
                    labels.before[count] = labels.label[node]
                    labels.hops[count] = labels.hops[labels.label[node]] + 1
                    count += 1
    return count


@called
def measure(
    weight: Any, channels: int, limit: int, graph: Any, labels: Any, load: Any
) -> tuple[int, int]:
    """Count in `load` the shortest paths over each link; return their hops, and pairs without one.

    Paths are from all sources to all terminals.
    """
    hops = lost = 0
    for link in range(len(load)):
        load[link] = 0
    for source in graph.sources:
        count = label_paths(source, weight, channels, limit, graph, labels)
        for label in range(count):
            labels.paths[label] = 0
        for terminal in graph.terminals:
            label = labels.label[terminal]
            if label < 0:
                lost += 1
            else:
                labels.paths[label] += 1
                hops += labels.hops[label]
        for label in range(count - 1, 0, -1):
            paths = labels.paths[label]
            labels.paths[labels.before[label]] += paths
            load[labels.link[label]] += paths
    return hops, lost


@called
def trace(
    source: int, weight: Any, channels: int, limit: int, graph: Any, labels: Any, path: Any
) -> None:
    """Write into `path` the links of the shortest paths to all terminals, -1 behind the last.

    It has a row of places for each terminal, one behind the other.
    """
    label_paths(source, weight, channels, limit, graph, labels)
    places = len(path) // len(graph.terminals)
    for place in range(len(path)):
        path[place] = -1
    for number in range(len(graph.terminals)):
        label = labels.label[graph.terminals[number]]
        while label > 0:
            path[number * places + labels.hops[label] - 1] = labels.link[label]
            label = labels.before[label]


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


LOST = 80.0
"""The energy of a pair of terminals without a path, in hops."""

NORM = 8
"""The norm: the higher, the more the busiest links count."""

STARTS = 4
"""Random orders of groups, of which the best is where the search begins."""

HOTTEST, COLDEST = 0.1, 0.001
"""Temperatures, in hops."""

CLOSE = 1.2
"""Orders whose energy is at most so many times the lowest are compared by balanced routes."""

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

    Of complete orders it is the one whose balanced routes load the busiest link least, and have the
    fewest hops; only those are balanced whose energy is `CLOSE` to the lowest.

    Parameters
    ----------
    limit : int
        The most hops of a path.
    progress
        Called with (done, to do): annealing, orders by their turns and balancing are a third each.
    """
    third = max(1, steps)
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
        progress(step, 3 * third)
        trial = tried(_moved(now.order, rng))
        temperature = HOTTEST * (COLDEST / HOTTEST) ** (step / steps)
        rise = trial.energy - now.energy
        if rise < 0 or rng.random() < np.exp(-rise / temperature):
            now = trial
            if now.rank() < best.rank():
                best = now
    candidates = [best]
    for order in orders(
        graph.neighbour,
        graph.orbit,
        graph.sources,
        graph.terminals,
        graph.degree,
        seed,
        lambda done, total: progress(third + third * done // total, 3 * third),
    ):
        found = tried(order)
        candidates.append(found)
        if not found.lost:
            break
    best = min(candidates, key=Found.rank)
    close = [one for one in candidates if not one.lost and one.energy <= CLOSE * best.energy]

    def balanced(number: int) -> tuple[int, int]:
        progress(2 * third + third * number // len(close), 3 * third)
        ordered = graph._replace(order=close[number].order)
        links = balanced_paths(ordered, channels=channels, limit=limit)
        links = links[links >= 0]
        return int(np.bincount(links, minlength=1).max()), len(links)

    return close[min(range(len(close)), key=balanced)] if len(close) > 1 else best


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
    orbit = graph.orbit
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

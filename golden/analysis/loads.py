"""The load that traffic puts on every link and terminal, and the throughput that follows."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.routing.base import Routing
from fingerpost.golden.routing.walk import hops
from fingerpost.golden.topology.base import Topology, distances
from fingerpost.golden.traffic import Demand, Pattern, spelling

SAMPLES = 16
"""Walks over which routes of chance are averaged."""

CHUNK = 1_000_000
"""Packets that are followed at once."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Loads:
    """The load of every link when terminals send one flit a cycle each, in the mean."""

    load: Floats
    """Shape (nodes, degree). Flits per cycle on the link of each port, 0 where there is no link.
    The mean where chance decides; where it matters what is free, all is."""
    injected: Floats
    ejected: Floats
    """Shape (terminals,). Flits per cycle that each terminal sends and receives."""
    mean_hops: float
    mean_distance: float
    """Hops of the routes and of shortest paths, over all packets."""
    link_saturation: float
    """Flits per terminal and cycle at which the busiest link has no cycle to spare."""
    bound: float
    """The same for the best of routings: all links equally loaded by shortest paths."""

    @property
    def terminal_saturation(self) -> float:
        """Return the load at which the busiest terminal sends or receives in every cycle."""
        busiest = max(self.injected.max(), self.ejected.max())
        return min(1.0, float(1 / busiest.round(12)))  # sums of n shares are 1 but for the last bit

    @property
    def saturation(self) -> float:
        """Return the load at which the first link or terminal is full: no more can be accepted."""
        return min(self.link_saturation, self.terminal_saturation)


def loads(
    routing: Routing,
    pattern: Pattern | str = "uniform",
    *,
    progress: Callable[[int, int], None] | None = None,
) -> Loads:
    """Return the loads of all links under a traffic pattern.

    Parameters
    ----------
    progress : callable, optional
        Called with (packets followed, packets to follow) now and then.

    Raises
    ------
    ValueError
        If a packet is lost on its way, or the pattern does not fit the network.

    Examples
    --------
    >>> from fingerpost.golden.routing.table import Table
    >>> from fingerpost.golden.topology import DoubleLoop
    >>> found = loads(Table(DoubleLoop(nodes=3, a=1, b=2)))  # all are neighbours
    >>> found.load.tolist(), found.link_saturation, found.bound, found.saturation
    ([[0.5, 0.5], [0.5, 0.5], [0.5, 0.5]], 2.0, 2.0, 1.0)
    """
    topology, terminals = routing.topology, routing.topology.terminals
    demand = spelling.pattern(pattern).demand(topology)
    shared = np.zeros((int(routing.orbit.max()) + 1, topology.degree))
    own = np.zeros((topology.nodes, topology.degree))
    walks = SAMPLES if routing.selection == "random" else 1
    followed, at = 0, topology.node_of(terminals)
    parts = _parts(demand, routing.orbit[at])
    everything = sum(len(part.source) for part in parts) * len(terminals)
    everything += 0 if demand.spots is None else demand.spots.nnz
    for some in _pairs(demand, parts):
        crossed, row = (shared, routing.orbit) if some.alike else (own, np.arange(topology.nodes))
        source, destination = at[some.source], at[some.destination]
        for seed in range(walks):
            for packet, node, _, _, decision in hops(routing, source, destination, seed=seed):
                away = decision.port != topology.local
                link = row[node[away]], decision.port[away]
                np.add.at(crossed, link, some.rate[packet[away]])
        followed += len(source)
        if progress:
            progress(followed, everything)

    links, n = int((topology.neighbour >= 0).sum()), len(terminals)
    load = own + (shared / np.bincount(routing.orbit)[:, None])[routing.orbit]
    load /= max(1, n - 1) * walks
    mean_distance = _mean_distance(topology, demand)
    return Loads(
        load=load,
        injected=demand.sends,
        ejected=demand.received(),
        mean_hops=float(load.sum()) / n,
        mean_distance=mean_distance,
        link_saturation=1 / float(load.max()) if load.any() else float("inf"),
        bound=links / n / mean_distance if mean_distance else float("inf"),
    )


@dataclass(frozen=True)
class _Pairs:
    """Packets from terminal to terminal, and the rate of each at load 1.

    A rate is in flits for n - 1 cycles: 1 in uniform traffic, so that sums stay exact. Where
    packets are `alike`, they stand for those of all sources in the orbit.
    """

    source: IntArray
    destination: IntArray
    rate: Floats
    alike: bool


@dataclass(frozen=True)
class _Part:
    """Sources that send to all others alike, and the rate at which they do; see `_Pairs`."""

    source: IntArray
    rate: Floats
    alike: bool


def _parts(demand: Demand, orbit: IntArray) -> tuple[_Part, _Part]:
    """Return what is spread: what sources in an orbit have in common but once, and the rest."""
    rate = demand.sends * demand.spread
    orbits, first, place, size = np.unique(
        orbit, return_index=True, return_inverse=True, return_counts=True
    )
    common = np.full(len(orbits), np.inf)
    np.minimum.at(common, place.ravel(), rate)
    more = rate - common[place.ravel()]
    return (
        _Part(first[common > 0], (common * size.astype(np.float64))[common > 0], alike=True),
        _Part(np.flatnonzero(more), more[more > 0], alike=False),
    )


def _pairs(demand: Demand, parts: tuple[_Part, ...]) -> Iterator[_Pairs]:
    """Yield all packets: those of the parts, and those to spots."""
    n = demand.terminals
    step = max(1, CHUNK // n)
    for part in parts:
        for start in range(0, len(part.source), step):
            some = part.source[start : start + step]
            source, destination = np.repeat(some, n), np.tile(np.arange(n), len(some))
            to_all = np.repeat(part.rate[start : start + step], n)
            rate = np.where(source == destination, 0, to_all)
            yield _Pairs(source, destination, rate, part.alike)
    if demand.spots is None:
        return
    spots = demand.spots.tocoo()
    source, destination = (x.astype(np.int64) for x in (spots.row, spots.col))
    rate = spots.data * demand.sends[source] * max(1, n - 1)
    for start in range(0, len(source), CHUNK):
        cut = slice(start, start + CHUNK)
        yield _Pairs(source[cut], destination[cut], rate[cut], alike=False)


def _mean_distance(topology: Topology, demand: Demand) -> float:
    """Return the hops of shortest paths, over all packets."""
    total, at = 0.0, topology.node_of(topology.terminals)
    known: tuple[int, IntArray] = -1, at
    orbit = np.zeros_like(at) if topology.vertex_transitive else topology.orbit[at]
    for some in _pairs(demand, _parts(demand, orbit)):
        cuts = np.flatnonzero(np.diff(some.source)) + 1
        for part in np.split(np.arange(len(some.source)), cuts):
            if not len(part):
                continue
            source = int(some.source[part[0]])
            if known[0] != source:
                known = source, distances(topology.neighbour, int(at[source]))[at]
            total += float(some.rate[part] @ known[1][some.destination[part]])
    return total / demand.terminals / max(1, demand.terminals - 1)

"""What uniform traffic asks of every link, and the throughput that this leaves."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from golden.algebra.distance import summary
from golden.routing.base import Routing
from golden.routing.walk import hops

__all__ = ["SAMPLES", "Loads", "loads"]

SAMPLES = 16
"""Walks over which routes of chance are averaged."""

CHUNK = 1_000_000
"""Packets that are followed at once."""


@dataclass(frozen=True)
class Loads:
    """The load of every link when each terminal sends one flit a cycle, to all others alike.

    Attributes
    ----------
    load : (nodes, degree)
        Flits per cycle on the link of each port, 0 where there is no link. The mean where chance
        decides; where it matters what is free, all is.
    mean_hops, mean_distance : float
        Hops of the routes and of shortest paths, over all pairs of terminals.
    saturation : float
        Flits per terminal and cycle at which the first link has no cycle to spare. A terminal
        itself sends at most one.
    bound : float
        The most that any routing can reach: all links equally loaded by shortest paths.
    """

    load: NDArray[np.float64]
    mean_hops: float
    mean_distance: float
    saturation: float
    bound: float


def loads(routing: Routing) -> Loads:
    """Return the loads of all links under uniform traffic.

    Raises
    ------
    ValueError
        If a packet is lost on its way.

    Examples
    --------
    >>> from golden.routing.table import Table
    >>> from golden.topology import DoubleLoop
    >>> found = loads(Table(DoubleLoop(nodes=3, a=1, b=2)))  # all are neighbours
    >>> found.load.tolist(), found.saturation, found.bound
    ([[0.5, 0.5], [0.5, 0.5], [0.5, 0.5]], 2.0, 2.0)
    """
    topology = routing.topology
    terminals, orbit = topology.terminals, routing.orbit
    orbits, first, size = np.unique(orbit[terminals], return_index=True, return_counts=True)
    sources = terminals[first]
    weight = np.zeros(int(orbit.max()) + 1)
    weight[orbits] = size
    walks = SAMPLES if routing.hint == "random" else 1

    crossed = np.zeros((len(weight), topology.degree))
    step = max(1, CHUNK // len(terminals))
    for seed in range(walks):
        for some in np.split(sources, range(step, len(sources), step)):
            source, destination = np.repeat(some, len(terminals)), np.tile(terminals, len(some))
            for packet, node, _, _, decision in hops(routing, source, destination, seed=seed):
                away = decision.port != topology.local
                link = orbit[node[away]], decision.port[away]
                np.add.at(crossed, link, weight[orbit[source[packet[away]]]])

    others = len(terminals) - 1
    load = (crossed / np.bincount(orbit)[:, None])[orbit] / others / walks
    links = int((topology.neighbour >= 0).sum())
    _, mean_distance = summary(topology, among_terminals=True)
    return Loads(
        load=load,
        mean_hops=float(crossed.sum()) / walks / len(terminals) / others,
        mean_distance=mean_distance,
        saturation=1 / float(load.max()),
        bound=links / len(terminals) / mean_distance,
    )

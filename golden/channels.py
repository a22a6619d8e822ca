"""Virtual channels, and the proof that they keep a network free of deadlock.

Nodes are put in a total order. A packet may climb and then descend on one virtual channel; where
it came from above and goes up again, at a valley, it moves to the next channel. Within a channel
the links thus come in an order (upward links by rising start, then downward links by falling
start), so 1 + (most valleys of a route) channels are enough for any routing, on any network.
Often fewer are: the last channel takes every later valley too, and the channel dependency graph
of the routes tells whether that is still free of cycles.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, dijkstra

from golden.routing.base import Routing
from golden.topology.base import IntArray, Topology
from golden.walk import Routes, walk

__all__ = ["Channels", "Cycle", "Hop", "representative_routes"]

Hop = tuple[int, int, int]
"""A link and one of its virtual channels: (node, port, channel)."""

Cycle = list[Hop]

BITMAP = 50_000_000
"""Pairs of vertices up to which dependencies are marked in a bitmap, not sorted."""


def representative_routes(routing: Routing, orbit: IntArray) -> Routes:
    """Return the routes to all nodes from the first node of every orbit."""
    sources = np.unique(orbit, return_index=True)[1]
    n = routing.topology.nodes
    return walk(routing, np.repeat(sources, n), np.tile(np.arange(n), len(sources)))


@dataclass(frozen=True)
class Channels:
    """The virtual channels of a routing under one order of the nodes.

    Parameters
    ----------
    routing : Routing
    order : (nodes,)
        The height of every node. Neighbours must differ in height.
    given_routes : Routes, optional
        The routes to consider; by default `representative_routes`, which stand for all.

    Attributes
    ----------
    above : (nodes, degree + 1)
        1 where the node behind a port is the higher one; 0 for the terminal port. These bits
        are all that a router has to know of the order.
    """

    routing: Routing
    order: IntArray
    given_routes: Routes | None = None

    def __post_init__(self) -> None:
        topology = self.topology
        if self.order.shape != (topology.nodes,):
            raise ValueError(
                f"Channel order needs one height for each of {topology.nodes} nodes, "
                f"not shape {self.order.shape}"
            )
        level = (self.order[topology.neighbour] == self.order[:, None]) & (topology.neighbour >= 0)
        if level.any():
            node, port = np.argwhere(level)[0].tolist()
            raise ValueError(
                f"Channel order needs neighbours of different height, not "
                f"{self.order[node]} at both node {node} and node {topology.neighbour[node, port]}"
            )

    @property
    def topology(self) -> Topology:
        """Return the network."""
        return self.routing.topology

    @cached_property
    def above(self) -> IntArray:
        """Return whether the node behind each port is higher; shape (nodes, degree + 1)."""
        neighbour = self.topology.neighbour
        higher = (self.order[neighbour] > self.order[:, None]) & (neighbour >= 0)
        return np.append(higher, np.zeros((len(higher), 1), bool), axis=1).astype(np.int64)

    @cached_property
    def orbit(self) -> IntArray:
        """Return the topology's orbits if the order respects them, else every node by itself."""
        orbit = self.topology.orbit
        first = np.unique(orbit, return_index=True)[1]
        respected = (self.above == self.above[first][orbit]).all()
        return orbit if respected else np.arange(self.topology.nodes)

    @cached_property
    def routes(self) -> Routes:
        """Return the routes that are considered."""
        if self.given_routes is not None:
            return self.given_routes
        return representative_routes(self.routing, self.orbit)

    @cached_property
    def valleys(self) -> IntArray:
        """Return the number of valleys up to and including each hop; as `routes.ports`."""
        nodes, ports = self.routes.nodes, self.routes.ports
        hop = ports >= 0
        up = self.order[nodes[:, 1:]] > self.order[nodes[:, :-1]]
        valley = np.zeros_like(ports)
        valley[:, 1:] = ~up[:, :-1] & up[:, 1:] & hop[:, 1:]
        return valley.cumsum(axis=1)

    def dependencies(self, channels: int) -> csr_array:
        """Return the channel dependency graph over (link, virtual channel), a square matrix.

        Links of one orbit are one vertex: a cycle of the whole graph maps to one here, and one
        here, followed often enough, closes in the whole graph.
        """
        degree = self.topology.degree
        nodes, ports = self.routes.nodes, self.routes.ports
        channel = np.minimum(self.valleys, channels - 1)
        vertex = (self.orbit[nodes[:, :-1]] * degree + ports) * channels + channel
        size = (int(self.orbit.max()) + 1) * degree * channels
        turn = ports[:, 1:] >= 0
        start, end = vertex[:, :-1][turn], vertex[:, 1:][turn]
        if size**2 <= BITMAP:
            depends = np.zeros((size, size), np.int8)
            depends[start, end] = 1
            return csr_array(depends)
        start, end = np.divmod(np.unique(start * size + end), size)
        return csr_array((np.ones(len(start), np.int8), (start, end)), shape=(size, size))

    def shortest_cycle(self, channels: int) -> Cycle | None:
        """Return a shortest cycle of the channel dependency graph, or None: free of deadlock."""
        graph = self.dependencies(channels)
        _, component = connected_components(graph, connection="strong")
        vertices = np.flatnonzero(np.bincount(component)[component] > 1)
        loops = np.flatnonzero(graph.diagonal())
        if len(loops):
            return [self._hop(int(loops[0]), channels)]
        best: list[int] | None = None
        for first in vertices:
            limit = np.inf if best is None else len(best) - 1
            away, before = dijkstra(
                graph, indices=first, unweighted=True, limit=limit, return_predecessors=True
            )
            last = graph[:, [first]].nonzero()[0]
            last = last[np.isfinite(away[last])]
            if len(last) and (best is None or away[last].min() + 1 < len(best)):
                vertex = int(last[away[last].argmin()])
                best = [vertex]
                while vertex != first:
                    vertex = int(before[vertex])
                    best.append(vertex)
                best.reverse()
        return None if best is None else [self._hop(vertex, channels) for vertex in best]

    def _hop(self, vertex: int, channels: int) -> Hop:
        link, channel = divmod(vertex, channels)
        orbit, port = divmod(link, self.topology.degree)
        return int(np.flatnonzero(self.orbit == orbit)[0]), port, channel

    def is_free_of_deadlock(self, channels: int) -> bool:
        """Return whether the channel dependency graph with this many channels has no cycle."""
        graph = self.dependencies(channels)
        count, _ = connected_components(graph, connection="strong")
        return count == graph.shape[0] and not graph.diagonal().any()

    @cached_property
    def needed(self) -> int:
        """Return the least number of virtual channels that is proven to be enough."""
        enough = 1 + int(self.valleys.max(initial=0))
        return next(v for v in range(1, enough + 1) if v == enough or self.is_free_of_deadlock(v))

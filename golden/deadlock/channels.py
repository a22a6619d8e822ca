"""Virtual channels, and the proof that they keep a network free of deadlock.

A packet starts on channel 0. At some turns, from a port of arrival to an output port, it moves to
the next channel; the last channel takes all later turns too. Which turns these are is a constant
of the node: a scheme of the routing (`Routing.vc_increments`), or the valleys of an order of the
nodes (`golden.deadlock.order`). The network is free of deadlock if the channel dependency graph of
all routes has no cycle.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.deadlock.dependencies import Dependencies
from fingerpost.golden.deadlock.explore import explore, used_turns
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.routing.base import Routing
from fingerpost.golden.routing.walk import Routes, walk
from fingerpost.golden.topology.base import Topology

__all__ = ["Channels", "Cycle", "Hop", "TooManyRoutesError", "representative_routes"]

Hop = tuple[int, int, int]
"""A link and one of its virtual channels: (node, port, channel)."""

Cycle = list[Hop]

BITMAP = 50_000_000
"""Pairs of vertices up to which dependencies are marked in a bitmap, not sorted."""

LARGEST = 2_000_000
"""More routes than this are refused: several GB."""

UNLIMITED = 64
"""More channels than any route can use."""


class TooManyRoutesError(ParameterError):
    """The network is too large for the proof."""


def representative_routes(routing: Routing, orbit: IntArray) -> Routes:
    """Return the routes to all terminals from the first terminal of every orbit.

    No header that a terminal can send takes another route: see `golden.routing.generated_headers`.

    Raises
    ------
    TooManyRoutesError
        If there are too many of them.
    """
    terminals = routing.topology.terminals
    sources = terminals[np.unique(orbit[terminals], return_index=True)[1]]
    count = len(sources) * len(terminals)
    if count > LARGEST:
        raise TooManyRoutesError(
            "algorithm",
            f"Network needs at most {LARGEST} routes for the proof that it cannot deadlock, "
            f"not {len(sources)} * {len(terminals)} = {count}",
            section="routing",
        )
    return walk(routing, np.repeat(sources, len(terminals)), np.tile(terminals, len(sources)))


@dataclass(frozen=True)
class Channels:
    """The virtual channels of a routing, and the turns at which a packet moves to the next.

    Parameters
    ----------
    routing : Routing
    vc_increments : (nodes, degree + 1, degree + 1)
        Whether a packet moves to the next channel, by node, port of arrival and output port;
        never from or to a terminal. This is all that a router has to know of the scheme.
    given_routes : Routes, optional
        The routes to consider; by default all, of which `representative_routes` are enough.

    Raises
    ------
    ValueError
        If `vc_increments` has another shape.
    """

    routing: Routing
    vc_increments: BoolArray
    given_routes: Routes | None = None

    def __post_init__(self) -> None:
        topology = self.topology
        ports = topology.degree + 1
        if self.vc_increments.shape != (topology.nodes, ports, ports):
            raise ValueError(
                f"Channels needs vc_increments of shape {(topology.nodes, ports, ports)}, "
                f"not {self.vc_increments.shape}"
            )

    @property
    def topology(self) -> Topology:
        """Return the network."""
        return self.routing.topology

    @cached_property
    def orbit(self) -> IntArray:
        """Return the routing's orbits if `vc_increments` respect them, else every node apart."""
        orbit = self.routing.orbit
        first = np.unique(orbit, return_index=True)[1]
        respected = (self.vc_increments == self.vc_increments[first][orbit]).all()
        return orbit if respected else np.arange(self.topology.nodes)

    @cached_property
    def routes(self) -> Routes:
        """Return the routes that are considered."""
        if self.given_routes is not None:
            return self.given_routes
        return representative_routes(self.routing, self.orbit)

    @cached_property
    def vc_class(self) -> IntArray:
        """Return the VC class of a packet at each hop: its increments so far; as `routes.ports`."""
        nodes, ports = self.routes.nodes, self.routes.ports
        found = np.zeros_like(ports)
        for hop in range(1, ports.shape[1]):
            before, at, port = nodes[:, hop - 1], nodes[:, hop], ports[:, hop]
            # Where a row is padded with -1 anything is read, and nothing is made of it.
            arrival = self.topology.arrival_port[before, ports[:, hop - 1]]
            found[:, hop] = found[:, hop - 1] + (
                self.vc_increments[at, arrival, port] & (port >= 0)
            )
        return found

    @cached_property
    def used_turns(self) -> BoolArray:
        """Return the turns that some packet takes, by every decision that can be taken.

        Shape (nodes, degree + 1, degree + 1), by node, port of arrival and output port; either is
        `local` where packets come from the terminal, or are delivered.
        """
        topology, orbit = self.topology, self.orbit
        if self.routing.selection and self.given_routes is None:
            return used_turns(self.routing, orbit)[orbit]
        nodes, ports = self.routes.nodes, self.routes.ports
        width = topology.degree + 1
        used = np.zeros((int(orbit.max()) + 1, width, width), np.bool_)
        arrival = np.full(len(nodes), topology.local)
        for hop in range(nodes.shape[1]):
            there = nodes[:, hop] >= 0
            node, arrival = nodes[there, hop], arrival[there]
            port = ports[there, hop] if hop < ports.shape[1] else np.full(len(node), -1)
            used[orbit[node], arrival, np.where(port < 0, topology.local, port)] = True
            arrival = np.full(len(nodes), -1)
            arrival[there] = topology.arrival_port[node, port]
        return used[orbit]

    def dependencies(self, channels: int) -> Dependencies:
        """Return the channel dependency graph over (link, virtual channel).

        Links of one orbit are one vertex: a cycle of the whole graph maps to one here, and one
        here, followed often enough, closes in the whole graph. If decisions depend on more than
        the header, the graph is that of all decisions that can be taken.
        """
        degree = self.topology.degree
        size = (int(self.orbit.max()) + 1) * degree * channels
        if self.routing.selection and self.given_routes is None:
            start, end, _ = explore(self.routing, self.vc_increments, self.orbit, channels)
            return Dependencies(size, *np.divmod(np.unique(start * size + end), size))
        depends = np.zeros((size, size), np.bool_) if size**2 <= BITMAP else None
        edges = np.empty(0, np.int64)
        for start, end in self._edges(channels):
            if depends is not None:
                depends[start, end] = True
            else:
                edges = np.union1d(edges, start * size + end)
        if depends is not None:
            return Dependencies(size, *np.nonzero(depends))
        return Dependencies(size, *np.divmod(edges, size))

    def _edges(self, channels: int) -> Iterator[tuple[IntArray, IntArray]]:
        """Yield the links and channels that routes take one after the other, hop by hop."""
        degree, routes = self.topology.degree, self.routes
        before = np.empty(0, np.int64)
        for hop in range(routes.ports.shape[1]):
            goes = routes.ports[:, hop] >= 0
            channel = np.minimum(self.vc_class[:, hop], channels - 1)
            vertex = (self.orbit[routes.nodes[:, hop]] * degree + routes.ports[:, hop]) * channels
            vertex += channel
            if hop:
                yield before[goes], vertex[goes]
            before = vertex

    def shortest_cycle(self, channels: int) -> Cycle | None:
        """Return a shortest cycle of the channel dependency graph, or None: free of deadlock."""
        cycle = self.dependencies(channels).shortest_cycle()
        return None if cycle is None else [self._hop(vertex, channels) for vertex in cycle]

    def _hop(self, vertex: int, channels: int) -> Hop:
        link, channel = divmod(vertex, channels)
        orbit, port = divmod(link, self.topology.degree)
        return int(np.flatnonzero(self.orbit == orbit)[0]), port, channel

    def is_free_of_deadlock(self, channels: int) -> bool:
        """Return whether the channel dependency graph with this many channels has no cycle."""
        return self.dependencies(channels).is_acyclic()

    @cached_property
    def max_vcs(self) -> int:
        """Return the number of virtual channels beyond which no packet ever moves."""
        if self.routing.selection and self.given_routes is None:
            return 1 + explore(self.routing, self.vc_increments, self.orbit, UNLIMITED)[2]
        return 1 + int(self.vc_class.max(initial=0))

    @cached_property
    def needed(self) -> int:
        """Return the least number of virtual channels that is proven to be enough.

        Raises
        ------
        ValueError
            If no number is, because the increments of one channel close a cycle.
        """
        for channels in range(1, self.max_vcs + 1):
            if self.is_free_of_deadlock(channels):
                return channels
        raise ParameterError(
            "algorithm",
            f"{self.routing.algorithm} can deadlock with any number of virtual channels: its "
            f"increments leave a cycle on one",
            section="routing",
        )

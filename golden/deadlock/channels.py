"""Virtual channels, and the proof that they keep a network free of deadlock.

A packet starts on channel 0. At some turns, from a port of arrival to an output port, it moves to
the next channel; the last channel takes all later turns too. Which turns these are is a constant
of the node: a scheme of the routing (`Routing.vc_increments`), or the valleys of an order of the
nodes (`golden.deadlock.order`). The network is free of deadlock if the channel dependency graph of
all routes has no cycle.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import BoolArray, IntArray, once
from fingerpost.golden.deadlock.state_graph import Crossings, StateGraph, state_graph
from fingerpost.golden.disk_cache import cached
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.routing.base import Routing
from fingerpost.golden.topology.base import Topology


class Dependencies:
    """A directed graph: vertex `start[i]` waits for vertex `end[i]`, each pair once.

    Parameters
    ----------
    vertices : int
        They are numbered from 0.
    start, end : integer arrays
        `start` in rising order.

    Examples
    --------
    >>> Dependencies(3, np.array([0, 1]), np.array([1, 2])).ranks().tolist()
    [0, 1, 2]
    >>> Dependencies(3, np.array([0, 1, 2]), np.array([1, 2, 1])).shortest_cycle()
    [1, 2]
    """

    def __init__(self, vertices: int, start: IntArray, end: IntArray) -> None:
        self.vertices, self.start, self.end = vertices, start, end

    @property
    def edges(self) -> int:
        """Return how many pairs there are."""
        return len(self.start)

    def is_acyclic(self) -> bool:
        """Return whether no vertex waits for itself, directly or through others."""
        return not self._waiting(self.start, self.end).any()

    def ranks(self) -> IntArray:
        """Return a number for each vertex, less than those of all for which it waits.

        Raises
        ------
        ValueError
            If there is a cycle.
        """
        rounds = self._rounds(self.start, self.end)
        if (rounds < 0).any():
            raise ValueError("Ranks need dependencies without a cycle")
        return rounds

    def shortest_cycle(self) -> list[int] | None:
        """Return the vertices of a shortest cycle, None if there is no cycle."""
        loops = self.start[self.start == self.end]
        if len(loops):
            return [int(loops[0])]
        # Where cycles cannot be is left out: what nothing in one waits for, or what waits for none.
        backwards = np.argsort(self.end, kind="stable")
        inside = self._waiting(self.start, self.end)
        inside &= self._waiting(self.end[backwards], self.start[backwards])
        after: dict[int, list[int]] = {vertex: [] for vertex in np.flatnonzero(inside).tolist()}
        kept = inside[self.start] & inside[self.end]
        for start, end in zip(self.start[kept].tolist(), self.end[kept].tolist(), strict=True):
            after[start].append(end)
        best: list[int] | None = None
        for first in after:
            best = _cycle(after, first, len(best) - 1 if best else None) or best
        return best

    def _waiting(self, start: IntArray, end: IntArray) -> BoolArray:
        """Return what is left when, round by round, all to which no edge leads is taken away."""
        return self._rounds(start, end) < 0

    def _rounds(self, start: IntArray, end: IntArray) -> IntArray:
        """Return in which round each vertex is taken away as one to which no edge leads, or -1."""
        entering = np.bincount(end, minlength=self.vertices)
        first = np.searchsorted(start, np.arange(self.vertices + 1))
        rounds = np.full(self.vertices, -1)
        free = np.flatnonzero(entering == 0)
        place = np.empty(self.vertices, np.int64)
        for number in count():
            if not len(free):
                break
            rounds[free] = number
            degree = first[free + 1] - first[free]
            skipped = np.repeat(first[free] - (degree.cumsum() - degree), degree)
            after = end[skipped + np.arange(len(skipped))]
            np.subtract.at(entering, after, 1)
            free = once(after[entering[after] == 0], place)
        return rounds


def _cycle(after: dict[int, list[int]], first: int, limit: int | None) -> list[int] | None:
    """Return a shortest cycle through `first` of at most `limit` vertices, if there is one."""
    before = {first: first}
    edge = [first]
    for length in count(1):
        if not edge or (limit is not None and length > limit):
            return None
        reached = []
        for vertex in edge:
            for following in after[vertex]:
                if following == first:
                    return _path(before, first, vertex)
                if following not in before:
                    before[following] = vertex
                    reached.append(following)
        edge = reached
    return None


def _path(before: dict[int, int], first: int, last: int) -> list[int]:
    """Return the vertices from `first` to `last`."""
    path = [last]
    while path[-1] != first:
        path.append(before[path[-1]])
    return path[::-1]


Hop = tuple[int, int, int]
"""A link and one of its virtual channels: (node, port, channel)."""

Cycle = list[Hop]

LARGE = 100_000
"""Routes of a network above which what they use is cached for later commands."""


def is_large(states: StateGraph) -> bool:
    """Return whether what is found of these states is worth a file in the user's cache."""
    return len(states.sources) * len(states.destinations) > LARGE


@dataclass(frozen=True)
class Channels:
    """The virtual channels of a routing, and the turns at which a packet moves to the next.

    Raises
    ------
    ValueError
        If `vc_increments` has another shape.
    """

    routing: Routing
    vc_increments: BoolArray
    """Shape (nodes, degree + 1, degree + 1). Whether a packet moves to the next channel, by node,
    port of arrival and output port; never from or to a terminal. This is all that a router has to
    know of the scheme."""
    content: bytes = b""
    """All that the routing follows from. Without it nothing is cached."""

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

    @property
    def states(self) -> StateGraph:
        """Return the states of packets, from which everything here follows."""
        return state_graph(self.routing, self.orbit)

    @cached_property
    def _cached(self) -> Mapping[str, NDArray[Any]] | None:
        """Return what the routes of a large network use; None: it is found when it is needed."""
        states = self.states
        if not self.content or not is_large(states):
            return None
        orbits = self.orbit.tobytes()

        def find() -> dict[str, NDArray[Any]]:
            turns = states.turns(self.vc_increments)
            crossings = {name: np.asarray(x) for name, x in states.crossings._asdict().items()}
            return {"turns": np.stack(turns), **crossings}

        return cached("proofs", self.content + self.vc_increments.tobytes() + orbits, find)

    @cached_property
    def _turns(self) -> list[BoolArray]:
        """Return the turns of packets by orbit, for each VC class that they come with."""
        if self._cached is not None:
            return list(self._cached["turns"])
        return self.states.turns(self.vc_increments)

    @cached_property
    def crossings(self) -> Crossings:
        """Return how many routes go over each link: see `StateGraph.crossings`."""
        if self._cached is None:
            return self.states.crossings
        first, every, longest = (self._cached[name] for name in Crossings._fields)
        return Crossings(first, every, int(longest))

    @cached_property
    def used_turns(self) -> BoolArray:
        """Return the turns that some packet takes, by every decision that can be taken.

        Shape (nodes, degree + 1, degree + 1), by node, port of arrival and output port; either is
        `local` where packets come from the terminal, or are delivered.
        """
        used: BoolArray = np.logical_or.reduce(self._turns)[self.orbit]
        return used

    def dependencies(self, channels: int) -> Dependencies:
        """Return the channel dependency graph over (link, virtual channel).

        Links of one orbit are one vertex: a cycle of the whole graph maps to one here, and one
        here, followed often enough, closes in the whole graph. If decisions depend on more than
        the header, the graph is that of all decisions that can be taken.
        """
        return self._dependencies(self._turns, channels)

    def _dependencies(self, turns: list[BoolArray], channels: int) -> Dependencies:
        """Return the graph of packets that take some turns, by VC class."""
        states, last = self.states, channels - 1
        size = states.origin.size * channels
        edges = []
        # All classes from the last channel on share it.
        for number, some in enumerate([*turns[:last], np.logical_or.reduce(turns[last:])]):
            if not np.any(some):  # no packet has this class
                continue
            at, arrival, out = np.nonzero(some[:, :-1, :-1])
            after = number + self.vc_increments[states.first[at], arrival, out]
            start = states.origin[at, arrival] * channels + number
            end = (at * self.topology.degree + out) * channels + np.minimum(after, last)
            edges.append(start * size + end)
        found = np.sort(np.concatenate([np.empty(0, np.int64), *edges]))
        return Dependencies(size, *np.divmod(found, size))

    def shortest_cycle(self, channels: int) -> Cycle | None:
        """Return a shortest cycle of the channel dependency graph, or None: free of deadlock."""
        cycle = self.dependencies(channels).shortest_cycle()
        return None if cycle is None else [self._hop(vertex, channels) for vertex in cycle]

    def told(self, cycle: Cycle) -> str:
        """Return a cycle in words."""
        topology = self.topology
        what = "" if len(np.unique(self.orbit)) == topology.nodes else " (one node a class)"
        steps = ", ".join(
            f"{topology.port_name(port)} from node {topology.name(node)} on channel {channel}"
            for node, port, channel in cycle
        )
        return f"a shortest cycle of links{what}: {steps}"

    def _hop(self, vertex: int, channels: int) -> Hop:
        link, channel = divmod(vertex, channels)
        orbit, port = divmod(link, self.topology.degree)
        return int(np.flatnonzero(self.orbit == orbit)[0]), port, channel

    def is_free_of_deadlock(self, channels: int) -> bool:
        """Return whether the channel dependency graph with this many channels has no cycle."""
        return self.dependencies(channels).is_acyclic()

    def order_suffices(self, channels: int) -> bool:
        """Return the same if `vc_increments` are the valleys of an order, in less time.

        Packets never move down a channel, so a cycle has one channel. On all but the last one,
        links are taken in their order. So the graph of the last one decides.
        """
        return all(
            self._dependencies([turns], channels=1).is_acyclic()
            for turns in self.states.turns_above(self.vc_increments, channels - 1)
        )

    @property
    def max_vcs(self) -> int:
        """Return the number of virtual channels beyond which no packet ever moves."""
        return len(self._turns)

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
        cycle = self.shortest_cycle(self.max_vcs) or []
        raise ParameterError(
            "algorithm",
            f"{self.routing.algorithm} can deadlock with any number of virtual channels: its "
            f"increments leave a cycle on one; {self.told(cycle)}",
            section="routing",
        )

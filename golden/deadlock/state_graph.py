"""What the routes of a whole network use: links, turns, and the classes of virtual channels.

It is read off the states of packets, block by block of destinations, so that neither time nor
memory grows with the hops of all routes.
"""

from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray, SmallArray, once
from fingerpost.golden.deadlock.states import Steps, found, merged
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.routing.base import Routing
from fingerpost.golden.routing.walk import hops, walk

LARGEST = 100_000_000
"""More routes than this are refused: they would take minutes."""

BLOCK = 1 << 16
"""Routes whose states are found at once."""

MERGED = 1 << 20
"""The same where a node stands for its orbit, since routes to all destinations share states."""

KEPT = 1 << 23
"""Steps that are kept, of 8 bytes. Those of larger graphs are found again for each question."""


class TooManyRoutesError(ParameterError):
    """The network is too large for the proof."""


class Crossings(NamedTuple):
    """Packets over each link, (orbit * degree + port), and the hops of the longest route.

    Every terminal sends one to every terminal, those of one of each orbit count; `first` counts
    those that begin there.
    """

    first: IntArray
    every: IntArray
    longest: int


class Block(NamedTuple):
    """The steps of packets to some destinations.

    States are sorted by `levels`: a step leads to a later one.
    """

    steps: Steps
    levels: list[slice]


class StateGraph:
    """The states of packets from the first node of every orbit with terminals to all nodes.

    These are the nodes that headers can name, whether they have terminals or not.

    No header that a terminal can send leads to others: see `golden.routing.walk`.

    Parameters
    ----------
    routing : Routing
    orbit : (nodes,) array
        The routing's orbits, or another one for every node.

    Attributes
    ----------
    looked : int
        Steps that `turns_above` has looked at.

    Raises
    ------
    TooManyRoutesError
        If there are too many routes.
    """

    def __init__(self, routing: Routing, orbit: IntArray) -> None:
        self.routing, self.orbit = routing, orbit
        self.first: IntArray = np.unique(orbit, return_index=True)[1]
        self.destinations: IntArray = routing.destinations
        nodes = routing.topology.terminal_nodes
        self.sources: IntArray = nodes[np.unique(orbit[nodes], return_index=True)[1]]
        routes = len(self.sources) * len(self.destinations)
        if routes > LARGEST:
            raise TooManyRoutesError(
                "algorithm",
                f"Network needs at most {LARGEST} routes for the proof that it cannot deadlock, "
                f"not {len(self.sources)} * {len(self.destinations)} = {routes}",
                section="routing",
            )
        self.looked = 0
        self._kept: list[Block] | None = None
        self._crossings: Crossings | None = None

    @property
    def shape(self) -> tuple[int, int, int]:
        """Return that of an array of turns, by orbit, port of arrival and output port."""
        ports = self.routing.topology.degree + 1
        return int(self.orbit.max()) + 1, ports, ports

    def blocks(self) -> Iterator[Block]:
        """Yield the states of packets to some destinations after the other.

        Raises
        ------
        ValueError
            If a packet is refused on its way, delivered to a wrong node, or takes more than n hops.
        """
        if self._kept is not None:
            yield from self._kept
            return
        routes = MERGED if merged(self.routing, self.orbit) else BLOCK
        each = max(1, routes // max(1, len(self.sources)))
        kept: list[Block] = []
        crossed = np.zeros((2, self.shape[0] * self.shape[1]), np.int64)
        size = longest = 0
        for begin in range(0, len(self.destinations), each):
            destinations = self.destinations[begin : begin + each]
            steps = found(self.routing, self.orbit, self.sources, destinations).steps
            block = self._sorted(steps, destinations)
            longest = max(longest, len(block.levels) - 1)
            if steps.first is None:
                self._count(block, destinations, crossed)
            size += len(steps.turn)
            kept = [*kept, block] if size <= KEPT else []
            yield block
        if not self.routing.selection:
            links = crossed.reshape(2, *self.shape[:2])[:, :, :-1].reshape(2, -1)
            self._crossings = Crossings(links[0], links[1], longest)
        if size <= KEPT:
            self._kept = kept

    def _sorted(self, steps: Steps, destinations: IntArray) -> Block:
        """Check that packets arrive in n hops, and sort states by levels."""
        routing, n = self.routing, self.routing.topology.nodes
        levels = list(steps.levels())
        sizes = [len(some) for some in levels]
        if sum(sizes) < steps.states or len(levels) > n + 1:
            if not routing.selection:  # this says which packet it is
                walk(routing, np.repeat(self.sources, len(destinations)), self._tiled(destinations))
            raise ValueError(f"{routing.algorithm} needs more than n = {n} hops")
        ends = np.cumsum(sizes).tolist()
        levels_of = [slice(*ends) for ends in pairwise([0, *ends])]
        return Block(steps.sorted(np.concatenate(levels)), levels_of)

    def _count(self, block: Block, destinations: IntArray, crossed: IntArray) -> None:
        """Count in `crossed` how many routes leave by each output, and how many begin there."""
        steps, (_, ports, _) = block.steps, self.shape
        count = np.zeros(steps.states, np.int64)
        count[: steps.sources] = self._packets(destinations)
        for level in block.levels:
            onward = steps.onward[level]
            away = onward >= 0
            np.add.at(count, onward[away], count[level][away])
        if merged(self.routing, self.orbit):
            self._check_ends(steps, destinations)
        turn, port = np.divmod(steps.turn, ports)
        output = turn // ports * ports + port
        begins = slice(steps.sources)
        crossed[0] += np.bincount(output[begins], count[begins], crossed.shape[1]).astype(np.int64)
        crossed[1] += np.bincount(output, count, crossed.shape[1]).astype(np.int64)

    def _packets(self, destinations: IntArray) -> IntArray:
        """Return the packets of each route if each terminal sends one to each, source by source."""
        count = self.routing.topology.terminals_at
        return np.outer(count[self.sources], count[destinations]).ravel()

    def _tiled(self, destinations: IntArray) -> IntArray:
        return np.tile(destinations, len(self.sources))

    def _check_ends(self, steps: Steps, destinations: IntArray) -> None:
        """Follow all routes node by node: states do not tell the nodes of an orbit apart."""
        topology, (_, ports, _) = self.routing.topology, self.shape
        node, end = np.repeat(self.sources, len(destinations)), self._tiled(destinations)
        source = node
        state: SmallArray = np.arange(len(node))
        while len(state):
            onward = steps.onward[state]
            away = onward >= 0
            lost = np.flatnonzero(~away & (node != end))
            if len(lost):
                walk(self.routing, source[lost[:1]], end[lost[:1]])
                raise ValueError(f"{self.routing.algorithm} loses packets to {end[lost[0]]}")
            node = topology.neighbour[node[away], steps.turn[state[away]] % ports]
            source, state, end = source[away], onward[away], end[away]

    @property
    def crossings(self) -> Crossings:
        """Return how many packets go over each link: see `Crossings`.

        Where decisions depend on it, all ports are free, and chance comes from a fixed seed.
        """
        if self._crossings is None and self.routing.selection:
            self._crossings = self._sampled()
        elif self._crossings is None:
            for _ in self.blocks():
                pass
        assert self._crossings is not None
        return self._crossings

    def _sampled(self) -> Crossings:
        """Return the crossings of one walk along every route."""
        degree = self.routing.topology.degree
        source, destination = (
            np.repeat(self.sources, len(self.destinations)),
            self._tiled(self.destinations),
        )
        counts, packets = [], self._packets(self.destinations)
        for route, node, _, _, decision in hops(self.routing, source, destination):
            away = decision.port < degree
            link = self.orbit[node[away]] * degree + decision.port[away]
            crossed = np.bincount(link, packets[route[away]], self.shape[0] * degree)
            counts.append(crossed.astype(np.int64))
        return Crossings(counts[0], np.sum(counts, axis=0), len(counts) - 1)

    def turns(self, increments: BoolArray) -> list[BoolArray]:
        """Return the turns of packets by their VC class before the turn, each in `shape`.

        Parameters
        ----------
        increments : (nodes, degree + 1, degree + 1)
            The turns at which a packet moves a class up; those at terminals mean nothing.
        """
        links = self._between_links(increments)
        used: list[BoolArray] = []
        for steps, _ in self.blocks():
            _mark(steps, links.ravel()[steps.turn], used, links.size)
        return [turns.reshape(self.shape) for turns in used]

    def turns_above(self, increments: BoolArray, raised: int) -> Iterator[BoolArray]:
        """Yield the turns of packets that have been raised `raised` times or more before.

        They are those to some destinations, then to more, and at last to all.
        """
        links = self._between_links(increments)
        used = np.zeros(links.size, np.bool_)
        for steps, levels in self.blocks():
            self.looked += len(steps.turn)
            is_raised = links.ravel()[steps.turn]
            most = np.zeros(steps.states + 1, np.int16)  # the last one is behind the end of a route
            for level in levels:
                step, before = steps.among(level), steps.each(most[level], level)
                used[steps.turn[step][before >= raised]] = True
                np.maximum.at(most, steps.onward[step], before + is_raised[step])
            yield used.reshape(self.shape)

    def _between_links(self, increments: BoolArray) -> BoolArray:
        """Return the increments by orbit, none of them at a terminal."""
        links = np.zeros(self.shape, np.bool_)
        links[:, :-1, :-1] = increments[self.first, :-1, :-1]
        return links

    @cached_property
    def origin(self) -> IntArray:
        """Return the link, orbit * degree + port, that leads to each port of arrival of an orbit.

        Shape (orbits, degree); -1 for none.
        """
        topology = self.routing.topology
        node, port = np.nonzero(topology.neighbour >= 0)
        origin = np.full_like(topology.neighbour, -1)
        there = topology.neighbour[node, port], topology.arrival_port[node, port]
        origin[there] = self.orbit[node] * topology.degree + port
        return origin[self.first]


def _mark(steps: Steps, is_raised: BoolArray, used: list[BoolArray], size: int) -> None:
    """Mark the turns of states, class by class; steps that are raised lead to the next class."""
    place = np.empty(steps.states, np.int64)
    some: SmallArray = np.arange(steps.sources)
    for number in range(steps.states + 1):
        if not len(some):
            return
        if number == len(used):
            used.append(np.zeros(size, np.bool_))
        reached, raised = np.zeros(steps.states, np.bool_), []
        while len(some):
            reached[some] = True
            step = steps.of(some)
            used[number][steps.turn[step]] = True
            onward, up = steps.onward[step], is_raised[step]
            raised.append(onward[up])
            onward = onward[~up & (onward >= 0)]
            some = once(onward[~reached[onward]], place)
        some = once(np.concatenate(raised), place)


@lru_cache(maxsize=2)
def _known(routing: Routing, by_orbit: bool) -> StateGraph:
    return StateGraph(routing, routing.orbit if by_orbit else np.arange(routing.topology.nodes))


def state_graph(routing: Routing, orbit: IntArray) -> StateGraph:
    """Return the graph of states; that of one routing is made once.

    Parameters
    ----------
    routing : Routing
    orbit : (nodes,) array
        The routing's orbits, or another one for every node.
    """
    return _known(routing, int(orbit.max()) + 1 < len(orbit))

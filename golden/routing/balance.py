"""Shortest paths, chosen so that all links carry the same load.

Under uniform traffic a network saturates when its busiest link does: at degree / (mean distance)
flits per terminal and cycle if all links carry the same, at less if some carry more.

Tables of next hops are improved by one choice at a time, until no link carries too much. The search
minimises the maximum load: it looks for a table in which no link carries more than a target. A
choice is the next hop of one node for one destination. A random choice is changed if the excess
over the target does not grow, and seldom otherwise. When a target is reached, the next one is
lower.
"""

import random
from bisect import bisect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import exp

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.topology.base import Topology, distances

ENTRIES = 20_000
"""Larger tables are not searched: it would take longer than all else."""

TRIALS, MOST_TRIALS = 800, 300_000
"""Changes that are tried for each choice that there is, and in all."""

TEMPERATURE = 0.3
"""A change for the worse by d is made with probability exp(-d / TEMPERATURE)."""

Row = list[int]


class Exchange:
    """A table whose choices are changed, and the loads that it leaves on the links.

    Parameters
    ----------
    onward, node
        See `fingerpost.golden.routing.balance.Ways`.
    sent : (states,)
        The packets that begin in each state, for every destination.
    """

    def __init__(self, onward: IntArray, node: IntArray, sent: IntArray) -> None:
        self.onward, self.sent = onward, sent
        self.degree = onward.shape[1]
        self.ahead: list[Row] = onward.tolist()
        self.first_link: Row = (node * self.degree).tolist()
        self.load: Row = [0] * ((int(node.max()) + 1) * self.degree)
        self.ports: list[Row] = []
        self.passing: list[Row] = []
        self.left: list[Row] = []
        self.choices: list[tuple[int, int, Row]] = []

    def add(
        self, port: NDArray[np.int8], layers: list[IntArray], mask: BoolArray, terminals: int
    ) -> None:
        """Add a destination with so many terminals.

        It has its ports, its states at distance 1, 2, ... and what they may.
        """
        row, passing, left = len(self.ports), self.sent * terminals, np.zeros_like(self.sent)
        for distance, layer in reversed(list(enumerate(layers, 1))):
            left[layer] = distance
            np.add.at(passing, self.onward[layer, port[layer]], passing[layer])
            for state in layer.tolist():
                self.load[self.first_link[state] + int(port[state])] += int(passing[state])
        some = np.concatenate([np.zeros(0, np.int64), *layers])
        for state in np.sort(some[mask[some].sum(axis=1) > 1]).tolist():
            self.choices.append((row, state, np.flatnonzero(mask[state]).tolist()))
        self.ports.append(port.tolist())
        self.passing.append(passing.tolist())
        self.left.append(left.tolist())

    def search(self, least: int) -> list[Row] | None:
        """Return the ports of the best table, if one is better; end where the load is `least`."""
        if not self.choices or max(self.load) <= least:
            return None
        rng, best = random.Random(0), None
        chances = [exp(-worse / TEMPERATURE) for worse in range(30, 0, -1)]
        above, excess = self._aim()
        for _ in range(min(MOST_TRIALS, TRIALS * len(self.choices))):
            row, state, options = self.choices[int(rng.random() * len(self.choices))]
            port, old = options[int(rng.random() * len(options))], self.ports[row][state]
            if port == old:
                continue
            worse = self._move(row, state, port, above)
            if worse > 0 and len(chances) - bisect(chances, rng.random()) < worse:
                self._move(row, state, old, above)
                continue
            excess += worse
            if excess == 0:
                best = [ports.copy() for ports in self.ports]
                if max(self.load) <= least:
                    break
                above, excess = self._aim()
        return best

    def _aim(self) -> tuple[Row, int]:
        """Return for each load the square of what is above the next target, and the sum."""
        target = max(self.load) - 1
        above = [max(0, load - target) ** 2 for load in range(sum(self.load) + 1)]
        return above, sum(above[load] for load in self.load)

    def _move(self, row: int, state: int, port: int, above: Row) -> int:
        """Send by `port` what passes a state; return by how much the squares grow."""
        ports, passing, left, load = self.ports[row], self.passing[row], self.left[row], self.load
        packets, worse = passing[state], 0
        old, new = self.first_link[state] + ports[state], self.first_link[state] + port
        one, other = self.ahead[state][ports[state]], self.ahead[state][port]
        ports[state] = port
        while packets:
            worse += above[load[old] - packets] - above[load[old]]
            load[old] -= packets
            worse += above[load[new] + packets] - above[load[new]]
            load[new] += packets
            if one == other:
                break
            passing[one] -= packets
            passing[other] += packets
            if not left[one]:
                break
            old, new = self.first_link[one] + ports[one], self.first_link[other] + ports[other]
            one, other = self.ahead[one][ports[one]], self.ahead[other][ports[other]]
        return worse


PortArray = NDArray[np.int8]

SWEEPS = 3
"""Rounds of improvement of a Cayley graph's table; more hardly help."""

CHOICES = 2000
"""Routes to one destination that are chosen anew, unless two passes over all take more."""

UNBOUNDED = np.iinfo(np.int64).max
"""More than any load."""


def nearer(onward: IntArray, distance: IntArray) -> BoolArray:
    """Return which links lead one hop nearer; shape of `onward`.

    Parameters
    ----------
    onward : (n, degree)
        Where each link leads, -1 where there is none.
    distance : (n,)
        The hops that are left at each node, -1 where there is no way.
    """
    left = distance[:, None]
    mask: BoolArray = (onward >= 0) & (left > 0) & (distance[onward] == left - 1)
    return mask


def _layers(distance: IntArray) -> list[IntArray]:
    """Return the nodes at distance 1, 2, ..."""
    order = np.argsort(distance, kind="stable")
    cuts = np.searchsorted(distance[order], np.arange(1, distance.max() + 2))
    return [order[start:end] for start, end in pairwise(cuts)]


def _letters(rest: IntArray, layers: list[IntArray], link: IntArray) -> IntArray:
    """Return how often each link is taken on the way to each node; shape of `rest`."""
    unit = np.eye(rest.shape[1], dtype=np.int64)
    letters = np.zeros_like(rest)
    for layer in layers:
        letters[layer] = letters[rest[layer, link[layer]]] + unit[link[layer]]
    return letters


def link_load(rest: IntArray, distance: IntArray, link: IntArray) -> IntArray:
    """Return how many hops of the routes from 0 to all nodes take each link; shape (degree,).

    In a Cayley graph this is the load of every link of that name in the network, when each node
    sends a packet to each other.
    """
    load: IntArray = _letters(rest, _layers(distance), link).sum(axis=0)
    return load


def balanced_links(rest: IntArray, distance: IntArray) -> IntArray:
    """Return the first link of the route to every node of a Cayley graph, in balance; shape (n,).

    A local search: it ends when no table of links could have a lower highest load, or else takes
    the best of its tables. The entry of node 0 is 0.
    """
    ideal = -(-int(distance.sum()) // rest.shape[1])
    best, lowest = np.zeros_like(distance), UNBOUNDED
    for link in _candidates(rest, nearer(rest, distance), _layers(distance)):
        highest = int(link_load(rest, distance, link).max())
        if highest < lowest:
            best, lowest = link, highest
        if lowest == ideal:
            break
    best[0] = 0
    return best


def _candidates(rest: IntArray, mask: BoolArray, layers: list[IntArray]) -> Iterator[IntArray]:
    """Yield the first links in the order of the ports, in turned orders, and better and better."""
    degree = rest.shape[1]
    for start in range(degree):
        link = (np.roll(mask, -start, axis=1).argmax(axis=1) + start) % degree
        yield link
        for _ in range(SWEEPS):
            link = _improved(rest, mask, layers, link)
            yield link


def _improved(rest: IntArray, mask: BoolArray, layers: list[IntArray], link: IntArray) -> IntArray:
    """Give each node in turn the link that leaves the least sum of squared loads.

    The choice for a node moves the ways of all that are reached through it. From the far nodes to
    the near, these are known when its turn comes.
    """
    link = link.copy()
    letters = _letters(rest, layers, link)
    load = letters.sum(axis=0)
    reached = np.ones_like(link)
    for layer in reversed(layers):
        for node in layer[mask[layer].sum(axis=1) > 1].tolist():
            option = np.flatnonzero(mask[node])
            change = letters[rest[node, option]] - letters[node]
            change[np.arange(len(option)), option] += 1
            trial = load + reached[node] * change
            pick = (trial**2).sum(axis=1).argmin()
            link[node], load = option[pick], trial[pick]
        np.add.at(reached, rest[layer, link[layer]], reached[layer])
    return link


def next_hops(topology: Topology, *, balanced: bool) -> PortArray:
    """Return the port on a shortest path from every node to every terminal, -1 if there is none.

    Of several the smallest, or in balance: one destination after the other all routes to it are
    taken back and chosen anew, in some passes; kept is the table with the lowest highest load.

    Returns
    -------
    (terminals, nodes)
        At the destination itself `topology.local`.

    Raises
    ------
    ValueError
        If there is no way from some terminal to another.
    """
    terminals, origin = topology.terminal_nodes, topology.origin

    def distance(destination: int) -> IntArray:
        left = distances(origin, destination)
        if left[terminals].min() < 0:
            source = terminals[left[terminals].argmin()]
            raise ParameterError(
                "algorithm", f"Table routing needs a way from node {source} to {destination}"
            )
        return left

    ways = Ways(topology.neighbour, np.arange(topology.nodes), terminals, distance)
    return choose_hops(ways, topology, balanced=balanced)


@dataclass(frozen=True)
class Ways:
    """The ways that packets may go: a graph of the states in which a packet can be."""

    onward: IntArray
    """Shape (states, degree). The state to which each port leads, -1 where it leads nowhere."""
    node: IntArray
    """Shape (states,). The node of each state, whose ports these are."""
    sources: IntArray
    """Shape (nodes with terminals,). The states in which packets begin."""
    distance: Callable[[int], IntArray]
    """Takes a destination and returns the hops that are left in every state, 0 where packets are
    delivered, -1 where there is no way."""


def choose_hops(ways: Ways, topology: Topology, *, balanced: bool) -> PortArray:
    """Return the port on a shortest way from every state to every destination; as `next_hops`.

    Destinations are the nodes that have terminals.

    Returns
    -------
    (destinations, states)
        `local` where packets are delivered, -1 where there is no way.
    """
    destinations = topology.terminal_nodes
    count = topology.terminals_at[destinations]
    count = (count // np.gcd.reduce(count)).tolist()
    table = np.full((len(destinations), len(ways.onward)), -1, np.int8)
    traffic = _Traffic(ways, count)
    for port, destination, terminals in zip(table, destinations.tolist(), count, strict=True):
        distance = ways.distance(destination)
        first = nearer(ways.onward, distance).argmax(axis=1)
        port[:] = np.where(distance > 0, first, port)
        port[distance == 0] = topology.local
        traffic.add(_layers(distance), port, terminals)
    best, lowest = table, int(traffic.load.max())
    passes = min(20, max(2, CHOICES // len(destinations)))
    for _ in range(passes if balanced else 0):
        table = table.copy()
        for port, destination, terminals in zip(table, destinations.tolist(), count, strict=True):
            distance = ways.distance(destination)
            traffic.choose(_layers(distance), port, nearer(ways.onward, distance), terminals)
        if traffic.load.max() < lowest:
            best, lowest = table, int(traffic.load.max())
    if balanced and best.size * max(count) ** 2 <= ENTRIES:
        best = _exchanged(ways, destinations, count, best)
    return best


def _exchanged(ways: Ways, destinations: IntArray, count: list[int], table: PortArray) -> PortArray:
    """Return the table with the lowest highest load that a search from this one finds."""
    traffic = _Traffic(ways, count)
    exchange = Exchange(ways.onward, ways.node, traffic.sent)
    hops = 0
    for port, destination, terminals in zip(table, destinations.tolist(), count, strict=True):
        distance = ways.distance(destination)
        hops += int(distance @ traffic.sent) * terminals
        exchange.add(port, _layers(distance), nearer(ways.onward, distance), terminals)
    state, port = np.nonzero(ways.onward >= 0)
    links = len(np.unique(ways.node[state] * ways.onward.shape[1] + port))
    better = exchange.search(-(-hops // max(1, links)))
    return table if better is None else np.array(better, np.int8)


class _Traffic:
    """The packets on every link when each terminal sends one to each other.

    `count` has the terminals at each source, without a common divisor.
    """

    def __init__(self, ways: Ways, count: list[int]) -> None:
        self.onward, self.node = ways.onward, ways.node
        self.load = np.zeros((int(ways.node.max()) + 1, ways.onward.shape[1]), np.int64)
        self.sent = np.zeros(len(ways.onward), np.int64)
        self.sent[ways.sources] = count

    def _pass_on(self, layer: IntArray, port: PortArray, packets: IntArray) -> None:
        by = port[layer]
        np.add.at(self.load, (self.node[layer], by), packets[layer])
        np.add.at(packets, self.onward[layer, by], packets[layer])

    def add(self, layers: list[IntArray], port: PortArray, packets: int) -> None:
        """Add packets from each terminal to one destination, which leave their states by `port`."""
        passing = packets * self.sent
        for layer in reversed(layers):
            self._pass_on(layer, port, passing)

    def choose(
        self, layers: list[IntArray], port: PortArray, mask: BoolArray, packets: int
    ) -> None:
        """Let the states, from far to near, choose the links of `mask` that others load least."""
        self.add(layers, port, -packets)
        passing = self.sent * packets
        for layer in reversed(layers):
            load = np.where(mask[layer], self.load[self.node[layer]], UNBOUNDED)
            port[layer] = load.argmin(axis=1)
            self._pass_on(layer, port, passing)

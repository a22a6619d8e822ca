"""Terminals that send without end, and what comes of it: shares, waits, accepted load."""

from collections.abc import Callable
from functools import cached_property

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.flit import Flits
from fingerpost.golden.model.model import Model
from fingerpost.golden.network.network import Network

Choice = Callable[[IntArray, np.random.Generator], IntArray]
"""Destinations of packets, by their sources; at -1 nothing is sent."""


def uniform(network: Network) -> Choice:
    """Return any other terminal, all as likely."""
    terminals = network.topology.terminals
    rank = np.full(network.topology.nodes, -1)
    rank[terminals] = np.arange(len(terminals))

    def choose(source: IntArray, rng: np.random.Generator) -> IntArray:
        other = rng.integers(len(terminals) - 1, size=len(source))
        return terminals[other + (other >= rank[source])]

    return choose


def fixed(destination: IntArray) -> Choice:
    """Return always the same destination for a source."""

    def choose(source: IntArray, _: np.random.Generator) -> IntArray:
        return destination[source]

    return choose


def hot_spot(network: Network, node: int) -> IntArray:
    """Return the destination of every node if all send to one; -1 where there is none."""
    destination = np.full(network.topology.nodes, -1)
    destination[network.topology.terminals] = node
    destination[node] = -1
    return destination


def permutation(network: Network, seed: int) -> IntArray:
    """Return the destination of every node in a random permutation; -1 where there is none."""
    terminals = network.topology.terminals
    destination = np.full(network.topology.nodes, -1)
    destination[terminals] = np.random.default_rng(seed).permutation(terminals)
    destination[destination == np.arange(len(destination))] = -1
    return destination


class Flows:
    """Terminals that send packets of one length; those that receive give credits back at once.

    All packets are of message class 0: others would not wait for them, nor they for others.

    Parameters
    ----------
    network : Network
    destination : array or callable
        Of every node, -1 if it does not send; or what chooses it anew for every packet.
    length : int
        Flits of a packet.

    Attributes
    ----------
    delivered : (nodes,)
        Flits that have come out, by their source.
    gap : (nodes,)
        The longest time in which no packet of a source was delivered, after its first.
    began : (nodes,)
        When the first packet of a source was delivered.
    astray : int
        Flits that have come out at a wrong terminal.
    """

    def __init__(
        self,
        network: Network,
        destination: IntArray | Choice,
        *,
        length: int = 1,
        seed: int = 0,
    ) -> None:
        topology = network.topology
        n = topology.nodes
        self.network, self.header_width = network, network.routing.header.width
        self.length, self.rng = length, np.random.default_rng(seed)
        self.local, self.ports = topology.local, topology.degree + 1
        self.choose = destination if callable(destination) else fixed(destination)
        able = np.zeros(n, np.bool_)
        able[topology.terminals] = True
        if not callable(destination):
            able &= destination >= 0
        self.sources = np.flatnonzero(able)
        self.index = np.zeros(n, np.int64)
        self.goal = np.zeros(n, np.int64)
        self.credits = np.full(n, network.terminal_depth)
        self.backlog = np.zeros(n, np.int64)
        self.delivered, self.sent = (np.zeros(n, np.int64) for _ in range(2))
        self.gap, self.began = np.zeros((2, n), np.int64)
        self.last = np.zeros(n, np.int64)  # when a packet of each was delivered
        self.astray = 0
        self.now = 0

    @cached_property
    def model(self) -> Model:
        """Return the model between the terminals, unless they are given hardware."""
        return Model(self.network)

    def run(self, cycles: int) -> None:
        """Go through many cycles of the model."""
        for _ in range(cycles):
            self.cycle()

    def cycle(self) -> None:
        """Go through one cycle of the model."""
        model = self.model
        model.step(*self.exchange(model.injection_credit, model.ejected))

    def exchange(self, credited: IntArray, out: Flits) -> tuple[Flits, IntArray]:
        """Go through one cycle of the terminals.

        Parameters
        ----------
        credited : array
            The channels of terminals (node * classes + class) that are given a credit.
        out : Flits
            What is on the links to terminals.

        Returns
        -------
        injected : Flits
            What terminals send in this cycle.
        back : array
            The channels of terminals that give back a credit.
        """
        self.credits[credited // self.network.classes] += 1
        injected = self._send()
        self._receive(out)
        back = np.flatnonzero(self.backlog)
        self.backlog[back] -= 1
        self.now += 1
        return injected, back * self.network.classes

    def _send(self) -> Flits:
        node = self.sources[self.credits[self.sources] > 0]
        head = self.index[node] == 0
        first = node[head]
        self.goal[first] = self.choose(first, self.rng)
        tail = self.index[node] == self.length - 1
        self.index[node] = np.where(tail, 0, self.index[node] + 1)
        self.credits[node] -= 1
        self.sent[node] += 1
        # The tag, above the header in every flit, holds source and destination.
        tag = node * self.network.topology.nodes + self.goal[node]
        data = tag << self.header_width
        data[head] |= self.network.routing.encode(first, self.goal[first])
        place = node * self.ports + self.local
        return Flits(place, np.zeros_like(place), head, tail, data, tag)

    def _receive(self, flits: Flits) -> None:
        node = flits.port_index // self.ports
        tag = flits.data >> self.header_width
        source, goal = np.divmod(tag, self.network.topology.nodes)
        self.astray += int((node != goal).sum())
        np.add.at(self.delivered, source, 1)
        self.backlog[node] += 1
        ends = source[flits.tail]
        again = ends[self.delivered[ends] > self.length]
        begins = ends[self.delivered[ends] == self.length]
        self.began[begins] = self.now
        np.maximum.at(self.gap, again, self.now - self.last[again])
        self.last[ends] = self.now

    def finish(self) -> None:
        """Count as gaps those that have not ended, and what has not begun as all the time."""
        none = self.sources[self.delivered[self.sources] < self.length]
        self.began[none] = self.now
        self.gap[self.sources] = np.maximum(
            self.gap[self.sources], self.now - self.last[self.sources]
        )

"""Traffic that never ends, and what a network accepts as long as there is something to send."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.engine import engine
from fingerpost.golden.network.network import Network
from fingerpost.golden.topology.base import Topology
from fingerpost.golden.traffic import Traffic
from fingerpost.golden.traffic.patterns.base import Demand, Packets, Pattern


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


@dataclass(frozen=True)
class _Endless(Pattern):
    """`count` packets of `length` flits from each terminal to its own goal, -1 for none.

    All are made in cycle 0.
    """

    name: ClassVar[str] = "endless"
    recorded: ClassVar[bool] = True
    goal: IntArray = field(repr=False)
    count: int
    length: int

    def demand(self, topology: Topology) -> Demand:
        return Demand.to(self.goal)

    def packets(self, topology: Topology, load: float | None, cycles: int, **drawn: Any) -> Packets:
        source = np.repeat(np.flatnonzero(self.goal >= 0), self.count)
        return Packets(
            source, self.goal[source], np.zeros_like(source), np.full_like(source, self.length)
        )


def endless(network: Network, destination: IntArray, *, length: int, cycles: int) -> Pattern:
    """Return packets for so many cycles at full rate from every node to its `destination`.

    Nodes whose destination is -1 send nothing. The pattern needs no load.
    """
    terminals = network.topology.terminals
    rank = np.append(np.full(network.topology.nodes, -1), -1)  # the last for -1
    rank[terminals] = np.arange(len(terminals))
    return _Endless(rank[destination[terminals]], cycles // length + 1, length)


def accepted(network: Network, *, load: float, length: int, cycles: int, seed: int = 0) -> float:
    """Return the flits per terminal and cycle that come out under uniform traffic.

    As many cycles again as a quarter of `cycles` go before; terminals always read.
    """
    flits = came_out(network, load, length, cycles // 4 + cycles, seed)
    return float(flits[cycles // 4 :].mean()) / len(network.topology.terminals)


def came_out(network: Network, load: float, length: int, cycles: int, seed: int = 0) -> IntArray:
    """Return the flits that came out in each cycle, those of a packet when its last one did."""
    model = engine(network, [Traffic(network, load, cycles, seed=seed, lengths=length)])
    model.run(cycles)
    times = model.runs[0].delivered
    return length * np.bincount(times[times >= 0], minlength=cycles)

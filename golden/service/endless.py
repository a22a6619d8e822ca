"""Traffic that never ends: every source has all its packets from the start."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.network.network import Network
from fingerpost.golden.topology.base import Topology
from fingerpost.golden.traffic.demand import Demand
from fingerpost.golden.traffic.patterns.base import Packets, Pattern


@dataclass(frozen=True)
class _Endless(Pattern):
    """`count` packets of `length` flits from each terminal to its own goal, -1 for none."""

    name: ClassVar[str] = "endless"
    recorded: ClassVar[bool] = True
    goal: IntArray = field(repr=False)
    count: int
    length: int

    def demand(self, topology: Topology) -> Demand:
        return Demand.to(self.goal)

    def packets(self, topology: Topology, load: float | None, cycles: int, **drawn: Any) -> Packets:
        """Return the packets, all made in cycle 0."""
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

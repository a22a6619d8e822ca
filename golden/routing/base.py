"""What every routing algorithm is: a header, and a decision at every node."""

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

import numpy as np

from golden.header import Layout
from golden.topology.base import IntArray, Topology

__all__ = ["Decision", "Routing"]


class Decision(NamedTuple):
    """What a node does with a packet: arrays of one shape.

    `port` is the output port (`topology.local`: deliver), `header` what travels on, `error` is 1
    where the header names no node; port and header mean nothing there.
    """

    port: IntArray
    header: IntArray
    error: IntArray


class Routing(ABC):
    """A routing algorithm on one network. All methods work on arrays of any one shape.

    Attributes
    ----------
    topology : Topology
    header : Layout
        What routing needs to travel with the packet.
    straps : Layout
        The constants that a node's hardware is told: its label and what follows from it.
    strap_values : dict of (nodes,) arrays
        The value of every strap at every node.
    phases : tuple of str
        The names of the stages that a packet goes through, in order.
    launch_cycles : int
        Cycles that a router takes to make a header of what its terminal sends.
    """

    algorithm: ClassVar[str]
    families: ClassVar[tuple[str, ...]]

    topology: Topology
    header: Layout
    straps: Layout
    strap_values: dict[str, IntArray]
    phases: tuple[str, ...] = ("",)
    launch_cycles: int = 0

    @abstractmethod
    def encode(self, source: IntArray, destination: IntArray) -> IntArray:
        """Return what the terminal at `source` sends to name `destination`."""

    @abstractmethod
    def decide(self, node: IntArray, arrival: IntArray, header: IntArray) -> Decision:
        """Return the decisions at `node` for packets that came by port `arrival`.

        For packets from the terminal the header is first made ready by `launch`.
        """

    def launch(self, node: IntArray, header: IntArray) -> tuple[IntArray, IntArray]:
        """Return the headers made of what the terminal at `node` sent, and 1 for errors."""
        return header, np.zeros_like(header)

    def phase(self, header: IntArray) -> IntArray:
        """Return the index into `phases` of packets that carry `header`."""
        return np.zeros_like(header)

    def next_label(self, node: IntArray, port: IntArray) -> IntArray:
        """Return the label of the node behind `port`; `node` itself for the terminal port."""
        padded = np.append(self.topology.neighbour, np.arange(self.topology.nodes)[:, None], axis=1)
        return padded[node, port]

    def constants(self) -> dict[str, object]:
        """Return the numbers that characterise this algorithm on this network, for `info`."""
        return {}

    def table_bits(self) -> dict[str, int]:
        """Return the size in bits of each table that a router holds."""
        return {}

"""What every routing algorithm is: a header, and a decision at every node."""

from abc import ABC, abstractmethod
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from golden.arrays import BoolArray, IntArray
from golden.header import Layout
from golden.topology.base import Topology

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
    hint : str
        What a decision is told besides: nothing, ``random``, 16 random bits, or ``free``, one bit
        for each port that nobody waits for.
    relative : bool
        Whether decisions depend on a node by its orbit only: the same header at two nodes of one
        orbit is sent out at the same port with the same next header.
    """

    algorithm: ClassVar[str]
    families: ClassVar[tuple[str, ...]]
    hint: ClassVar[Literal["", "random", "free"]] = ""
    relative: ClassVar[bool] = False

    topology: Topology
    header: Layout
    straps: Layout
    strap_values: dict[str, IntArray]
    phases: tuple[str, ...] = ("",)
    launch_cycles: int = 0

    @property
    def hint_width(self) -> int:
        """Return the bits of the hint."""
        return {"": 0, "random": 16, "free": self.topology.degree + 1}[self.hint]

    @property
    def sent(self) -> tuple[str, ...]:
        """Return the fields of the header that a terminal fills in; all other bits are ignored.

        What the launch makes of a header that is not refused is what it makes of an encoded one.
        """
        return tuple(self.header)

    @property
    def orbit(self) -> IntArray:
        """Return the orbits of nodes whose routes are alike: the topology's, if not said here."""
        return self.topology.orbit

    @abstractmethod
    def encode(self, source: IntArray, destination: IntArray) -> IntArray:
        """Return what the terminal at `source` sends to name `destination`."""

    @abstractmethod
    def decide(
        self, node: IntArray, arrival: IntArray, header: IntArray, hint: IntArray | None = None
    ) -> Decision:
        """Return the decisions at `node` for packets that came by port `arrival`.

        For packets from the terminal the header is first made ready by `launch`. Without a
        `hint` all ports are free, and chance is 0.
        """

    def alternatives(
        self, node: IntArray, arrival: IntArray, header: IntArray
    ) -> tuple[IntArray, Decision]:
        """Return every decision that some hint leads to, and the packets that they are for.

        Takes arrays of one dimension; the packets are given by their places in them.
        """
        return np.arange(len(header)), self.decide(node, arrival, header)

    def turns(self) -> BoolArray | None:
        """Return the turns at which a packet moves to the next virtual channel, if known.

        Shape (nodes, degree + 1, degree + 1), by node, port of arrival and output port. None
        means that an order of the nodes is searched for, which gives such turns.
        """
        return None

    def launch(self, node: IntArray, header: IntArray) -> tuple[IntArray, IntArray]:
        """Return the headers made of what the terminal at `node` sent, and 1 for errors."""
        return header, np.zeros_like(header)

    def phase(self, header: IntArray) -> IntArray:
        """Return the index into `phases` of packets that carry `header`."""
        return np.zeros_like(header)

    def on_arrival(self) -> dict[str, str]:
        """Return what each field of the header holds when the packet comes out at its terminal.

        That is ``as sent``, a number, or ``undefined``; where fields overlay each other, the one
        in use then.
        """
        return dict.fromkeys(self.header, "as sent")

    def constants(self) -> dict[str, object]:
        """Return the numbers that characterise this algorithm on this network, for `info`."""
        return {}

    def table_bits(self) -> dict[str, int]:
        """Return the size in bits of each table that a router holds."""
        return {}

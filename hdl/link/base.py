"""What the hardware of every kind of link is: its two ends, and what is between two nodes."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator
from functools import cached_property
from typing import Any, ClassVar, Protocol

import numpy as np
from amaranth import Module
from amaranth.lib.wiring import Member, connect, flipped

from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.topology.base import NodeType
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.ports import Port


class Linked(Protocol):
    """What has links: the router, as far as the ends of its links must know it."""

    inputs: list[Any]
    outputs: list[Any]
    channels: int
    depth: int
    degree: int
    flit_width: int
    node_type: NodeType


class LinkEnds(ABC):
    """The ends of a network's links: as hardware at a node, and as text between the nodes.

    Attributes
    ----------
    adds : str
        What stands between a router and the wires, for people; nothing if the router drives them.
    """

    kind: ClassVar[str]
    adds: ClassVar[str] = ""

    def __init__(self, network: AnyNetwork) -> None:
        self.network = network

    @abstractmethod
    def members(self, router: Linked) -> dict[str, Member]:
        """Return the ports of a node for its links."""

    def errors(self, router: Linked) -> dict[str, Member]:
        """Return the ports of a node that tell what its links have found wrong."""
        return {}

    def join(self, m: Module, node: Any, router: Linked) -> None:
        """Stand between the links of a router and `members` and `errors` of its node: as wires."""
        for port in range(router.degree):
            connect(m, flipped(node.inputs[port]), router.inputs[port])
            connect(m, router.outputs[port], flipped(node.outputs[port]))

    def ports(self) -> list[Port]:
        """Return the ports of the network module besides those of clocks and terminals."""
        return []

    def end_ports(self, nodes: Collection[int]) -> list[Port]:
        """Return the ports of a module with these nodes for single links: ends, and their state."""
        return []

    def given(self, node: int) -> str:
        """Return what a node is told, as `golden.link.Link.told` has it; nothing if it is not."""
        return ""

    @abstractmethod
    def wires(self, nodes: Collection[int]) -> Iterator[str]:
        """Declare what is between nodes of a module, and at ends of links there, a line each."""

    @abstractmethod
    def connections(self, node: int) -> Iterator[str]:
        """Connect the links of a node to what `wires` declares."""

    def components(self) -> dict[str, Component]:
        """Return what stands between the nodes, by the names of the modules."""
        return {}

    def instances(self, nodes: Collection[int]) -> Iterator[str]:
        """Instantiate it, joined with what `wires` declares."""
        yield from ()

    def passes(self, node: int, port: int) -> str:
        """Return whether a flit is on the link of an output, as an expression of Verilog.

        Raises
        ------
        ValueError
            If links are of a kind where that cannot be seen between the nodes.
        """
        raise ValueError(f"Counters need links of another kind than {self.kind}")

    @abstractmethod
    def seen(self, node: int, port: int) -> str:
        """Return what can be seen of an output's link, as `golden.link.Link.seen` lays it out.

        It is an expression over names inside the network module, which is `n`; empty where the
        output has no link.
        """

    @cached_property
    def origin(self) -> dict[tuple[int, int], tuple[int, int]]:
        """The node and output port at which the link to a node and input port starts."""
        topology = self.network.topology
        node, port = np.nonzero(topology.neighbour >= 0)
        ends = topology.neighbour[node, port], topology.arrival_port[node, port]
        starts = zip(node.tolist(), port.tolist(), strict=True)
        return dict(zip(zip(*(end.tolist() for end in ends), strict=True), starts, strict=True))

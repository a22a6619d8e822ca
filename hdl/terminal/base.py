"""What every kind of terminal is: hardware at a node, text around the nodes, words of the manifest.

A kind is three classes in one file, all made of a network: `TerminalEnd`, which knows the others,
`TerminalText` and `TerminalWords`.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import product
from types import SimpleNamespace
from typing import Any, ClassVar, NamedTuple, Protocol

from amaranth import Module
from amaranth.lib.wiring import Member

from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.topology.base import NodeType
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.ports import Port, identifier, local_name, of_node


class Local(Protocol):
    """What has terminals: the router, as far as their ends must know it.

    It has `inject` and `eject` at each by `local_name`.
    """

    node_type: NodeType


class LocalPort(NamedTuple):
    """One local port of a router."""

    number: int
    inject: Any
    eject: Any

    def named(self, name: str) -> str:
        """Return the name of a submodule of its terminal; that of the first has no number."""
        return f"{name}_{self.number}" if self.number else name


def terminal_label(network: AnyNetwork, terminal: int) -> str:
    """Return what names of ports have for a terminal: its node, and which one, if some have more.

    Terminal 13 is that of node 13, or, with four at a node, 3_1: local port 1 of node 3.
    """
    several = network.topology.local_ports
    return str(terminal) if several == 1 else "{}_{}".format(*divmod(terminal, several))


class TerminalText(ABC):
    """A network's terminals in the text of its modules: ports, wires, comments."""

    def __init__(self, network: AnyNetwork) -> None:
        self.network = network

    @property
    def name(self) -> str:
        """Return the name of the network as an identifier, with which modules begin."""
        return identifier(self.network.name)

    @abstractmethod
    def ports(self) -> list[Port]:
        """Return the ports of the network module for terminals; terminal v has the v-th part."""

    @abstractmethod
    def legend(self) -> Iterator[str]:
        """Explain `ports` in comments of Verilog."""

    def places(self) -> Iterator[str]:
        """Say where terminals are, if that is not one at each node."""
        topology = self.network.topology
        if len(topology.terminal_nodes) < topology.nodes:
            yield "// Some nodes have no terminal."
        if topology.local_ports > 1:
            yield "// Terminal 3_1 is at local port 1 of node 3."

    def wires(self, nodes: Collection[int]) -> Iterator[str]:
        """Declare what is between the ports of a module and its nodes, and assign it."""
        yield from ()

    def terminals_at(self, nodes: Iterable[int]) -> list[int]:
        """Return the numbers of the terminals at some nodes."""
        topology = self.network.topology
        each = topology.node_type
        return [
            node * topology.local_ports + local
            for node in nodes
            for local in range(each[node].terminals)
        ]

    def table(self, terminal: int) -> Iterator[str]:
        """Look up the headers of what a terminal sends, if that is not its own business."""
        del terminal
        yield from ()

    def files(self, ports: list[Port]) -> dict[str, str]:
        """Return further modules by their names, of a network with such ports."""
        del ports
        return {}

    def top(self, ports: list[Port]) -> tuple[str, list[Port]]:
        """Return the module to instantiate, of a network with such ports, and what ports it has."""
        return f"{self.name}_network", ports

    def pins(self) -> tuple[str, tuple[int, ...]]:
        """Return the module whose ports may be pins, and the terminals that have OS-Links there."""
        return f"{self.name}_network", ()

    def clocks(self) -> tuple[str, ...]:
        """Return the clocks of terminals of their own, ports of that module."""
        return ()

    def connections(self, node: int) -> Iterator[str]:
        """Connect the ports of a node; without a terminal, inputs are 0 and outputs open."""
        topology = self.network.topology
        for local, port in product(range(topology.local_ports), self.ports()):
            end, name = port.name.split("_")
            wire = self.wire(port.name, node * topology.local_ports + local)
            if local >= topology.node_type[node].terminals:
                wire = f"{port.bits // topology.terminal_numbers}'d0" * (port.direction == "input")
            yield f".{local_name(end, local)}__{name}({wire})"

    def wire(self, name: str, terminal: int) -> str:
        """Return the name of a terminal's port at the network: see `terminal_label`."""
        return of_node(name, terminal_label(self.network, terminal))

    @abstractmethod
    def enters(self, terminal: int) -> str:
        """Return whether something of a terminal goes in, as an expression of Verilog."""

    @abstractmethod
    def leaves(self, terminal: int) -> str:
        """Return the same of what comes out; a bit for each ejection port."""

    @abstractmethod
    def given(self, node: int) -> str:
        """Return what goes in at a terminal, as `golden.terminal.Terminal.seen` lays it out."""

    @abstractmethod
    def seen(self, node: int) -> str:
        """Return what comes out at a terminal, in the same layout."""


class TerminalWords(ABC):
    """The entries of a manifest about a network's terminals.

    Attributes
    ----------
    begins, ends : str
        Between what two events the cycles of a packet are counted.
    """

    begins: ClassVar[str]
    ends: ClassVar[str]

    def __init__(self, network: AnyNetwork) -> None:
        self.network = network

    @abstractmethod
    def injection(self, names: Mapping[NodeType, str]) -> dict[str, Any]:
        """Return what a terminal may send; `names` are those of the modules."""

    @abstractmethod
    def ejection(self) -> dict[str, Any]:
        """Return what a terminal gets."""

    def latency(self) -> dict[str, str]:
        """Return formulas of what several packets do, by name; there are none."""
        return {}

    def registers(self) -> dict[str, Any]:
        """Return what software finds at a terminal; nothing without registers."""
        return {}


class TerminalEnd(ABC):
    """The ends of a network's terminals: the hardware at a node.

    Attributes
    ----------
    adds : str
        What stands between a router and the terminal, for people; nothing if the router drives it.
    text : TerminalText
    words : TerminalWords
    """

    kind: ClassVar[str]
    adds: ClassVar[str] = ""
    text_type: ClassVar[type[TerminalText]]
    words_type: ClassVar[type[TerminalWords]]

    def __init__(self, network: AnyNetwork) -> None:
        self.network = network
        self.text, self.words = self.text_type(network), self.words_type(network)

    def members(self, router: Local) -> dict[str, Member]:
        """Return the ports of a node for its terminals: `own`, at each by `local_name`."""
        own = self.own()
        return {local_name(x, t): own[x] for t in self.locals(router) for x in own}

    def join(self, m: Module, node: Any, router: Local) -> None:
        """Stand between the local ports of a router and the `members` of its node."""
        for t in self.locals(router):
            inject, eject = (getattr(router, local_name(x, t)) for x in ("inject", "eject"))
            self.join_one(m, self.at(node, t), LocalPort(t, inject, eject))

    def at(self, node: Any, local: int) -> Any:
        """Return the ports of a node for one of its terminals, named as `own`."""
        return SimpleNamespace(**{x: getattr(node, local_name(x, local)) for x in self.own()})

    def locals(self, router: Local) -> range:
        """Return the numbers of the terminals for which a node has ports."""
        return range(router.node_type.terminals)

    @abstractmethod
    def own(self) -> dict[str, Member]:
        """Return the ports of a node for one terminal."""

    @abstractmethod
    def join_one(self, m: Module, node: Any, router: "LocalPort") -> None:
        """Stand between a local port and the ports of its terminal, which `node` has as `own`."""

    def components(self) -> dict[str, Component]:
        """Return what is to be made Verilog around the nodes, by the names of the modules."""
        return {}

"""Terminals with credits; the twin of fingerpost.golden.terminal.credit."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from amaranth import Module
from amaranth.lib.wiring import In, Member, Out, connect, flipped

from fingerpost.golden.network.network import Network
from fingerpost.golden.terminal import CreditTerminal
from fingerpost.golden.topology.base import NodeType
from fingerpost.hdl.lib.header import LinkSignature
from fingerpost.hdl.lib.ports import Port, part
from fingerpost.hdl.terminal.base import Local, LocalPort, TerminalEnd, TerminalText, TerminalWords

INJECTION = """
at most one flit a cycle, only with a credit: each flit costs one, each cycle with inject_credit \
gives one back
a packet is a head, any number of further flits, and a tail; one flit can be both
the header is the lowest bits of the data of the head; all other data is the user's
every packet ends with a tail before the next begins; its flits need not be in successive cycles, \
but it holds virtual channels until its tail
during reset nothing is sent
""".strip().splitlines()
"""What a terminal may send."""

EJECTION = """
at most one flit a cycle, only with a credit: each flit costs one, each cycle with eject_credit \
gives one back
flits of a packet arrive in order, not interleaved with other packets
data is unchanged, except for the header
a flit does not carry its source: put it into the data if it is needed
""".strip().splitlines()
"""What a terminal receives."""

CLASSES = """
each message class has credits of its own: bit c of valid and credit is class c, and a packet \
arrives in the class in which its head was sent
flits of packets of different classes may be interleaved
""".strip().splitlines()
"""The same with several message classes."""


class CreditTerminalText(TerminalText):
    """Flits and credits of all terminals, side by side."""

    network: Network

    def ports(self) -> list[Port]:
        """Return valid, flit and credit, both ways."""
        n, flit, classes = (
            self.network.topology.terminal_numbers,
            self.network.flit.width,
            self.network.classes,
        )
        of = "; bit c for class c" if classes > 1 else ""
        bits = n * classes
        return [
            Port("inject_valid", "input", bits, f"terminal v sends a flit{of}"),
            Port("inject_flit", "input", n * flit, "flit of terminal v"),
            Port("inject_credit", "output", bits, f"terminal v may send one more flit{of}"),
            Port("eject_valid", "output", bits, f"terminal v receives a flit{of}"),
            Port("eject_flit", "output", n * flit, "flit for terminal v"),
            Port("eject_credit", "input", bits, f"terminal v has room for one more flit{of}"),
        ]

    def legend(self) -> Iterator[str]:
        """Tell what a flit is."""
        network = self.network
        yield f"// Flits are {{data[{network.flit_width - 1}:0], tail, head}}." + (
            " Bit c of valid and credit is of message class c." * (network.classes > 1)
        )
        yield from self.places()

    def enters(self, terminal: int) -> str:
        """Return whether a flit does."""
        return self._any("inject_valid", terminal)

    def leaves(self, terminal: int) -> str:
        """Return whether a flit does."""
        return self._any("eject_valid", terminal)

    def _any(self, name: str, terminal: int) -> str:
        """Return whether a bit of some class is set."""
        return "|" * (self.network.classes > 1) + self.wire(name, terminal)

    def _bits(self, name: str, node: int) -> str:
        """Return the bits of a node, one for each class."""
        return part(name, node, self.network.classes)

    def given(self, node: int) -> str:
        """Return {credit, flit, valid}."""
        flit = part("inject_flit", node, self.network.flit.width)
        credit, valid = self._bits("eject_credit", node), self._bits("inject_valid", node)
        return f"{{{credit}, {flit}, {valid}}}"

    def seen(self, node: int) -> str:
        """Return {credit, flit, valid}."""
        flit = part("eject_flit", node, self.network.flit.width)
        credit, valid = self._bits("inject_credit", node), self._bits("eject_valid", node)
        return f"{{{credit}, {flit}, {valid}}}"


class CreditTerminalWords(TerminalWords):
    """Who may send when, and what comes out."""

    network: Network
    begins: ClassVar[str] = "inject_valid is high for the head"
    ends: ClassVar[str] = "eject_valid is high for the tail"

    def injection(self, names: Mapping[NodeType, str]) -> dict[str, Any]:
        """Return the credits at the start, by module, and what may be sent."""
        network = self.network
        return {
            "credits": {
                name: network.terminal_depth if node_type.terminals else None
                for node_type, name in names.items()
            },
            "allowed": [*INJECTION, *self._of_classes()],
        }

    def ejection(self) -> dict[str, Any]:
        """Return the credits at the start, and what comes out."""
        return {
            "credits": self.network.buffer_depth,
            "guaranteed": (*EJECTION, *self._of_classes(), _order(self.network)),
            "in_order": self.network.in_order,
        }

    def _of_classes(self) -> list[str]:
        """Say what holds for each message class, if there are several."""
        return CLASSES if self.network.classes > 1 else []


class CreditTerminalEnd(TerminalEnd):
    """The terminal is at the router's own ports.

    A node has these ports:

    inject : ``In(LinkSignature)``    What the terminal sends; of others inject1, inject2 ...
    eject : ``Out(LinkSignature)``    What it gets.
    """

    kind: ClassVar[str] = CreditTerminal.kind
    text_type: ClassVar[type[TerminalText]] = CreditTerminalText
    words_type: ClassVar[type[TerminalWords]] = CreditTerminalWords

    def locals(self, router: Local) -> range:
        """Return all: a router has these ports with and without a terminal."""
        return range(self.network.topology.local_ports)

    def own(self) -> dict[str, Member]:
        """Return the router's own."""
        link = LinkSignature(channels=self.network.classes, flit_width=self.network.flit_width)
        return {"inject": In(link), "eject": Out(link)}

    def join_one(self, m: Module, node: Any, router: LocalPort) -> None:
        """Connect them."""
        connect(m, flipped(node.inject), router.inject)
        connect(m, router.eject, flipped(node.eject))


def _order(network: Network) -> str:
    """Say what order the packets of one source and destination keep."""
    if network.in_order:
        same = "header and class" if network.classes > 1 else "header"
        return f"packets from one terminal with the same {same} arrive in order"
    return "packets from one terminal to another may overtake each other"

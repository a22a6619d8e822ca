"""Terminals of deflection routers; the twin of fingerpost.golden.terminal.single_flit."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from amaranth import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Member, Out, connect, flipped

from fingerpost.golden.terminal.single_flit import SingleFlitTerminal
from fingerpost.golden.topology.base import NodeType
from fingerpost.hdl.lib.ports import Port, of_node, part
from fingerpost.hdl.terminal.base import Local, LocalPort, TerminalEnd, TerminalText, TerminalWords

INJECTION = """
a flit goes in in a cycle in which inject_valid and inject_ready are high
inject_ready may fall before a flit has gone in; a flit that is offered may be withdrawn
a packet is one flit; software splits longer messages and orders their flits
a flit for a destination that does not exist is counted and dropped
during reset nothing is sent
""".strip().splitlines()
"""What a terminal may send."""

EJECTION = """
at each ejection port at most one flit a cycle, and only if eject_ready was high two cycles before
flits arrive in any order, with data unchanged
a flit does not carry its source: put it into the data if it is needed
a flit that its terminal does not take circulates and takes links from others
""".strip().splitlines()
"""What a terminal receives."""


class InjectSignature(wiring.Signature):
    """What a terminal sends, seen from the terminal.

    Members
    -------
    valid : ``Out(1)``                          Asserted while a flit is offered.
    destination : ``Out(destination_width)``    Number of its terminal.
    data : ``Out(flit_width)``                  The user's.
    ready : ``In(1)``                           Asserted while what is offered goes in.
    """

    def __init__(self, destination_width: int, flit_width: int) -> None:
        super().__init__(
            {
                "valid": Out(1),
                "destination": Out(destination_width),
                "data": Out(flit_width),
                "ready": In(1),
            }
        )


class EjectSignature(wiring.Signature):
    """What a terminal gets, seen from the router; a bit or part for each ejection port.

    Members
    -------
    valid : ``Out(ejections)``                 Asserted while there is a flit.
    data : ``Out(ejections * flit_width)``     The user's; of the last flit while there is none.
    ready : ``In(ejections)``                  Asserted if a flit can be taken two cycles later.
    """

    def __init__(self, ejections: int, flit_width: int) -> None:
        super().__init__(
            {
                "valid": Out(ejections),
                "data": Out(ejections * flit_width),
                "ready": In(ejections),
            }
        )


class SingleFlitTerminalText(TerminalText):
    """Flits of all terminals with their handshakes, side by side."""

    def ports(self) -> list[Port]:
        """Return valid, data and ready, both ways."""
        n, flit, header = (
            self.network.topology.nodes, self.network.flit_width, self.network.routing.header.width
        )  # fmt: skip
        out = n * self.network.ejections
        of = "; a bit for each ejection port" if self.network.ejections > 1 else ""
        return [
            Port("inject_valid", "input", n, "terminal v offers a flit"),
            Port("inject_destination", "input", n * header, "number of its terminal"),
            Port("inject_data", "input", n * flit, "its data"),
            Port("inject_ready", "output", n, "the flit of terminal v enters"),
            Port("eject_valid", "output", out, f"terminal v receives a flit{of}"),
            Port("eject_data", "output", out * flit, "its data"),
            Port("eject_ready", "input", out, f"terminal v takes a flit two cycles later{of}"),
        ]

    def legend(self) -> Iterator[str]:
        """Tell where the parts of a node are."""
        each = self.network.ejections
        yield f"// A terminal has {each} ejection port{'s' * (each > 1)}."

    def enters(self, node: int) -> str:
        """Return whether a flit does."""
        return f"{of_node('inject_valid', node)} & {of_node('inject_ready', node)}"

    def leaves(self, node: int) -> str:
        """Return whether a flit does, by ejection port."""
        return of_node("eject_valid", node)

    def given(self, node: int) -> str:
        """Return {eject_ready, data, destination, valid}."""
        return self._joined(
            "eject_ready", "inject_data", "inject_destination", "inject_valid", node=node
        )

    def seen(self, node: int) -> str:
        """Return {data, valid, ready}."""
        return self._joined("eject_data", "eject_valid", "inject_ready", node=node)

    def _joined(self, *names: str, node: int) -> str:
        widths = {port.name: port.bits // self.network.topology.nodes for port in self.ports()}
        return f"{{{', '.join(part(name, node, widths[name]) for name in names)}}}"


class SingleFlitTerminalWords(TerminalWords):
    """When a flit goes in, and what comes out."""

    begins: ClassVar[str] = "inject_valid and inject_ready are high"
    ends: ClassVar[str] = "eject_valid is high"

    def injection(self, names: Mapping[NodeType, str]) -> dict[str, Any]:
        """Return what may be sent."""
        return {"allowed": list(INJECTION)}

    def ejection(self) -> dict[str, Any]:
        """Return what comes out."""
        return {"ports": self.network.ejections, "guaranteed": list(EJECTION), "in_order": False}


class SingleFlitTerminalEnd(TerminalEnd):
    """The terminal is at the router's own ports.

    A node has these ports:

    inject : ``In(InjectSignature)``    What the terminal sends.
    eject : ``Out(EjectSignature)``     What it gets.
    """

    kind: ClassVar[str] = SingleFlitTerminal.kind
    text_type: ClassVar[type[TerminalText]] = SingleFlitTerminalText
    words_type: ClassVar[type[TerminalWords]] = SingleFlitTerminalWords

    def locals(self, router: Local) -> range:
        """Return the only one: a router has these ports with and without a terminal."""
        return range(1)

    def own(self) -> dict[str, Member]:
        """Return the router's own."""
        header = self.network.routing.header.width
        return {
            "inject": In(InjectSignature(header, self.network.flit_width)),
            "eject": Out(EjectSignature(self.network.ejections, self.network.flit_width)),
        }

    def join_one(self, m: Module, node: Any, router: LocalPort) -> None:
        """Connect them."""
        connect(m, flipped(node.inject), router.inject)
        connect(m, router.eject, flipped(node.eject))

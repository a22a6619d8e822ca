"""Terminals with credits; the twin of fingerpost.golden.terminal.credit."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from amaranth import Module
from amaranth.lib.wiring import In, Member, Out, connect, flipped

from fingerpost.golden.network.network import Network
from fingerpost.golden.terminal import CreditTerminal
from fingerpost.golden.topology.base import NodeType
from fingerpost.hdl.lib.flit import LinkSignature
from fingerpost.hdl.lib.ports import Port, part
from fingerpost.hdl.terminal.base import Local, TerminalEnd

__all__ = ["CreditTerminalEnd"]

INJECTION = """
at most one flit a cycle, only with a credit: each flit costs one, each cycle with inject_credit \
gives one back
a packet is a head, any number of further flits, and a tail; one flit can be both
the header is in the lowest bits of the data of the head; all other data are the user's
every packet ends with a tail before the next begins; its flits need not be in successive cycles, \
but until its tail it keeps channels on its way
during reset nothing is sent
""".strip().splitlines()
"""What a terminal may send."""

EJECTION = """
at most one flit a cycle, only with a credit: each flit costs one, each cycle with eject_credit \
gives one back
flits of a packet come out in order, and those of no other packet between them
all data are as sent, but for the header
nothing in a flit tells where it is from: a sender that must be known says so in the data
""".strip().splitlines()
"""What a terminal gets."""


class CreditTerminalEnd(TerminalEnd):
    """The terminal is at the router's own ports.

    A node has these ports:

    inject : ``In(LinkSignature)``    What the terminal sends.
    eject : ``Out(LinkSignature)``    What it gets.
    """

    kind: ClassVar[str] = CreditTerminal.kind
    begins: ClassVar[str] = "inject_valid is high for the head"
    ends: ClassVar[str] = "eject_valid is high for the tail"

    def members(self, router: Local) -> dict[str, Member]:
        """Return the router's own."""
        link = LinkSignature(channels=1, flit_width=router.flit_width)
        return {"inject": In(link), "eject": Out(link)}

    def join(self, m: Module, node: Any, router: Local) -> None:
        """Connect them."""
        connect(m, flipped(node.inject), router.inject)
        connect(m, router.eject, flipped(node.eject))

    def ports(self) -> list[Port]:
        """Return valid, flit and credit, both ways."""
        n, flit = self.network.topology.nodes, self.network.flit.width
        return [
            Port("inject_valid", "input", n, "terminal v sends a flit"),
            Port("inject_flit", "input", n * flit, "that flit"),
            Port("inject_credit", "output", n, "terminal v may send one flit more"),
            Port("eject_valid", "output", n, "terminal v gets a flit"),
            Port("eject_flit", "output", n * flit, "that flit"),
            Port("eject_credit", "input", n, "terminal v has room for one flit more"),
        ]

    def legend(self) -> Iterator[str]:
        """Tell what a flit is, and where those of a node are."""
        network, topology = self.network, self.network.topology
        yield f"// Flits are {{data[{network.flit_width - 1}:0], tail, head}}; node v has the bits"
        yield (
            f"// v*{network.flit.width} and up of inject_flit and eject_flit, and bit v of the "
            "others."
            + ("" if len(topology.terminals) == topology.nodes else " Some have no terminal.")
        )

    def connections(self, node: int) -> Iterator[str]:
        """Connect the ports of a node; without a terminal, nothing comes and nobody listens."""
        there = self.network.topology.node_type[node].terminal
        for port in self.ports():
            end, name = port.name.split("_")
            width = self.network.flit.width if name == "flit" else 1
            wire = part(port.name, node, width) if there else ""
            if not there and port.direction == "input":
                wire = f"{width}'d0" if name == "flit" else "1'b0"
            yield f".{end}__{name}({wire})"

    def enters(self, node: int) -> str:
        """Return whether a flit does."""
        return f"inject_valid[{node}]"

    def leaves(self, node: int) -> str:
        """Return whether a flit does."""
        return f"eject_valid[{node}]"

    def absent(self, node: int) -> Iterator[str]:
        """Assign 0."""
        flit = self.network.flit.width
        yield f"  assign inject_credit[{node}] = 1'b0;"
        yield f"  assign eject_valid[{node}] = 1'b0;"
        yield f"  assign {part('eject_flit', node, flit)} = {flit}'d0;"

    def given(self, node: int) -> str:
        """Return {credit, flit, valid}."""
        flit = part("inject_flit", node, self.network.flit.width)
        return f"{{eject_credit[{node}], {flit}, inject_valid[{node}]}}"

    def seen(self, node: int) -> str:
        """Return {credit, flit, valid}."""
        flit = part("eject_flit", node, self.network.flit.width)
        return f"{{inject_credit[{node}], {flit}, eject_valid[{node}]}}"

    def injection(self, names: Mapping[NodeType, str]) -> dict[str, Any]:
        """Return the credits at the start, by module, and what may be sent."""
        network = self.network
        return {
            "credits": {
                name: network.terminal_depth if node_type.terminal else None
                for node_type, name in names.items()
            },
            "allowed": INJECTION,
        }

    def ejection(self) -> dict[str, Any]:
        """Return the credits at the start, and what comes out."""
        return {
            "credits": self.network.buffer_depth,
            "guaranteed": (*EJECTION, _order(self.network)),
            "in_order": self.network.in_order,
        }


def _order(network: Network) -> str:
    """Say what order the packets of one source and destination keep."""
    if network.in_order:
        return "packets from one terminal with the same header come out in the order they went in"
    return "packets from one terminal to another may overtake each other"

"""OS-Link terminals; the twin of fingerpost.golden.terminal.os_link."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from amaranth.lib.wiring import Component

from fingerpost.golden.terminal import OsLinkTerminal
from fingerpost.golden.terminal.message import (
    EXPIRED,
    FLAWS,
    FORMAT,
    LOST,
    MESSAGE_COUNTERS,
)
from fingerpost.golden.topology.base import NodeType
from fingerpost.hdl.lib.ports import Port, identifier, instance, module, part, passed
from fingerpost.hdl.terminal.axi_stream import AxiStreamTerminalEnd
from fingerpost.hdl.terminal.headers import header_tables
from fingerpost.hdl.terminal.os_link_interface import OsLinkInterface

__all__ = ["OsLinkTerminalEnd"]

LOW = "1'b0"

WIRES = "link_in", "link_out"

INJECTION = """
a message is its destination, its length and as many bytes; the next may follow at once
a byte is acknowledged when there is room for one more
a message to a number without a terminal, or too long, is accepted, dropped, counted in refused
a message that is silent for the time-out is abandoned and counted in expired
the next byte after an abandoned message starts a new one
a message holds virtual channels until its end: have it complete before it is sent
""".strip().splitlines()
"""What a terminal may send."""

EJECTION = """
a message is its source, its length, as many bytes, and a status; the next may follow at once
bytes of a message arrive in order, not interleaved with other messages
status is 1 if the message was truncated; its data is then padded with zeros
messages for a terminal that takes no byte for the time-out are dropped and counted in lost
when it takes a byte again, it receives the rest of the truncated message and all later ones
""".strip().splitlines()
"""What a terminal receives."""


class OsLinkTerminalEnd(AxiStreamTerminalEnd):
    """An OS-Link at every terminal, before the AXI4-Stream interface that is in the node.

    Port, messages and the table of headers stand around the nodes, so that a node is that of a
    network with AXI4-Stream terminals.
    """

    kind: ClassVar[str] = OsLinkTerminal.kind
    begins: ClassVar[str] = "the first bit of a message is on link_in"
    ends: ClassVar[str] = "the last bit of its status is on link_out"

    @property
    def timeout(self) -> int:
        """Return 0: the time-out is that of the messages."""
        return 0

    @property
    def _terminal(self) -> Any:
        return self.network.terminal

    def ports(self) -> list[Port]:
        """Return the wires of all terminals, and what is counted."""
        n = self.network.topology.nodes
        return [
            Port("link_in", "input", n, "wire from the peer of terminal v, asynchronous"),
            Port("link_out", "output", n, "wire to the peer, from a flip-flop; low at rest"),
            *self.counters(),
        ]

    def legend(self) -> Iterator[str]:
        """Tell where the ports of a terminal are, and what is on its wires."""
        topology = self.network.topology
        yield "// OS-Links; terminal v has bit v of link_in and link_out."
        for what in ("sent", "received"):
            yield f"// A message that is {what}: {FORMAT[what]}; {FORMAT['numbers']}."
        if len(topology.terminals) < topology.nodes:
            yield "// Some nodes have no terminal: their ports are unused."

    def wires(self) -> Iterator[str]:
        """Stand a port before the streams of each node, and look up the headers."""
        name = identifier(self.network.name)
        for node in self.network.topology.terminals.tolist():
            clock = f"[{node}]" if self.network.link.own_clocks else ""
            joined = [f".clk(clk{clock}), .rst(rst{clock})"]
            joined += [f".{wire}({wire}[{node}])" for wire in ("link_in", "link_out")]
            for port in self._carried():
                yield f"  wire [{port.bits - 1}:0] {self._of(port, node)};"
                inside = port.name.replace("axis_", "axis__")
                inside = "tdest" if inside.endswith("tdest") else inside
                joined.append(f".{inside}({self._of(port, node)})")
            yield f"  wire stranger_{node};"
            joined.append(f".stranger(stranger_{node})")
            joined += [f".{c.name}({part(c.name, node, c.width)})" for c in (EXPIRED, LOST, FLAWS)]
            yield instance(f"{name}_terminal", f"terminal_{node}", ", ".join(joined))
            yield from self.table(node)

    def tdest(self, node: int) -> str:
        """Return the destination, which its message names."""
        return f"s_axis_tdest_{node}"

    def _carried(self) -> list[Port]:
        """Return the wires of the streams of a node."""
        nodes = self.network.topology.nodes
        return [
            port._replace(bits=port.bits // nodes)
            for port in self.streams()
            if port.name != "m_axis_tdest"
        ]

    def _of(self, port: Port, node: int) -> str:
        return f"{port.name}_{node}"

    def known(self, node: int) -> str:
        """Return whether there is a terminal that the message may go to."""
        return f"known_{node} & ~stranger_{node}"

    def counted(self, node: int) -> Iterator[str]:
        """Connect the counter that is in the node; the others are not."""
        yield f".refused({part('refused', node, 8)}), .expired()"

    def enters(self, node: int) -> str:
        """Return whether a beat is taken."""
        return f"s_axis_tvalid_{node} & s_axis_tready_{node}"

    def leaves(self, node: int) -> str:
        """Return whether a beat is taken."""
        return f"m_axis_tvalid_{node} & m_axis_tready_{node}"

    def absent(self, node: int) -> Iterator[str]:
        """Assign 0."""
        yield f"  assign link_out[{node}] = 1'b0;"
        for counter in MESSAGE_COUNTERS:
            yield f"  assign {part(counter.name, node, counter.width)} = {counter.width}'d0;"

    def pins(self) -> tuple[str, tuple[int, ...]]:
        """Return the module with wires of their own for every terminal."""
        terminals = self.network.topology.terminals.tolist()
        return self.top([])[0], tuple(terminals)

    def components(self) -> dict[str, Component]:
        """Return the port with what makes packets of messages."""
        terminal = self._terminal
        interface = OsLinkInterface(
            self.layout,
            link=terminal.port,
            longest=terminal.longest,
            timeout=terminal.timeout * terminal.clocks_per_bit,
        )
        return {f"{identifier(self.network.name)}_terminal": interface}

    def files(self, ports: list[Port]) -> dict[str, str]:
        """Return the tables, and the network with wires of their own for each terminal."""
        name = identifier(self.network.name)
        tables = "\n".join(header_tables(self.network, name).values())
        return {f"{name}_headers": tables, f"{name}_links": self._links(name, ports)}

    def top(self, ports: list[Port]) -> tuple[str, list[Port]]:
        """Return the network with wires of their own for each terminal."""
        own = [port for port in ports if port.name not in WIRES]
        for v in self.network.topology.terminals.tolist():
            own += [
                Port(
                    f"link_in_{v}", "input", 1, f"wire from the peer of terminal {v}, asynchronous"
                ),
                Port(
                    f"link_out_{v}", "output", 1, "wire to the peer, from a flip-flop; low at rest"
                ),
            ]
        return f"{identifier(self.network.name)}_links", own

    def _links(self, name: str, ports: list[Port]) -> str:
        """Return the module whose ports are `link_in_12` and `link_out_12` for terminal 12."""
        nodes, terminals = self.network.topology.nodes, self.network.topology.terminals.tolist()
        body = [f"  wire [{nodes - 1}:0] {wire};" for wire in WIRES]
        for v in range(nodes):
            there = v in terminals
            body.append(f"  assign link_in[{v}] = {f'link_in_{v}' if there else LOW};")
            body += [f"  assign link_out_{v} = link_out[{v}];"] * there
        body.append(instance(f"{name}_network", "network", passed(ports)))
        comment = f"// {name}_network with separate wires for each terminal.\n"
        return comment + module(*self.top(ports), body)

    def given(self, node: int) -> str:
        """Return the wire."""
        return f"link_in[{node}]"

    def seen(self, node: int) -> str:
        """Return {counters, wire}."""
        counters = [part(c.name, node, c.width) for c in reversed(MESSAGE_COUNTERS)]
        return f"{{{', '.join(counters)}, link_out[{node}]}}"

    def injection(self, names: Mapping[NodeType, str]) -> dict[str, Any]:
        """Return what may be sent, and how it is carried."""
        return {
            "credits": None,
            "allowed": INJECTION,
            "message": f"{FORMAT['sent']}; {FORMAT['numbers']}",
            "longest": self._terminal.longest,
            "timeout": self._terminal.timeout,
            "head": self.layout.head.describe(),
            "body": self.layout.body.describe(),
        }

    def ejection(self) -> dict[str, Any]:
        """Return what comes out."""
        return {
            "credits": None,
            "guaranteed": EJECTION,
            "message": f"{FORMAT['received']}; {FORMAT['numbers']}",
            "status": FORMAT["status"],
            "in_order": self.network.in_order,
        }

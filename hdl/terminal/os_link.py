"""OS-Link terminals; the twin of fingerpost.golden.terminal.os_link."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, ClassVar

from amaranth import Module
from amaranth.lib.wiring import In, Out, connect, flipped

from fingerpost.golden.link import OsLinkParameters
from fingerpost.golden.terminal import OsLinkTerminal
from fingerpost.golden.terminal.beat import AxiLayout
from fingerpost.golden.terminal.message import (
    EXPIRED,
    FLAWS,
    FORMAT,
    LOST,
    MESSAGE_COUNTERS,
)
from fingerpost.golden.topology.base import NodeType
from fingerpost.hdl.bus.axi import AxiStreamSignature
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.logic import count
from fingerpost.hdl.lib.ports import Port, identifier, instance, module, part, passed
from fingerpost.hdl.link import OsLink
from fingerpost.hdl.terminal.around import header_tables
from fingerpost.hdl.terminal.axi_stream import AxiStreamTerminalEnd, AxiStreamTerminalWords
from fingerpost.hdl.terminal.axi_text import AxiStreamTerminalText
from fingerpost.hdl.terminal.base import TerminalText, TerminalWords
from fingerpost.hdl.terminal.message import MessageReceiver, MessageSender

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


class OsLinkInterface(Component):
    """An OS-Link port, with what makes packets of the messages on it, and messages of packets.

    The two directions have nothing in common but the acknowledges on the wires.

    Parameters
    ----------
    layout : AxiLayout
    link : OsLinkParameters
        Of the port.
    longest, timeout : int
        Bytes of a message; clocks in which a peer may not go on with one.

    Members
    -------
    link_in : ``In(1)``                       The wire from the peer, asynchronous.
    link_out : ``Out(1)``                     The wire to it, a register.
    s_axis : ``Out(AxiStreamSignature)``      What the peer sends.
    tdest, stranger                           Those of `MessageSender`.
    m_axis : ``In(AxiStreamSignature)``       What it gets.
    expired, lost, flaws : ``Out(8)``         Counters.
    """

    def __init__(
        self, layout: AxiLayout, *, link: OsLinkParameters, longest: int, timeout: int
    ) -> None:
        self.layout, self.link, self.longest, self.timeout = layout, link, longest, timeout
        super().__init__(
            link_in=In(1),
            link_out=Out(1),
            s_axis=Out(AxiStreamSignature(layout.data_width, user=1)),
            tdest=Out(layout.number),
            stranger=Out(1),
            m_axis=In(AxiStreamSignature(layout.data_width, user=layout.number + 1)),
            **{each.name: Out(each.width) for each in (EXPIRED, LOST, FLAWS)},
        )

    def elaborate(self, platform: object) -> Module:
        """Join the port with both directions."""
        m = Module()
        timeout = self.timeout
        m.submodules.os_link = link = OsLink(self.link)
        m.submodules.sender = sender = MessageSender(
            self.layout, longest=self.longest, timeout=timeout
        )
        m.submodules.receiver = receiver = MessageReceiver(self.layout, timeout=timeout)
        connect(m, link.rx, sender.bytes)
        connect(m, receiver.bytes, link.tx)
        connect(m, sender.stream, flipped(self.s_axis))
        connect(m, flipped(self.m_axis), receiver.stream)
        m.d.comb += [
            link.link_in.eq(self.link_in),
            self.link_out.eq(link.link_out),
            self.tdest.eq(sender.tdest),
            self.stranger.eq(sender.stranger),
            self.expired.eq(sender.expired),
            self.lost.eq(receiver.lost),
        ]
        wrong = link.err_frame | link.err_ack | link.err_window | link.err_over
        count(m, self.flaws, wrong)
        return m


class OsLinkTerminalText(AxiStreamTerminalText):
    """Wires of all terminals; a port stands before the streams of each node."""

    def ports(self) -> list[Port]:
        """Return the wires of all terminals, and what is counted."""
        n = self.network.topology.terminal_numbers
        return [
            Port("link_in", "input", n, "wire from the peer of terminal v, asynchronous"),
            Port("link_out", "output", n, "wire to the peer, from a flip-flop; low at rest"),
            *self.counters(),
        ]

    def legend(self) -> Iterator[str]:
        """Tell where the ports of a terminal are, and what is on its wires."""
        yield "// OS-Links."
        for what in ("sent", "received"):
            yield f"// A message that is {what}: {FORMAT[what]}; {FORMAT['numbers']}."
        yield from self.places()

    def wires(self, nodes: Collection[int]) -> Iterator[str]:
        """Stand a port before the streams of each terminal, and look up the headers."""
        name = self.name
        for terminal in self.terminals_at(nodes):
            joined = [".clk({}), .rst({})".format(*self.clock(terminal))]
            joined += [f".{wire}({self.wire(wire, terminal)})" for wire in WIRES]
            for port in self._carried():
                yield f"  wire [{port.bits - 1}:0] {self.of_terminal(port, terminal)};"
                inside = port.name.replace("axis_", "axis__")
                inside = "tdest" if inside.endswith("tdest") else inside
                joined.append(f".{inside}({self.of_terminal(port, terminal)})")
            yield f"  wire stranger_{terminal};"
            joined.append(f".stranger(stranger_{terminal})")
            joined += [f".{c.name}({self.wire(c.name, terminal)})" for c in (EXPIRED, LOST, FLAWS)]
            yield instance(f"{name}_terminal", f"terminal_{terminal}", ", ".join(joined))
            yield from self.table(terminal)

    def tdest(self, terminal: int) -> str:
        """Return the destination, which its message names."""
        return f"s_axis_tdest_{terminal}"

    def _carried(self) -> list[Port]:
        """Return the wires of the streams of a terminal."""
        return [
            port._replace(bits=port.bits // self.spec.streams)
            for port in self.streams()
            if port.name != "m_axis_tdest"
        ]

    def of_terminal(self, port: Port, terminal: int) -> str:
        """Return the wire of the stream of a terminal."""
        return f"{port.name}_{terminal}"

    def known(self, terminal: int) -> str:
        """Return whether there is a terminal that the message may go to."""
        return f"known_{terminal} & ~stranger_{terminal}"

    def counted(self, terminal: int) -> Iterator[tuple[str, str]]:
        """Yield the counter that is in the node, with wires; the others are not."""
        yield from (("refused", self.wire("refused", terminal)), ("expired", ""))

    def enters(self, terminal: int) -> str:
        """Return whether a beat is taken."""
        return f"s_axis_tvalid_{terminal} & s_axis_tready_{terminal}"

    def leaves(self, terminal: int) -> str:
        """Return whether a beat is taken."""
        return f"m_axis_tvalid_{terminal} & m_axis_tready_{terminal}"

    def pins(self) -> tuple[str, tuple[int, ...]]:
        """Return the module with wires of their own for every terminal."""
        terminals = self.network.topology.terminals.tolist()
        return self.top([])[0], tuple(terminals)

    def files(self, ports: list[Port]) -> dict[str, str]:
        """Return the tables, and the network with wires of their own for each terminal."""
        name = self.name
        tables = "\n".join(header_tables(self.network, name).values())
        return {f"{name}_headers": tables, f"{name}_links": self._links(name, ports)}

    def top(self, ports: list[Port]) -> tuple[str, list[Port]]:
        """Return the network with wires of their own for each terminal."""
        own = [port for port in ports if not port.name.endswith(WIRES)]
        for v in self.network.topology.terminals.tolist():
            own += [
                Port(
                    f"link_in_{v}", "input", 1, f"wire from the peer of terminal {v}, asynchronous"
                ),
                Port(
                    f"link_out_{v}", "output", 1, "wire to the peer, from a flip-flop; low at rest"
                ),
            ]
        return f"{self.name}_links", own

    def _links(self, name: str, ports: list[Port]) -> str:
        """Return the module whose ports are `link_in_12` and `link_out_12` for terminal 12."""
        joined = [passed(port for port in ports if not port.name.endswith(WIRES))]
        joined += [
            ", ".join(f".{self.wire(wire, v)}({wire}_{v})" for wire in WIRES)
            for v in self.network.topology.terminals.tolist()
        ]
        body = [instance(f"{name}_network", "network", *joined)]
        comment = f"// {name}_network with separate wires for each terminal.\n"
        return comment + module(*self.top(ports), body)

    def given(self, terminal: int) -> str:
        """Return the wire."""
        return f"link_in[{terminal}]"

    def seen(self, terminal: int) -> str:
        """Return {counters, wire}."""
        counters = [part(c.name, terminal, c.width) for c in reversed(MESSAGE_COUNTERS)]
        return f"{{{', '.join(counters)}, link_out[{terminal}]}}"


class OsLinkTerminalWords(AxiStreamTerminalWords):
    """What a message is."""

    begins: ClassVar[str] = "the first bit of a message is on link_in"
    ends: ClassVar[str] = "the last bit of its status is on link_out"

    def injection(self, names: Mapping[NodeType, str]) -> dict[str, Any]:
        """Return what may be sent, and how it is carried."""
        terminal: Any = self.network.terminal
        return {
            "credits": None,
            "allowed": INJECTION,
            "message": f"{FORMAT['sent']}; {FORMAT['numbers']}",
            "longest": terminal.longest,
            "timeout": terminal.timeout,
            "head": self.spec.layout.head.describe(),
            "body": self.spec.layout.body.describe(),
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


class OsLinkTerminalEnd(AxiStreamTerminalEnd):
    """An OS-Link at every terminal, before the AXI4-Stream interface that is in the node.

    Port, messages and the table of headers stand around the nodes, so that a node is that of a
    network with AXI4-Stream terminals.
    """

    kind: ClassVar[str] = OsLinkTerminal.kind
    text_type: ClassVar[type[TerminalText]] = OsLinkTerminalText
    words_type: ClassVar[type[TerminalWords]] = OsLinkTerminalWords

    def components(self) -> dict[str, Component]:
        """Return the port with what makes packets of messages."""
        terminal: Any = self.network.terminal
        interface = OsLinkInterface(
            self.spec.layout,
            link=terminal.port,
            longest=terminal.longest,
            timeout=terminal.timeout * terminal.clocks_per_bit,
        )
        return {f"{identifier(self.network.name)}_terminal": interface}

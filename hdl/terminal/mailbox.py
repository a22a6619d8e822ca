"""Mailbox terminals; the twin of fingerpost.golden.terminal.mailbox."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

from fingerpost.golden.header import bits
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.terminal import MailboxTerminal
from fingerpost.golden.topology.base import NodeType
from fingerpost.hdl.bus.registers import BUSES, Bus
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.ports import Port, instance
from fingerpost.hdl.lib.registers import Register
from fingerpost.hdl.terminal.around import concatenated
from fingerpost.hdl.terminal.axi_stream import AxiStreamTerminalEnd, AxiStreamTerminalWords
from fingerpost.hdl.terminal.axi_text import WrappedTerminalText
from fingerpost.hdl.terminal.base import TerminalText, TerminalWords
from fingerpost.hdl.terminal.mailbox_dma import memory_ports
from fingerpost.hdl.terminal.mailbox_map import MailboxMap, mailbox_map
from fingerpost.hdl.terminal.mailbox_registers import MailboxRegisters

INJECTION = """
a write of destination and length to send begins a packet; its words go to send_data
a packet of 0 words, above packet_limit, without a terminal or without room is refused
a packet enters the network when it is complete, so a slow program holds no channel
""".strip().splitlines()
"""What a terminal may send."""

EJECTION = """
receive has source, length and error of a complete packet; receive_data has its words
words of a packet arrive in order, packets one after the other
error is 1 if a packet was damaged or longer than packet_limit
""".strip().splitlines()
"""What a terminal receives."""


class MailboxTerminalText(WrappedTerminalText):
    """The network with AXI4-Stream terminals, and around it a module with mailboxes.

    This, the module to instantiate, has a bus and an interrupt for each endpoint.
    """

    clock_name: ClassVar[str] = "mailbox"
    wrapper: ClassVar[str] = "mailboxes"
    wraps: ClassVar[str] = "a mailbox"

    @cached_property
    def map(self) -> MailboxMap:
        """Return the registers of a mailbox."""
        return mailbox_map(self.network)

    @property
    def module(self) -> str:
        """Return the name of a mailbox's module."""
        return f"{self.name}_mailbox"

    def user_ports(self) -> Iterator[Port]:
        """Yield the ports of a mailbox for each endpoint."""
        for v in self.spec.numbers:
            for port in self.bus():
                meaning = f"terminal {v}: {port.meaning}"
                yield port._replace(name=self._named(port, v), meaning=meaning)

    def bus(self) -> list[Port]:
        """Return the ports of a mailbox for software."""
        irq = Port("irq", "output", 1, "interrupt: high while an enabled condition holds")
        words = self.map.memory_words
        memory = memory_ports(bits(words)) if words else []
        return [*self._bus.ports(self.map.address_width), irq, *memory]

    @property
    def _bus(self) -> Bus:
        terminal = self.network.terminal
        assert isinstance(terminal, MailboxTerminal)
        return BUSES[terminal.bus]

    def _named(self, port: Port, number: int) -> str:
        """Return the name of a port of the mailbox with a number."""
        for prefix in (self._bus.prefix, "irq", "mem"):
            if port.name.startswith(prefix):
                return f"{prefix}_{number}{port.name.removeprefix(prefix)}"
        raise AssertionError(port.name)

    def _own(self, port: Port) -> str:
        """Return the name of a port of a mailbox at the mailbox itself."""
        bus = port.name.replace(f"{self._bus.prefix}_", "bus__")
        return bus.replace("mem_", "memory__") if bus.startswith("mem_") else bus

    def users(self, wires: Sequence[Port]) -> Iterator[str]:
        """Yield a mailbox for each endpoint."""
        del wires
        yield from map(self._mailbox, self.spec.numbers)

    def _mailbox(self, number: int) -> str:
        """Return the mailbox of an endpoint; class c has the c-th part of each of its streams."""
        clk, rst = self.clock(number)
        labels = self._at(number)[::-1]

        def joined(way: str, member: str) -> str:
            return concatenated([f"{way}_axis_{label}_{member}" for label in labels])

        members = "tvalid", "tready", "tdata", "tkeep", "tlast", "tuser"
        return instance(
            self.module,
            f"mailbox_{number}",
            f".clk({clk}), .rst({rst}), .node(16'd{number})",
            ", ".join(f".{self._own(port)}({self._named(port, number)})" for port in self.bus()),
            ", ".join(f".tx__{member}({joined('s', member)})" for member in members),
            f".tdest({joined('s', 'tdest')})",
            ", ".join(f".rx__{member}({joined('m', member)})" for member in members),
        )

    def legend(self) -> Iterator[str]:
        """Tell where the ports of a terminal are."""
        yield from super().legend()
        yield f"// {self.module}es has registers instead."


class MailboxTerminalWords(AxiStreamTerminalWords):
    """How software sends and receives packets."""

    begins: ClassVar[str] = "the mailbox sends the first word of a complete packet"
    ends: ClassVar[str] = "the last word reaches the mailbox of the destination"

    def __init__(self, network: AnyNetwork) -> None:
        super().__init__(network)
        self.text = MailboxTerminalText(network)

    def injection(self, names: Mapping[NodeType, str]) -> dict[str, Any]:
        """Return what may be sent, and how it is carried."""
        given = super().injection(names)
        del given["timeout"]
        return given | {"allowed": list(INJECTION)}

    def ejection(self) -> dict[str, Any]:
        """Return what comes out."""
        return super().ejection() | {"guaranteed": list(EJECTION)}

    def registers(self) -> dict[str, Any]:
        """Return the module with mailboxes, the ports of one, and its registers."""
        terminal = self.network.terminal
        assert isinstance(terminal, MailboxTerminal)
        others = max(1, len(self.spec.numbers) - 1)
        stored = {n: terminal.stored(n) for n in (1, terminal.packet_limit)}
        return {
            "mailbox": {
                "stored_packets": stored,
                "window_packets": {n: count // others for n, count in stored.items()},
                "module": f"{self.text.module}es",
                "ports": [port._asdict() for port in self.text.bus()],
                "registers": [
                    {"name": each.name, "address": each.address, "meaning": each.meaning}
                    for each in (*self.text.map.fixed, *self._of_class())
                ],
                "class_stride": self.text.map.block.stride,
            }
        }

    def _of_class(self) -> Iterator[Register]:
        """Yield the registers of message class 0, by their addresses."""
        for each in self.text.map.block.registers:
            yield replace(each, address=self.text.map.block.base + each.address)


class MailboxTerminalEnd(AxiStreamTerminalEnd):
    """A node has AXI4-Stream; mailboxes stand around the network, one for each endpoint."""

    kind: ClassVar[str] = MailboxTerminal.kind
    text_type: ClassVar[type[TerminalText]] = MailboxTerminalText
    words_type: ClassVar[type[TerminalWords]] = MailboxTerminalWords
    text: MailboxTerminalText

    def components(self) -> dict[str, Component]:
        """Return the mailbox, the same at every terminal, and what endpoints share one by."""
        return {**super().components(), self.text.module: self.mailbox()}

    def mailbox(self) -> MailboxRegisters:
        """Return a mailbox."""
        terminal = self.network.terminal
        assert isinstance(terminal, MailboxTerminal)
        return MailboxRegisters(
            self.text.map,
            send_words=terminal.send_words,
            receive_words=terminal.receive_words,
            packet_limit=terminal.packet_limit,
            number=bits(self.network.topology.terminal_numbers * self.spec.endpoints),
            known=self.spec.numbers,
            bus=terminal.bus,
        )

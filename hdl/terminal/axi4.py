"""AXI4 terminals; the twin of fingerpost.golden.terminal.axi4."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

from fingerpost.golden.header import bits
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.terminal import Axi4Terminal
from fingerpost.golden.terminal.memory_map import MemoryMap
from fingerpost.golden.topology.base import NodeType
from fingerpost.hdl.bus.axi import Axi4Signature, axi4_ports
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.ports import Port, instance
from fingerpost.hdl.terminal.axi4_manager import Axi4Manager
from fingerpost.hdl.terminal.axi4_subordinate import Axi4Subordinate
from fingerpost.hdl.terminal.axi_stream import AxiStreamTerminalEnd, AxiStreamTerminalWords
from fingerpost.hdl.terminal.axi_text import WrappedTerminalText
from fingerpost.hdl.terminal.base import TerminalText, TerminalWords

REQUESTS, RESPONSES = range(2)
"""Message classes."""

INJECTION = """
AXI4: what a manager sends to an address goes to the node that the memory map names
an address that no node has, and an INCR burst across 4 KB, is answered with DECERR
a read is sent when there is room for what it reads, a write when its data is complete
exclusive accesses are not supported: answered OKAY
""".strip().splitlines()
"""What a terminal may send."""

EJECTION = """
AXI4: requests reach a subordinate one by one, with ID 0; reads of one manager in order, writes too
responses reach a manager in the order of its requests, reads and writes each
""".strip().splitlines()
"""What a terminal receives."""


class Side:
    """A side of a network's terminals: what its ports are called, and its bus."""

    def __init__(self, text: "Axi4TerminalText", *, manager: bool, lite: bool) -> None:
        self.text, self.manager, self.lite = text, manager, lite
        terminal = text.terminal
        self.bus = Axi4Signature(
            terminal.address_width,
            terminal.data_width,
            id_width=0 if lite else terminal.id_width,
        )
        self.prefix = ("s" if manager else "m") + "_axi" + "l" * lite
        self.name = ("manager" if manager else "subordinate") + "_lite" * lite
        self.module = f"{text.name}_{self.name}"

    def ports(self) -> list[Port]:
        """Return the ports of a side for its user."""
        own = axi4_ports(self.bus.flip() if self.manager else self.bus, self.prefix)
        if not self.manager and self.text.terminal.answer_timeout:
            own.append(Port(f"{self.prefix}_cut", "output", 1, "no answer in time: cut off"))
        return own

    def named(self, port: Port, node: int) -> str:
        """Return the name of a port of the side at a node."""
        return port.name.replace(self.prefix, f"{self.prefix}_{node}", 1)

    def _inside(self, port: Port) -> str:
        """Return the name of a port at the side itself."""
        name = port.name.removeprefix(f"{self.prefix}_")
        return name if name == "cut" else f"axi__{name}"

    def streams(self, node: int) -> tuple[str, str]:
        """Return the streams of a node by which the side sends, and receives."""
        classes = (REQUESTS, RESPONSES) if self.manager else (RESPONSES, REQUESTS)
        return f"s_axis_{node}_{classes[0]}", f"m_axis_{node}_{classes[1]}"

    def instance(self, node: int) -> str:
        """Return the side of a node, between its user and the streams of the network."""
        (clk, rst), (out, back) = self.text.clock(node), self.streams(node)
        sent, received = ("requests", "responses")[:: 1 if self.manager else -1]
        members = "tvalid", "tready", "tdata", "tlast", "tuser"
        return instance(
            self.module,
            f"{self.name}_{node}",
            f".clk({clk}), .rst({rst})",
            ", ".join(f".{self._inside(port)}({self.named(port, node)})" for port in self.ports()),
            ", ".join(f".{sent}__{member}({out}_{member})" for member in members),
            f".dest({out}_tdest)",
            ", ".join(f".{received}__{member}({back}_{member})" for member in members),
        )


class Axi4TerminalText(WrappedTerminalText):
    """The network with AXI4-Stream terminals, and around it a module with both sides of AXI4.

    This, the module to instantiate, has the ports of a subordinate for each manager, and those of a
    manager for each subordinate.
    """

    clock_name: ClassVar[str] = "axi"
    wrapper: ClassVar[str] = "memory"
    wraps: ClassVar[str] = "AXI4"

    @cached_property
    def terminal(self) -> Axi4Terminal:
        """Return the parameters."""
        assert isinstance(self.network.terminal, Axi4Terminal)
        return self.network.terminal

    @cached_property
    def map(self) -> MemoryMap:
        """Return which node an address belongs to."""
        return self.terminal.memory_map(self.network.topology)

    @cached_property
    def sides(self) -> list[tuple[int, Side]]:
        """Return all sides by their nodes."""
        topology = self.network.topology
        kinds = {
            (manager, lite): Side(self, manager=manager, lite=lite)
            for manager in (True, False)
            for lite in (True, False)
        }
        lite = self.terminal.nodes_of("lite", topology)
        return [
            (node, kinds[manager, node in lite])
            for node in topology.terminals.tolist()
            for manager, key in ((True, "managers"), (False, "subordinates"))
            if node in self.terminal.nodes_of(key, topology)
        ]

    def user_ports(self) -> Iterator[Port]:
        """Yield the ports of all sides."""
        for node, side in self.sides:
            for port in side.ports():
                meaning = f"terminal {node}: {port.meaning}"
                yield port._replace(name=side.named(port, node), meaning=meaning)

    def users(self, wires: Sequence[Port]) -> Iterator[str]:
        """Yield all sides; streams without one send nothing, and take what comes."""
        used = set()
        for node, side in self.sides:
            yield side.instance(node)
            used |= set(side.streams(node))
        for port in wires:
            stream, _, member = port.name.rpartition("_")
            if port.direction == "input" and stream not in used:
                yield f"  assign {port.name} = {port.bits}'d{int(member == 'tready')};"

    def legend(self) -> Iterator[str]:
        """Tell where the ports of a terminal are."""
        yield from super().legend()
        yield f"// {self.name}_memory has AXI4 instead."


class Axi4TerminalWords(AxiStreamTerminalWords):
    """How managers reach memory."""

    begins: ClassVar[str] = "a side sends the first beat of a packet"
    ends: ClassVar[str] = "the last beat reaches the side at the destination"

    def injection(self, names: Mapping[NodeType, str]) -> dict[str, Any]:
        """Return what may be sent, and how it is carried."""
        given = super().injection(names)
        del given["timeout"]
        layout = self._terminal.transactions
        return given | {
            "allowed": list(INJECTION),
            "request": layout.request.describe(),
            "write": layout.write.describe(),
            "response": layout.response.describe(),
        }

    def latency(self) -> dict[str, str]:
        """Return those of `Axi4Terminal.least_latency`, of packets that need no grant."""
        terminal, layout = self._terminal, self._terminal.transactions
        way = "hop_cycles * (hops + hops_back + 2) + 2 * header_cycles + 2 * terminal_cycles"
        way += " + registers + registers_back" * (self.network.registers is not None)
        data = "beats" if layout.parts == 1 else f"{layout.parts} * beats"
        each = f"{terminal.flit_cycles} * " if terminal.flit_cycles > 1 else ""
        read, head = terminal.side_cycles, layout.request_beats - 1
        wait = " + (memory_cycles == 1)" if terminal.takes_all else ""
        write, stored = f"{way} + {each}({data} + {head})", read + layout.request_beats
        lite = f"{write} + {read - 1} + memory_cycles{wait}"
        return {
            "read": f"{way} + {each}({data} + {head - 1}) + {read} + memory_cycles",
            "write": f"{write} + {data} + {stored} + memory_cycles{wait}",
            **({} if terminal.lite == "none" else {"write_lite": lite}),
        }

    @property
    def _terminal(self) -> Axi4Terminal:
        assert isinstance(self.network.terminal, Axi4Terminal)
        return self.network.terminal

    def ejection(self) -> dict[str, Any]:
        """Return what comes out."""
        return super().ejection() | {"guaranteed": list(EJECTION)}

    def registers(self) -> dict[str, Any]:
        """Return the module with AXI4, its sides by their nodes, and the parts of the map."""
        text = Axi4TerminalText(self.network)
        sides: dict[str, dict[str, Any]] = {}
        for node, side in text.sides:
            about = {"prefix": side.prefix, "nodes": []}
            sides.setdefault(side.name, about)["nodes"].append(node)
        module, _ = text.top([])
        parts = [part._asdict() for part in text.map.ranges()]
        return {"memory": {"module": module, "sides": sides, "parts": parts}}


class Axi4TerminalEnd(AxiStreamTerminalEnd):
    """A node has AXI4-Stream; both sides of AXI4 stand around the network."""

    kind: ClassVar[str] = Axi4Terminal.kind
    adds: ClassVar[str] = "AXI4 interface"
    text_type: ClassVar[type[TerminalText]] = Axi4TerminalText
    words_type: ClassVar[type[TerminalWords]] = Axi4TerminalWords
    text: Axi4TerminalText

    def components(self) -> dict[str, Component]:
        """Return the sides that there are."""
        kinds = {side.module: side for _, side in self.text.sides}
        return {**super().components(), **{name: self.side(x) for name, x in kinds.items()}}

    def side(self, side: Side) -> Component:
        """Return the component of a side."""
        terminal, layout = self.text.terminal, self.text.terminal.transactions
        if side.manager:
            rows = terminal.outstanding if side.lite else terminal.rows
            return Axi4Manager(layout, side.bus, self.text.map, rows=rows)
        bursts = any(other.manager and not other.lite for _, other in self.text.sides)
        return Axi4Subordinate(
            layout,
            side.bus,
            number=bits(self.text.map.nodes),
            bursts=bursts,
            timeout=terminal.answer_timeout,
        )


def sides(network: AnyNetwork) -> list[tuple[int, Side]]:
    """Return the sides of a network's terminals by their nodes."""
    text = Axi4TerminalText(network)
    return text.sides

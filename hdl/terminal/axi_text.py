"""AXI4-Stream terminals in the text of a network: ports, tables of headers, modules around it.

These may have the users of terminals, where they are hardware: mailboxes, sides of AXI4.
"""

from abc import abstractmethod
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import ClassVar

from fingerpost.golden.header import bits
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.terminal import AxiStreamTerminal
from fingerpost.golden.terminal.beat import AXI_COUNTERS, AxiLayout
from fingerpost.golden.terminal.flow_layout import FlowControl, FlowLayout
from fingerpost.hdl.lib.ports import Port, declaration, instance, local_name, module, part, passed
from fingerpost.hdl.terminal.around import (
    alike,
    header_tables,
    network_clock,
    others,
    separate,
    separated,
    shared,
    split,
    stream_names,
    table_name,
)
from fingerpost.hdl.terminal.base import TerminalText


class AxiStreamTerminalText(TerminalText):
    """Streams of all terminals side by side: terminal * classes + class has that part of each port.

    Attributes
    ----------
    clock_name : str
        What the names of terminals' own clocks begin with: ``axis_12_clk``.
    """

    clock_name: ClassVar[str] = "axis"

    def __init__(self, network: AnyNetwork) -> None:
        super().__init__(network)
        self.spec: StreamSpec = stream_spec(network)

    def ports(self) -> list[Port]:
        """Return both streams of all terminals, and what is counted."""
        return [*self.streams(), *self.counters()]

    def counters(self) -> list[Port]:
        """Return what is counted at all terminals."""
        n = self.spec.streams
        return [
            Port(c.name, "output", n * c.width, f"{c.meaning}; saturates at {c.most}")
            for c in self.network.terminal.counters
        ]

    def streams(self) -> list[Port]:
        """Return both streams of all terminals."""
        return self._streams(self.network.topology.terminal_numbers, self.spec.layout.number)

    def endpoint_streams(self) -> list[Port]:
        """Return both streams of all endpoints, side by side as those of terminals."""
        count = self.spec.endpoints
        if count == 1:
            return self.streams()
        return self._streams(
            self.network.topology.terminal_numbers * count, self.spec.layout.number + bits(count)
        )

    def _streams(self, places: int, number: int) -> list[Port]:
        layout, n = self.spec.layout, places * self.spec.classes
        bytes = layout.bytes
        keep = [("tkeep", bytes, "bytes in use; all, except in the last beat")] if bytes > 1 else []
        common = [
            ("tdata", layout.data_width, "data"),
            *keep,
            ("tlast", 1, "last beat of a packet"),
        ]
        dest = ("tdest", number, "number of the destination")
        sent = [*common, dest, ("tuser", 1, "in the last beat: the packet is bad")]
        received = [*common, dest, ("tuser", number + 1, "{source, packet is bad}")]
        return [
            Port("s_axis_tvalid", "input", n, "terminal v offers a beat"),
            Port("s_axis_tready", "output", n, "the beat is accepted"),
            *(Port(f"s_axis_{x}", "input", n * w, text) for x, w, text in sent),
            Port("m_axis_tvalid", "output", n, "a beat for terminal v"),
            Port("m_axis_tready", "input", n, "terminal v accepts the beat"),
            *(Port(f"m_axis_{x}", "output", n * w, text) for x, w, text in received),
        ]

    def legend(self) -> Iterator[str]:
        """Tell where the ports of a terminal are."""
        yield "// AXI4-Stream." + (
            f" A port of a terminal has {self.spec.classes} parts, one for each class."
            * (self.spec.classes > 1)
        )
        yield from self.places()

    def wires(self, nodes: Collection[int]) -> Iterator[str]:
        """Look up the headers, and tell every terminal its number."""
        number, classes = self.spec.layout.number, self.spec.classes
        for terminal in self.terminals_at(nodes):
            yield from self.table(terminal)
            own = f"{number}'d{terminal}"
            own = own if classes == 1 else f"{{{classes}{{{own}}}}}"
            yield f"  assign {self.wire('m_axis_tdest', terminal)} = {own};"

    def table(self, terminal: int) -> Iterator[str]:
        """Look up the headers of what a terminal sends."""
        node = terminal // self.network.topology.local_ports
        table = table_name(self.name, None if self.spec.alike else node)
        for c, at in enumerate(self._at(terminal)):
            asked = self.tdest(terminal * self.spec.classes + c)
            if self.spec.asks:
                asked = f"peer_{at}"
                yield f"  wire [{self.spec.layout.number - 1}:0] {asked};"
            yield (
                f"  wire [{self.spec.layout.header - 1}:0] header_{at}; wire known_{at};\n"
                f"  {table} table_{at}(.tdest({asked}), "
                f".header(header_{at}), .known(known_{at}));"
            )

    def _at(self, number: int) -> list[str]:
        """Return what the names of the streams of a terminal or endpoint end in."""
        return stream_names(self.network, number)

    def tdest(self, stream: int) -> str:
        """Return the destination of a stream's packets, as an expression of Verilog."""
        terminal, c = divmod(stream, self.spec.classes)
        dest = self.wire("s_axis_tdest", terminal)
        return part(dest, c, self.spec.layout.number) if self.spec.classes > 1 else dest

    def connections(self, node: int) -> Iterator[str]:
        """Connect the streams of a node; without a terminal it has none."""
        topology = self.network.topology
        for local in range(topology.node_type[node].terminals):
            for name, wires in self._connected(node * topology.local_ports + local):
                port, separator, member = name.partition("__")
                yield f".{local_name(port, local)}{separator}{member}({wires})"

    def _connected(self, terminal: int) -> Iterator[tuple[str, str]]:
        """Yield the ports of a node for a terminal, named as if it were the first, with wires."""
        for port in self.streams():
            if not port.name.endswith("tdest"):
                yield port.name.replace("axis_", "axis__"), self.of_terminal(port, terminal)
        yield from self.counted(terminal)
        spec, number = self.spec, self.spec.layout.number
        each = self._at(terminal)[::-1]
        streams = range(terminal * spec.classes, (terminal + 1) * spec.classes)[::-1]
        dest = ", ".join(self.tdest(stream) for stream in streams)
        peer, header, known = (
            ", ".join(f"{what}_{at}" for at in each) for what in ("peer", "header", "known")
        )
        source = ", ".join(f"{number}'d{terminal}" for _ in each)
        if spec.asks:
            yield from (("dest", f"{{{dest}}}"), ("peer", f"{{{peer}}}"))
        if spec.flow:
            yield "header", f"{{{header}}}"
            yield "source", f"{{{source}}}"
            yield "known", f"{{{known}}}"
            return
        head = ", ".join(f"{number}'d{terminal}, header_{at}" for at in each)
        yield "head", f"{{{head}}}"
        yield "known", f"{{{known}}}" if spec.classes > 1 else self.known(terminal)

    def known(self, terminal: int) -> str:
        """Return whether there is a terminal of the number that is looked up."""
        return f"known_{terminal}"

    def counted(self, terminal: int) -> Iterator[tuple[str, str]]:
        """Yield the counters of a terminal, with wires."""
        for counter in AXI_COUNTERS:
            yield counter.name, self.wire(counter.name, terminal)

    def of_terminal(self, port: Port, terminal: int) -> str:
        """Return the wires of all streams of a terminal."""
        return self.wire(port.name, terminal)

    def _of(self, port: Port, stream: int) -> str:
        return part(port.name, stream, port.bits // self.spec.streams)

    def enters(self, terminal: int) -> str:
        """Return whether a beat is taken."""
        return f"{self.wire('s_axis_tvalid', terminal)} & {self.wire('s_axis_tready', terminal)}"

    def leaves(self, terminal: int) -> str:
        """Return whether a beat is taken."""
        return f"{self.wire('m_axis_tvalid', terminal)} & {self.wire('m_axis_tready', terminal)}"

    def pins(self) -> tuple[str, tuple[int, ...]]:
        """Return the module to instantiate, if only that has the clocks of terminals."""
        return (self.top([])[0], ()) if self._own_clock else super().pins()

    @property
    def _own_clock(self) -> str:
        """Return what the names of terminals' own clocks begin with; nothing if they have none."""
        return self.clock_name if self.spec.crosses else ""

    def clocks(self) -> tuple[str, ...]:
        """Return the clocks of all terminals or endpoints, or none."""
        return tuple(self.clock(v)[0] for v in self.spec.numbers) if self._own_clock else ()

    def clock(self, number: int) -> tuple[str, str]:
        """Return clock and reset of a terminal or endpoint: its own, or those of its node."""
        if self._own_clock:
            return f"{self._own_clock}_{number}_clk", f"{self._own_clock}_{number}_rst"
        return network_clock(self.network, number // self.spec.endpoints)

    def files(self, ports: list[Port]) -> dict[str, str]:
        """Return the tables, and the network with separate ports for each terminal."""
        name, own, shares = self.name, [*others(ports), *self.streams()], self.spec.endpoints > 1
        tables = "\n".join(header_tables(self.network, name).values())
        streams = separate(self.network, name, own, clock="" if shares else self._own_clock)
        files = {f"{name}_headers": tables, f"{name}_streams": streams}
        if shares:
            every = [*others(ports), *self.endpoint_streams()]
            files[f"{name}_endpoints"] = shared(self.network, own, every, clock=self._own_clock)
        return files

    def endpoint_ports(self, ports: list[Port]) -> list[Port]:
        """Return the ports of the module in which each endpoint has its own."""
        every = [*others(ports), *self.endpoint_streams()]
        return separated(self.network, every, clock=self._own_clock, endpoints=self.spec.endpoints)

    def top(self, ports: list[Port]) -> tuple[str, list[Port]]:
        """Return the network with separate ports for each terminal, or for each endpoint."""
        part = "endpoints" if self.spec.endpoints > 1 else "streams"
        return f"{self.name}_{part}", self.endpoint_ports(ports)

    def given(self, node: int) -> str:
        """Return {data, ready, error, dest, keep, last, valid}."""
        return self._packed(node, "s_axis", ["tuser", "tdest", "tkeep", "tlast", "tvalid"])

    def seen(self, node: int) -> str:
        """Return {data, counters, ready, user, keep, last, valid}."""
        return self._packed(node, "m_axis", ["tuser", "tkeep", "tlast", "tvalid"])

    def _packed(self, node: int, stream: str, names: list[str]) -> str:
        """Return the parts of a stream with the ready of the other, and what else is seen."""
        ports = {port.name: port for port in self.ports()}
        other = {"s_axis": "m_axis_tready", "m_axis": "s_axis_tready"}[stream]
        counters = [c.name for c in reversed(AXI_COUNTERS)] if stream == "m_axis" else []
        every = [f"{stream}_tdata", *counters, other, *(f"{stream}_{name}" for name in names)]
        return f"{{{', '.join(self._of(ports[name], node) for name in every if name in ports)}}}"


class StreamSpec:
    """The interfaces of a network, of terminals that are AXI4-Stream, or that make use of it.

    Attributes
    ----------
    layout : AxiLayout
        The layouts of flits.
    flow : FlowControl, optional
        The end-to-end flow control, if there is one.
    store : int
        Beats of the queue in which packets wait until they are complete, or 0.
    timeout : int
        Cycles after which a packet that waits is closed; 0: never.
    crosses : bool
        Whether terminals have clocks of their own.
    longest : int, optional
        Beats of the longest packet that a user can send; None: there is no limit.
    classes, endpoints : int
        Message classes, each with a stream each way; and users that share a terminal.
    numbers : list of int
        The numbers by which users address the endpoints of all terminals.
    """

    def __init__(self, network: AnyNetwork) -> None:
        self.network, terminal = network, network.terminal
        self.flow: FlowControl | None = None
        self.store, self.timeout, self.crosses = 0, 0, False
        if isinstance(terminal, AxiStreamTerminal):
            self.flow = terminal.flow(network)
            self.store, self.timeout = terminal.store, terminal.timeout
            self.crosses = terminal.clock is not None
        self.layout: AxiLayout = (
            FlowLayout.controlled(network, self.flow) if self.flow else AxiLayout.of(network)
        )
        self.longest, self.classes = terminal.longest, network.classes
        self.endpoints = terminal.endpoints
        self.numbers = terminal.numbers(network.topology.terminals)

    @property
    def streams(self) -> int:
        """Return the streams of all terminals, each way."""
        return self.network.topology.terminal_numbers * self.classes

    @property
    def asks(self) -> bool:
        """Return whether an interface asks the table for the header of a number it has kept."""
        return self.flow is not None or self.store > 0

    @cached_property
    def alike(self) -> bool:
        """Return whether all terminals look up the same headers."""
        return alike(self.network)


@lru_cache(maxsize=2)
def stream_spec(network: AnyNetwork) -> StreamSpec:
    """Return what the interfaces of a network are like."""
    return StreamSpec(network)


class WrappedTerminalText(AxiStreamTerminalText):
    """The network with AXI4-Stream terminals, and around it a module with their users.

    This is the module to instantiate.

    Attributes
    ----------
    wrapper : str
        What the name of the module ends in.
    wraps : str
        What stands at every terminal, for people.
    """

    wrapper: ClassVar[str]
    wraps: ClassVar[str]

    @abstractmethod
    def user_ports(self) -> Iterator[Port]:
        """Yield the ports of all users."""

    @abstractmethod
    def users(self, wires: Sequence[Port]) -> Iterator[str]:
        """Yield the users as Verilog; `wires` are those of the streams."""

    def files(self, ports: list[Port]) -> dict[str, str]:
        """Return the modules of AXI4-Stream, and the one around them."""
        return {**super().files(ports), f"{self.name}_{self.wrapper}": self._around(ports)}

    def top(self, ports: list[Port]) -> tuple[str, list[Port]]:
        """Return the network with the users of its terminals."""
        every = [*split(super().top(ports)[1])[1], *self.user_ports()]
        return f"{self.name}_{self.wrapper}", every

    def pins(self) -> tuple[str, tuple[int, ...]]:
        """Return the module to instantiate."""
        return f"{self.name}_{self.wrapper}", ()

    def _around(self, ports: list[Port]) -> str:
        """Return the module around the network."""
        name, every = self.top(ports)
        network, inner = super().top(ports)
        wires = split(inner)[0]
        body = [
            *(f"  wire {declaration(port).partition(' ')[2]};" for port in wires),
            instance(network, "network", passed(inner)),
            *self.users(wires),
        ]
        return f"// {network} with {self.wraps} at every terminal.\n" + module(name, every, body)

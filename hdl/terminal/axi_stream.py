"""AXI4-Stream terminals; the twin of fingerpost.golden.terminal.axi_stream."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, ClassVar

from amaranth import Cat, Module
from amaranth.lib.fifo import SyncFIFO
from amaranth.lib.wiring import Component, In, Member, Out, connect, flipped

from fingerpost.golden.header import bits
from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.network.network import Network
from fingerpost.golden.terminal import AxiStreamTerminal
from fingerpost.golden.terminal.beat import AXI_COUNTERS, AxiLayout
from fingerpost.golden.terminal.flow_layout import FlowControl, FlowLayout
from fingerpost.golden.topology.base import NodeType
from fingerpost.hdl.bus.axi_stream import AxiStreamSignature
from fingerpost.hdl.lib.ports import Port, identifier, part
from fingerpost.hdl.terminal.axi_classes import Pair, join_classes
from fingerpost.hdl.terminal.axi_receiver import AxiReceiver
from fingerpost.hdl.terminal.axi_sender import AxiSender
from fingerpost.hdl.terminal.base import Local, TerminalEnd
from fingerpost.hdl.terminal.crossing import Crossing
from fingerpost.hdl.terminal.endpoints import Concentrator, Distributor
from fingerpost.hdl.terminal.flow_interface import FlowInterface
from fingerpost.hdl.terminal.headers import alike, header_tables, table_name
from fingerpost.hdl.terminal.pace import Pace
from fingerpost.hdl.terminal.separate import payload, separate, separated
from fingerpost.hdl.terminal.shared import shared
from fingerpost.hdl.terminal.stored_sender import StoredSender

__all__ = ["AxiStreamTerminalEnd"]

INJECTION = """
tdest of the first beat of a packet is the number of its destination; later beats ignore it
tkeep counts in the last beat only: all bytes up to its highest set bit are carried
tuser of the last beat is 1 if the packet is bad; it is delivered with that mark
a packet to a number without a terminal is accepted, dropped whole, and counted in refused
during reset nothing is sent
""".strip().splitlines()
"""What a terminal may send."""

HOLDS = "a packet holds virtual channels until its tlast: have it complete before it is sent"
STORED = "a packet enters the network when it is complete"
"""What holds of a packet that is sent beat by beat, and of one that waits until it is complete."""

HANDSHAKE = "AXI4-Stream: tvalid and its payload hold until tready; tready "
INDEPENDENT, TURNS = "does not wait for tvalid", "waits for tvalid: endpoints take turns"
"""What holds of the handshake of terminals, and of endpoints that share one."""

EJECTION = """
AXI4-Stream: tvalid and its payload hold until tready; tvalid does not wait for tready
beats of a packet arrive in order, not interleaved with other packets
tuser is {source, error}; tdest is the number of the terminal itself
error is 1 in the last beat of a packet that its sender marked or that was truncated
the last beat of a truncated packet holds no data of the sender
""".strip().splitlines()
"""What a terminal receives."""

SHARED = """
tdest and the source in tuser are numbers of endpoints: endpoint e of node v has v * endpoints + e
endpoints of a terminal take turns, packet by packet: a pause inside a packet holds up the others
an endpoint that does not take a packet holds up the packets of the others of its terminal
""".strip().splitlines()
"""What holds for both if endpoints share a terminal."""

CLASSES = """
each message class has streams of its own, which never wait for other classes
""".strip().splitlines()
"""The same with several message classes."""


class AxiStreamTerminalEnd(TerminalEnd):
    """An interface at every terminal that makes flits of beats, and beats of flits.

    There is a pair of streams for each message class: pair node * classes + class has that part of
    each port of the network. Of a node, each of these ports has a part for each class. It has them
    instead of its router's for the terminal:

    s_axis : ``In(AxiStreamSignature)``     What the terminal sends.
    m_axis : ``Out(AxiStreamSignature)``    What it gets.
    head, known                             Those of `AxiSender`, from the table of headers.
    refused, expired : ``Out(8)``           Its counters.
    """

    network: Network | DeflectionNetwork
    kind: ClassVar[str] = AxiStreamTerminal.kind
    adds: ClassVar[str] = "AXI4-Stream interface"
    begins: ClassVar[str] = "the first beat is taken: s_axis_tvalid and s_axis_tready are high"
    ends: ClassVar[str] = "m_axis_tvalid and m_axis_tlast are high"

    @cached_property
    def layout(self) -> AxiLayout:
        """Return the layouts of flits."""
        flow = self.flow
        return FlowLayout.controlled(self.network, flow) if flow else AxiLayout.of(self.network)

    @cached_property
    def flow(self) -> FlowControl | None:
        """Return the end-to-end flow control, if there is one."""
        terminal = self.network.terminal
        return terminal.flow(self.network) if isinstance(terminal, AxiStreamTerminal) else None

    @property
    def classes(self) -> int:
        """Return the streams of a terminal, each way."""
        return self.network.classes

    @property
    def store(self) -> int:
        """Return the beats of the queue in which packets wait until they are complete, or 0."""
        terminal = self.network.terminal
        return terminal.store if isinstance(terminal, AxiStreamTerminal) else 0

    @cached_property
    def _alike(self) -> bool:
        """Return whether all terminals look up the same headers."""
        return alike(self.network)

    @property
    def longest(self) -> int | None:
        """Return the beats of the longest packet that a user can send; None: there is no limit."""
        return self.network.terminal.longest

    @property
    def numbers(self) -> list[int]:
        """Return the numbers by which users address the endpoints of all terminals."""
        return self.network.terminal.numbers(self.network.topology.terminals)

    @property
    def timeout(self) -> int:
        """Return the cycles after which a packet that waits is closed; 0: never."""
        return self.network.terminal.describe()["timeout"]

    def members(self, router: Local) -> dict[str, Member]:
        """Return the streams, what the table says, and the counters."""
        if not router.node_type.terminal:
            return {}
        layout, classes = self.layout, self.classes
        number = layout.number
        return {
            "s_axis": In(AxiStreamSignature(layout.bytes, user=1, streams=classes)),
            "m_axis": Out(AxiStreamSignature(layout.bytes, user=number + 1, streams=classes)),
            **self._others,
        }

    @property
    def _others(self) -> dict[str, Member]:
        """Return the ports of a node beside its streams: to its table of headers, and counters."""
        layout, classes = self.layout, self.classes
        counters = {counter.name: Out(counter.width * classes) for counter in AXI_COUNTERS}
        if not self.flow:
            number = layout.number * classes
            asks = {"dest": In(number), "peer": Out(number)} if self.store else {}
            head = {"head": In(layout.head.width * classes), "known": In(classes)}
            return {**asks, **head, **counters}
        return {
            "dest": In(layout.number * classes),
            "peer": Out(layout.number * classes),
            "header": In(layout.header * classes),
            "known": In(classes),
            "source": In(layout.number * classes),
            **counters,
        }

    def join(self, m: Module, node: Any, router: Local) -> None:
        """Stand a sender and a receiver between the router and the streams."""
        if not router.node_type.terminal:
            return
        if self.classes > 1:
            pairs = [self._pair(m, c, router) for c in range(self.classes)]
            join_classes(m, node, router, pairs, self._others)
            if self.flow:
                self._pace(m, self.flow, [pair.receive for pair in pairs])
            return
        if self.flow:
            m.submodules.axi_interface = interface = self._interface(router, self.flow)
            self._pace(m, self.flow, [interface])
            connect(m, flipped(node.s_axis), interface.s_axis)
            if self.network.single_flit:
                self._single_flits(m, interface, router)
            else:
                connect(m, interface.inject, router.inject)
                connect(m, router.eject, interface.eject)
            connect(m, interface.m_axis, flipped(node.m_axis))
            for name, member in self._others.items():
                inner, outer = getattr(interface, name), getattr(node, name)
                m.d.comb += outer.eq(inner) if member.flow == Out else inner.eq(outer)
            return
        m.submodules.axi_sender = sender = self._sender(router)
        m.submodules.axi_receiver = receiver = AxiReceiver(
            self.layout, flit_width=router.flit_width, depth=self.network.buffer_depth
        )
        connect(m, flipped(node.s_axis), sender.stream)
        connect(m, sender.inject, router.inject)
        connect(m, router.eject, receiver.eject)
        connect(m, receiver.stream, flipped(node.m_axis))
        m.d.comb += [sender.head.eq(node.head), sender.known.eq(node.known)]
        if isinstance(sender, StoredSender):
            m.d.comb += [sender.dest.eq(node.dest), node.peer.eq(sender.peer)]
        for counter in AXI_COUNTERS:
            count: Any = getattr(node, counter.name)
            m.d.comb += count.eq(getattr(sender, counter.name))

    def _single_flits(self, m: Module, interface: FlowInterface, router: Local) -> None:
        """Let flits wait for a place in a router without buffers; take what it ejects, always."""
        inject, eject = interface.inject, interface.eject
        m.submodules.axi_queue = queue = SyncFIFO(
            width=len(router.inject.destination) + router.flit_width,
            depth=self.network.terminal_depth,
        )
        leaves = queue.r_rdy & router.inject.ready
        m.d.comb += [
            queue.w_en.eq(inject.valid),
            queue.w_data.eq(Cat(interface.dest_out, inject.flit.data)),
            router.inject.valid.eq(queue.r_rdy),
            Cat(router.inject.destination, router.inject.data).eq(queue.r_data),
            queue.r_en.eq(leaves),
            *(router.eject.ready.eq(1), eject.valid.eq(router.eject.valid)),
            *(eject.flit.data.eq(router.eject.data), eject.flit.head.eq(1), eject.flit.tail.eq(1)),
        ]
        m.d.sync += inject.credit.eq(leaves)

    def _pair(self, m: Module, c: int, router: Local) -> Pair:
        """Add the interface of a class."""
        if self.flow:
            m.submodules[f"axi_interface{c}"] = both = self._interface(router, self.flow)
            return Pair(both, both, both.s_axis, both.m_axis)
        m.submodules[f"axi_sender{c}"] = sender = self._sender(router, shared=True)
        m.submodules[f"axi_receiver{c}"] = receiver = AxiReceiver(
            self.layout, flit_width=router.flit_width, depth=self.network.buffer_depth
        )
        return Pair(sender, receiver, sender.stream, receiver.stream)

    def _sender(self, router: Local, *, shared: bool = False) -> Any:
        """Return a sender without flow control."""
        options = {"flit_width": router.flit_width, "credits": self.network.terminal_depth}
        if self.store:
            return StoredSender(self.layout, store=self.store, shared=shared, **options)
        return AxiSender(self.layout, timeout=self.timeout, shared=shared, **options)

    def _interface(self, router: Local, flow: FlowControl) -> FlowInterface:
        """Return an interface with flow control."""
        assert isinstance(self.layout, FlowLayout)
        return FlowInterface(
            self.layout,
            flow,
            flit_width=router.flit_width,
            credits=self.network.terminal_depth,
            shared=self.classes > 1,
        )

    def _pace(self, m: Module, flow: FlowControl, interfaces: list[FlowInterface]) -> None:
        """Let the interfaces of a terminal share the pace of its port."""
        m.submodules.axi_pace = pace = Pace(flow, len(interfaces))
        m.d.comb += [
            pace.arrives.eq(Cat(each.eject.valid for each in interfaces).any()),
            pace.invites.eq(Cat(each.invites for each in interfaces).any()),
        ]
        for c, each in enumerate(interfaces):
            m.d.comb += [each.open.eq(pace.open), getattr(pace, f"invited_{c}").eq(each.invited)]

    def ports(self) -> list[Port]:
        """Return both streams of all terminals, and what is counted."""
        return [*self.streams(), *self.counters()]

    def counters(self) -> list[Port]:
        """Return what is counted at all terminals."""
        n = self.network.topology.nodes * self.classes
        return [
            Port(c.name, "output", n * c.width, f"{c.meaning}; saturates at {c.most}")
            for c in self.network.terminal.counters
        ]

    def streams(self) -> list[Port]:
        """Return both streams of all terminals."""
        return self._streams(self.network.topology.nodes, self.layout.number)

    def endpoint_streams(self) -> list[Port]:
        """Return both streams of all endpoints, side by side as those of terminals."""
        count = self.network.terminal.endpoints
        if count == 1:
            return self.streams()
        return self._streams(self.network.topology.nodes * count, self.layout.number + bits(count))

    def _streams(self, places: int, number: int) -> list[Port]:
        bytes, n = self.layout.bytes, places * self.classes
        keep = [("tkeep", bytes, "bytes in use; all, except in the last beat")] if bytes > 1 else []
        common = [
            ("tdata", 8 * bytes, "data"),
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
        topology = self.network.topology
        yield "// AXI4-Stream; terminal v has the v-th part of each port." + (
            f" A part has {self.classes} parts, one for each class." if self.classes > 1 else ""
        )
        if len(topology.terminals) < topology.nodes:
            yield "// Some nodes have no terminal: their ports are unused."

    def wires(self) -> Iterator[str]:
        """Look up the headers, and tell every terminal its number."""
        number = self.layout.number
        for node in self.network.topology.terminals.tolist():
            yield from self.table(node)
        for stream in range(self.network.topology.nodes * self.classes):
            node = stream // self.classes
            yield f"  assign {part('m_axis_tdest', stream, number)} = {number}'d{node};"

    def table(self, node: int) -> Iterator[str]:
        """Look up the headers of what a terminal sends."""
        table = table_name(identifier(self.network.name), None if self._alike else node)
        for c, at in enumerate(self._at(node)):
            asked = self.tdest(node * self.classes + c)
            if self.flow or self.store:
                asked = f"peer_{at}"
                yield f"  wire [{self.layout.number - 1}:0] {asked};"
            yield (
                f"  wire [{self.layout.header - 1}:0] header_{at}; wire known_{at};\n"
                f"  {table} table_{at}(.tdest({asked}), "
                f".header(header_{at}), .known(known_{at}));"
            )

    def _at(self, node: int) -> list[str]:
        """Return what the names of the streams of a node end in."""
        return [f"{node}_{c}" for c in range(self.classes)] if self.classes > 1 else [str(node)]

    def tdest(self, stream: int) -> str:
        """Return the destination of a stream's packets, as an expression of Verilog."""
        return part("s_axis_tdest", stream, self.layout.number)

    def connections(self, node: int) -> Iterator[str]:
        """Connect the streams of a node; without a terminal it has none."""
        if not self.network.topology.node_type[node].terminal:
            return
        for port in self.streams():
            if not port.name.endswith("tdest"):
                inside = port.name.replace("axis_", "axis__")
                yield f".{inside}({self._of_node(port, node)})"
        yield from self.counted(node)
        number = self.layout.number
        each = self._at(node)[::-1]
        if self.flow:
            streams = range(node * self.classes, (node + 1) * self.classes)
            for name, wires in {
                "dest": [self.tdest(stream) for stream in streams[::-1]],
                "peer": [f"peer_{at}" for at in each],
                "header": [f"header_{at}" for at in each],
                "source": [f"{number}'d{node}"] * self.classes,
                "known": [f"known_{at}" for at in each],
            }.items():
                yield f".{name}({{{', '.join(wires)}}})"
            return
        if self.store:
            streams = range(node * self.classes, (node + 1) * self.classes)
            dest = ", ".join(self.tdest(stream) for stream in streams[::-1])
            yield f".dest({{{dest}}}), .peer({{{', '.join(f'peer_{at}' for at in each)}}})"
        if self.classes > 1:
            heads = ", ".join(f"{number}'d{node}, header_{at}" for at in each)
            known = ", ".join(f"known_{at}" for at in each)
            yield f".head({{{heads}}}), .known({{{known}}})"
            return
        yield f".head({{{number}'d{node}, header_{node}}}), .known({self.known(node)})"

    def known(self, node: int) -> str:
        """Return whether there is a terminal of the number that is looked up."""
        return f"known_{node}"

    def counted(self, node: int) -> Iterator[str]:
        """Connect the counters of a node."""
        for counter in AXI_COUNTERS:
            yield f".{counter.name}({part(counter.name, node, counter.width * self.classes)})"

    def _of_node(self, port: Port, node: int) -> str:
        """Return the parts of all streams of a node."""
        if self.classes == 1:
            return self._of(port, node)
        return part(port.name, node, port.bits // self.network.topology.nodes)

    def _of(self, port: Port, stream: int) -> str:
        return part(port.name, stream, port.bits // (self.network.topology.nodes * self.classes))

    def enters(self, node: int) -> str:
        """Return whether a beat is taken."""
        return f"s_axis_tvalid[{node}] & s_axis_tready[{node}]"

    def leaves(self, node: int) -> str:
        """Return whether a beat is taken."""
        return f"m_axis_tvalid[{node}] & m_axis_tready[{node}]"

    def absent(self, node: int) -> Iterator[str]:
        """Assign 0."""
        for port in self.ports():
            if port.direction == "output" and port.name != "m_axis_tdest":
                width = port.bits // self.network.topology.nodes
                yield f"  assign {self._of_node(port, node)} = {width}'d0;"

    @property
    def _crosses(self) -> bool:
        """Return whether terminals have clocks of their own."""
        return "clock" in self.network.terminal.describe()

    def pins(self) -> tuple[str, tuple[int, ...]]:
        """Return the module with ports for each terminal, if only that has their clocks."""
        name = identifier(self.network.name)
        return f"{name}_{'streams' if self._crosses else 'network'}", ()

    def clocks(self) -> tuple[int, ...]:
        """Return all terminals, or none."""
        return tuple(self.network.topology.terminals.tolist()) if self._crosses else ()

    def sharing(self) -> tuple[Concentrator, Distributor]:
        """Return what several endpoints share a terminal by, in one message class."""
        count, layout = self.network.terminal.endpoints, self.layout
        return (
            Concentrator(count, bytes=layout.bytes, number=layout.number),
            Distributor(count, bytes=layout.bytes, number=layout.number),
        )

    def components(self) -> dict[str, Component]:
        """Return the queues between clocks, or what endpoints share a terminal by."""
        nodes, name = self.network.topology.nodes, identifier(self.network.name)
        if self.network.terminal.endpoints > 1:
            concentrator, distributor = self.sharing()
            return {f"{name}_concentrator": concentrator, f"{name}_distributor": distributor}
        if not self._crosses:
            return {}
        return {
            f"{name}_crossing_{way}": Crossing(
                sum(port.bits for port in payload(self.ports(), stream)) // nodes
            )
            for way, stream in (("in", "s_axis"), ("out", "m_axis"))
        }

    def files(self, ports: list[Port]) -> dict[str, str]:
        """Return the tables, and the network with separate ports for each terminal."""
        name = identifier(self.network.name)
        tables = "\n".join(header_tables(self.network, name).values())
        streams = separate(self.network, name, ports, crosses=self._crosses)
        files = {f"{name}_headers": tables, f"{name}_streams": streams}
        if self.network.terminal.endpoints > 1:
            files[f"{name}_endpoints"] = shared(self.network, ports, self.endpoint_ports(ports))
        return files

    def endpoint_ports(self, ports: list[Port]) -> list[Port]:
        """Return the ports of the module in which each endpoint has its own."""
        others = [port for port in ports if not port.name.startswith(("s_axis_", "m_axis_"))]
        every = [*others, *self.endpoint_streams()]
        return separated(
            self.network, every, crosses=self._crosses, endpoints=self.network.terminal.endpoints
        )

    def top(self, ports: list[Port]) -> tuple[str, list[Port]]:
        """Return the network with separate ports for each terminal, or for each endpoint."""
        part = "endpoints" if self.network.terminal.endpoints > 1 else "streams"
        return f"{identifier(self.network.name)}_{part}", self.endpoint_ports(ports)

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

    def injection(self, names: Mapping[NodeType, str]) -> dict[str, Any]:
        """Return what may be sent, and how it is carried."""
        return {
            "credits": None,
            "allowed": [self._handshake, *INJECTION, *self._entry, *self._also],
            "timeout": self.timeout,
            **({"flow_control": self._flow_facts} if self.flow else {}),
            "head": self.layout.head.describe(),
            "body": self.layout.body.describe(),
        }

    @property
    def _entry(self) -> list[str]:
        """Return how a packet enters the network."""
        if self.longest is None:
            return [HOLDS]
        long = f"a packet of more than {self.longest} beats"
        return [STORED, f"{long} is accepted, dropped whole, and counted in refused"]

    @property
    def _handshake(self) -> str:
        return HANDSHAKE + (TURNS if self.network.terminal.endpoints > 1 else INDEPENDENT)

    @property
    def _also(self) -> list[str]:
        """Return what holds of several classes, and of endpoints that share a terminal."""
        return [*CLASSES * (self.classes > 1), *SHARED * (self.network.terminal.endpoints > 1)]

    @property
    def _flow_facts(self) -> dict[str, int]:
        """Return the room that flow control keeps, in beats and units, for the manifest."""
        assert self.flow
        names = "eager", "window", "batch", "packet_limit", "receive", "arrivals", "requests"
        return {name: getattr(self.flow, name) for name in names}

    def ejection(self) -> dict[str, Any]:
        """Return what comes out."""
        return {
            "credits": None,
            "guaranteed": [*EJECTION, *self._also],
            "in_order": self.network.in_order,
        }

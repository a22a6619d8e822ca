"""AXI4-Stream terminals; the twin of fingerpost.golden.terminal.axi_stream."""

from collections.abc import Mapping
from typing import Any, ClassVar

from amaranth import Cat, Module
from amaranth.lib.fifo import SyncFIFO
from amaranth.lib.wiring import In, Member, Out, connect, flipped

from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.terminal import AxiStreamTerminal
from fingerpost.golden.terminal.beat import AXI_COUNTERS
from fingerpost.golden.terminal.flow_layout import FlowControl, FlowLayout
from fingerpost.golden.topology.base import NodeType
from fingerpost.hdl.bus.axi import AxiStreamSignature
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.ports import identifier
from fingerpost.hdl.terminal.around import payload
from fingerpost.hdl.terminal.axi_interface import AxiReceiver, Pair, join_classes
from fingerpost.hdl.terminal.axi_sender import AxiSender, StoredSender
from fingerpost.hdl.terminal.axi_text import AxiStreamTerminalText, StreamSpec, stream_spec
from fingerpost.hdl.terminal.base import LocalPort, TerminalEnd, TerminalText, TerminalWords
from fingerpost.hdl.terminal.crossing import Crossing
from fingerpost.hdl.terminal.endpoints import Concentrator, Distributor
from fingerpost.hdl.terminal.flow_interface import FlowInterface
from fingerpost.hdl.terminal.windows import Pace

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
"""What holds of the handshake of terminals, and of endpoints that share one in its clock."""

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


class AxiStreamTerminalWords(TerminalWords):
    """How beats are handed over and carried."""

    begins: ClassVar[str] = "the first beat is taken: s_axis_tvalid and s_axis_tready are high"
    ends: ClassVar[str] = "m_axis_tvalid and m_axis_tlast are high"

    def __init__(self, network: AnyNetwork) -> None:
        super().__init__(network)
        self.spec: StreamSpec = stream_spec(network)

    def injection(self, names: Mapping[NodeType, str]) -> dict[str, Any]:
        """Return what may be sent, and how it is carried."""
        return {
            "credits": None,
            "allowed": [self._handshake, *INJECTION, *self._entry, *self._also],
            "timeout": self.spec.timeout,
            **({"flow_control": self._flow_facts} if self.spec.flow else {}),
            "head": self.spec.layout.head.describe(),
            "body": self.spec.layout.body.describe(),
        }

    @property
    def _entry(self) -> list[str]:
        """Return how a packet enters the network."""
        if self.spec.longest is None:
            return [HOLDS]
        long = f"a packet of more than {self.spec.longest} beats"
        return [STORED, f"{long} is accepted, dropped whole, and counted in refused"]

    @property
    def _handshake(self) -> str:
        turns = self.spec.endpoints > 1 and not self.spec.crosses
        return HANDSHAKE + (TURNS if turns else INDEPENDENT)

    @property
    def _also(self) -> list[str]:
        """Return what holds of several classes, and of endpoints that share a terminal."""
        return [*CLASSES * (self.spec.classes > 1), *SHARED * (self.spec.endpoints > 1)]

    @property
    def _flow_facts(self) -> dict[str, int]:
        """Return the room that flow control keeps, in beats and units, for the manifest."""
        assert self.spec.flow
        names = "eager", "window", "batch", "packet_limit", "receive", "arrivals", "requests"
        return {name: getattr(self.spec.flow, name) for name in names}

    def ejection(self) -> dict[str, Any]:
        """Return what comes out."""
        return {
            "credits": None,
            "guaranteed": [*EJECTION, *self._also],
            "in_order": self.network.in_order,
        }


class AxiStreamTerminalEnd(TerminalEnd):
    """An interface at every terminal that makes flits of beats, and beats of flits.

    There is a pair of streams for each message class: pair terminal * classes + class has that part
    of each port of the network. Of a node, each of these ports has a part for each class. It has
    them instead of its router's for a terminal; those of others are s_axis1, s_axis2 ...:

    s_axis : ``In(AxiStreamSignature)``     What the terminal sends.
    m_axis : ``Out(AxiStreamSignature)``    What it gets.
    head, known                             Those of `AxiSender`, from the table of headers.
    refused, expired : ``Out(8)``           Its counters.
    """

    kind: ClassVar[str] = AxiStreamTerminal.kind
    adds: ClassVar[str] = "AXI4-Stream interface"
    text_type: ClassVar[type[TerminalText]] = AxiStreamTerminalText
    words_type: ClassVar[type[TerminalWords]] = AxiStreamTerminalWords
    text: AxiStreamTerminalText

    def __init__(self, network: AnyNetwork) -> None:
        super().__init__(network)
        self.spec: StreamSpec = stream_spec(network)

    def own(self) -> dict[str, Member]:
        """Return the streams, what the table says, and the counters."""
        layout, classes = self.spec.layout, self.spec.classes
        number = layout.number
        return {
            "s_axis": In(AxiStreamSignature(layout.data_width, user=1, streams=classes)),
            "m_axis": Out(AxiStreamSignature(layout.data_width, user=number + 1, streams=classes)),
            **self._others,
        }

    @property
    def _others(self) -> dict[str, Member]:
        """Return the ports of a node beside its streams: to its table of headers, and counters."""
        spec, classes = self.spec, self.spec.classes
        number = spec.layout.number * classes
        asks = {"dest": In(number), "peer": Out(number)} if spec.asks else {}
        table = {"head": In(spec.layout.head.width * classes), "known": In(classes)}
        if spec.flow:
            header = In(spec.layout.header * classes)
            table = {"header": header, "known": In(classes), "source": In(number)}
        counters = {counter.name: Out(counter.width * classes) for counter in AXI_COUNTERS}
        return {**asks, **table, **counters}

    def join_one(self, m: Module, node: Any, router: LocalPort) -> None:
        """Stand a sender and a receiver between the router and the streams, for each class."""
        classes, flow = self.spec.classes, self.spec.flow
        pairs = [self._pair(m, f"{c}" * (classes > 1), router) for c in range(classes)]
        if classes > 1:
            join_classes(m, node, router, pairs, self._others)
        if flow:
            self._pace(m, router, flow, [pair.receive for pair in pairs])
        if classes == 1:
            self._join_only(m, node, router, pairs[0])

    def _join_only(self, m: Module, node: Any, router: LocalPort, pair: Pair) -> None:
        """Join the interface of the only class with the router and the ports of the node."""
        connect(m, flipped(node.s_axis), pair.s_axis)
        if self.network.single_flit:
            self._single_flits(m, pair.send, router)
        else:
            connect(m, pair.send.inject, router.inject)
            connect(m, router.eject, pair.receive.eject)
        connect(m, pair.m_axis, flipped(node.m_axis))
        for name, member in self._others.items():
            inner, outer = getattr(pair.send, name), getattr(node, name)
            m.d.comb += outer.eq(inner) if member.flow == Out else inner.eq(outer)

    def _single_flits(self, m: Module, interface: FlowInterface, router: LocalPort) -> None:
        """Let flits wait for a place in a router without buffers; take what it ejects, always."""
        inject, eject = interface.inject, interface.eject
        m.submodules[router.named("axi_queue")] = queue = SyncFIFO(
            width=len(router.inject.destination) + self.network.flit_width,
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

    def _pair(self, m: Module, number: str, router: LocalPort) -> Pair:
        """Add the interface of a class; its submodules have that number."""
        spec, network = self.spec, self.network
        if spec.flow:
            assert isinstance(spec.layout, FlowLayout)
            m.submodules[router.named(f"axi_interface{number}")] = both = FlowInterface(
                spec.layout,
                spec.flow,
                flit_width=network.flit_width,
                credits=network.terminal_depth,
                shared=spec.classes > 1,
            )
            return Pair(both, both, both.s_axis, both.m_axis)
        m.submodules[router.named(f"axi_sender{number}")] = sender = self._sender()
        m.submodules[router.named(f"axi_receiver{number}")] = receiver = AxiReceiver(
            spec.layout, flit_width=network.flit_width, depth=network.buffer_depth
        )
        return Pair(sender, receiver, sender.stream, receiver.stream)

    def _sender(self) -> Any:
        """Return a sender without flow control."""
        spec, shared = self.spec, self.spec.classes > 1
        options = {"flit_width": self.network.flit_width, "credits": self.network.terminal_depth}
        if spec.store:
            return StoredSender(spec.layout, store=spec.store, shared=shared, **options)
        return AxiSender(spec.layout, timeout=spec.timeout, shared=shared, **options)

    def _pace(
        self, m: Module, router: LocalPort, flow: FlowControl, interfaces: list[FlowInterface]
    ) -> None:
        """Let the interfaces of a terminal share the pace of its port."""
        m.submodules[router.named("axi_pace")] = pace = Pace(flow, len(interfaces))
        m.d.comb += [
            pace.arrives.eq(Cat(each.eject.valid for each in interfaces).any()),
            pace.invites.eq(Cat(each.invites for each in interfaces).any()),
        ]
        for c, each in enumerate(interfaces):
            m.d.comb += [each.open.eq(pace.open), getattr(pace, f"invited_{c}").eq(each.invited)]

    def sharing(self) -> tuple[Concentrator, Distributor]:
        """Return what several endpoints share a terminal by, in one message class."""
        count, layout = self.spec.endpoints, self.spec.layout
        return (
            Concentrator(count, bytes=layout.bytes, number=layout.number),
            Distributor(count, bytes=layout.bytes, number=layout.number),
        )

    def components(self) -> dict[str, Component]:
        """Return what endpoints share a terminal by, and the queues between clocks."""
        spec, name, found = self.spec, identifier(self.network.name), dict[str, Component]()
        if spec.endpoints > 1:
            concentrator, distributor = self.sharing()
            found = {f"{name}_concentrator": concentrator, f"{name}_distributor": distributor}
        streams, several = self.text.endpoint_streams(), spec.streams * spec.endpoints
        for way, stream in (("in", "s_axis"), ("out", "m_axis")) if spec.crosses else ():
            width = sum(port.bits for port in payload(streams, stream)) // several
            found[f"{name}_crossing_{way}"] = Crossing(width)
        return found

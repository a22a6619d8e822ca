"""Admission: the way of every arriving flit, and what to do with malformed ones."""

from amaranth import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.data import StructLayout, View
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from golden.routing import Routing
from hdl.link import flit_layout
from hdl.logic import encode
from hdl.routing import routing_unit
from hdl.routing.base import struct

__all__ = ["Admission", "way_layout"]


def way_layout(ports: int, channels: int) -> StructLayout:
    """Return where a flit goes: port and channel of output, one-hot (no port: drain it); framing.

    Towards the terminal the channel means nothing.
    """
    return StructLayout({"port": ports, "channel": channels, "head": 1, "tail": 1})


class Admission(wiring.Component):
    """Give every arriving flit its way; combinational.

    A head is routed, and what follows on its channel up to the tail takes the same way. A packet
    whose header names no node, and a body flit outside any packet, are given no way: they will
    be drained. A head inside a packet is taken for a body flit. Each of these is an error.

    Parameters
    ----------
    routing : Routing
    port : int
        The input port.
    channels, outgoing : int
        Virtual channels of this input, and of the links.
    flit_width : int

    Members
    -------
    straps : ``In(routing.straps)``    Constants of the node.
    turns : ``In(ports)``              From here to which outputs a packet is raised.
    hint : ``In(hint)``                What the decision is told besides, if it takes something.
    valid : ``In(channels)``           The channel of the arriving flit, one-hot; 0: none.
    flit : ``In(flit_layout)``         The flit.
    header : ``In(header)``            If it is a head, its header.
    refused : ``In(1)``                If it is a head, its header names no node.
    way : ``Out(way_layout)``          Where it goes.
    data : ``Out(flit_width)``         Its data, with the next header if it is a head.
    error : ``Out(1)``                 It is malformed.
    """

    straps: View
    turns: Signal
    hint: Signal
    valid: Signal
    flit: View
    header: View
    refused: Signal
    way: View
    data: Signal
    error: Signal

    def __init__(
        self, routing: Routing, *, port: int, channels: int, outgoing: int, flit_width: int
    ) -> None:
        self.routing, self.port = routing, port
        self.channels, self.outgoing, self.flit_width = channels, outgoing, flit_width
        self.ports = routing.topology.degree + 1
        super().__init__(
            {
                "straps": In(struct(routing.straps)),
                "turns": In(self.ports),
                **({"hint": In(routing.hint_width)} if routing.hint else {}),
                "valid": In(channels),
                "flit": In(flit_layout(flit_width)),
                "header": In(struct(routing.header)),
                "refused": In(1),
                "way": Out(way_layout(self.ports, outgoing)),
                "data": Out(flit_width),
                "error": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Route a head; remember its way for the rest of its packet."""
        m = Module()
        m.submodules.routing = unit = routing_unit(self.routing)
        header_width = self.routing.header.width
        inside = Signal(self.channels)  # per channel: between a head and its tail
        follows, head, lost = Signal(), Signal(), Signal()
        arrives = self.valid.any()
        m.d.comb += [
            unit.straps.eq(self.straps),
            unit.arrival.eq(self.port),
            unit.header.eq(self.header),
            follows.eq((inside & self.valid).any()),
            head.eq(self.flit.head & ~follows),
            lost.eq(self.refused | unit.error),
            self.error.eq(arrives & Mux(self.flit.head, follows | lost, ~follows)),
        ]

        if self.routing.hint:
            m.d.comb += unit.hint.eq(self.hint)
        raises = self.turns.bit_select(unit.port, 1)
        same = self.valid if self.channels > 1 else Const(1, self.outgoing)
        raised = Cat(0, same)[: self.outgoing] | (same[-1] << (self.outgoing - 1))

        packet = StructLayout({"port": self.ports, "channel": self.outgoing})
        packets: Memory = Memory(shape=packet, depth=max(2, self.channels), init=[])
        m.submodules.packets = packets
        current, remember = packets.read_port(domain="comb"), packets.write_port()
        m.d.comb += [
            current.addr.eq(encode(self.valid)),
            remember.addr.eq(encode(self.valid)),
            remember.en.eq(arrives & head),
            remember.data.port.eq(self.way.port),
            remember.data.channel.eq(self.way.channel),
            self.way.head.eq(head),
            self.way.tail.eq(self.flit.tail),
            self.data.eq(self.flit.data),
        ]
        with m.If(head):
            m.d.comb += self.data[:header_width].eq(unit.next_header)
            with m.If(~lost):
                m.d.comb += self.way.port.eq(1 << unit.port)
            m.d.comb += self.way.channel.eq(Mux(raises, raised, same))
        with m.Elif(follows):
            m.d.comb += [
                self.way.port.eq(current.data.port),
                self.way.channel.eq(current.data.channel),
            ]
        for v in range(self.channels):
            with m.If(self.valid[v]):
                m.d.sync += inside[v].eq((head | follows) & ~self.flit.tail)
        return m

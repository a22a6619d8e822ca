"""An input port: a queue for every channel, and the flit that it nominates."""

from typing import Any

from amaranth import Array, Cat, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from golden.header import bits
from golden.routing import Routing
from hdl.admission import Admission, way_layout
from hdl.link import LinkSignature, flit_layout
from hdl.logic import bar, encode, select
from hdl.routing.base import struct

__all__ = ["InputPort"]


class InputPort(wiring.Component):
    """Keep the flits of one link, and nominate one of them in each cycle.

    A flit gets its way and is written while it is on the link. From the next cycle on it may be
    the nominee, which the outputs see. When it is taken its credit goes back. A nominee without
    a way is drained.

    The nominee asks for its output in its first cycle, and then as long as it was ready in the
    cycle before. One that was not ready steps aside for the other channels, and does not ask at
    once when its turn comes again. So asking does not wait for the credits, which keeps the path
    short, and a blocked channel costs the others one cycle in a round.

    Parameters
    ----------
    routing : Routing
    port : int
        Which input port this is.
    channels, outgoing : int
        Virtual channels of this input, and of the links.
    depth : int
        Flits that each channel can hold.
    flit_width : int

    Members
    -------
    straps, turns, hint : ``In``         As for `Admission`.
    header, refused : ``In``             As for `Admission`.
    link : ``In(LinkSignature)``         Flits in, credits out.
    asks : ``Out(1)``                    There is a nominee, and it asks for its output.
    aside : ``Out(1)``                   There is a nominee, and it does not ask.
    eager : ``Out(1)``                   The nominee is a head in its first cycle.
    nominee : ``Out(way_layout)``        Where it wants to go.
    flit : ``Out(flit_layout)``          The nominee itself.
    ready : ``In(1)``                    Its channel has room and is not held by another packet.
    granted : ``In(1)``                  Its output takes it.
    error : ``Out(1)``                   The arriving flit is malformed.
    """

    straps: data.View
    turns: Signal
    hint: Signal
    header: data.View
    refused: Signal
    link: Any
    asks: Signal
    aside: Signal
    eager: Signal
    nominee: data.View
    flit: data.View
    ready: Signal
    granted: Signal
    error: Signal

    def __init__(
        self,
        routing: Routing,
        *,
        port: int,
        channels: int,
        outgoing: int,
        depth: int,
        flit_width: int,
    ) -> None:
        self.routing, self.port = routing, port
        self.channels, self.outgoing = channels, outgoing
        self.depth, self.flit_width = depth, flit_width
        self.ports = routing.topology.degree + 1
        super().__init__(
            {
                "straps": In(struct(routing.straps)),
                "turns": In(self.ports),
                **({"hint": In(routing.hint_width)} if routing.hint else {}),
                "header": In(struct(routing.header)),
                "refused": In(1),
                "link": In(LinkSignature(channels=channels, flit_width=flit_width)),
                "asks": Out(1),
                "aside": Out(1),
                "eager": Out(1),
                "nominee": Out(way_layout(self.ports, outgoing)),
                "flit": Out(flit_layout(flit_width)),
                "ready": In(1),
                "granted": In(1),
                "error": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Admission, queues, nominee: the stages of a flit in their order."""
        m = Module()
        link = self.link
        channel, pointer = Signal(bits(self.channels)), Signal(bits(self.depth))  # of the nominee

        def after(place: Value) -> Value:
            """Return the place after `place` in a queue."""
            return Mux(place == self.depth - 1, 0, place + 1)[: bits(self.depth)]

        def address(v: Value, place: Value) -> Value:
            """Return the row of a place of channel v."""
            return Cat(place, v) if self.channels > 1 else place

        m.submodules.admission = admission = Admission(
            self.routing,
            port=self.port,
            channels=self.channels,
            outgoing=self.outgoing,
            flit_width=self.flit_width,
        )
        m.d.comb += [
            admission.straps.eq(self.straps),
            admission.turns.eq(self.turns),
            admission.valid.eq(link.valid),
            admission.flit.eq(link.flit),
            admission.header.eq(self.header),
            admission.refused.eq(self.refused),
            self.error.eq(admission.error),
        ]

        if self.routing.hint:
            m.d.comb += admission.hint.eq(self.hint)

        # Queues. The way of a flit is read one cycle before its data: it has a memory of its own.
        rows = self.channels << bits(self.depth)
        store: Memory = Memory(shape=self.flit_width, depth=rows, init=[])
        ways: Memory = Memory(shape=admission.way.shape(), depth=rows, init=[])
        m.submodules.data, m.submodules.ways = store, ways
        newest, oldest = (
            [Signal(bits(self.depth), name=f"{name}{v}") for v in range(self.channels)]
            for name in ("newest", "oldest")  # newest: where the next flit is written
        )
        arriving, place = encode(link.valid), Signal(bits(self.depth))
        m.d.comb += place.eq(select(link.valid, newest))
        for memory, content in ((store, admission.data), (ways, admission.way)):
            write = memory.write_port()
            m.d.comb += [
                write.addr.eq(address(arriving, place)),
                write.data.eq(content),
                write.en.eq(link.valid.any()),
            ]
        # A flit that has gone is counted when its credit is on the link, one cycle late: see
        # `OutputPort`.
        waits, follows = Signal(self.channels), Signal(self.channels)  # at least 1, at least 2
        for v in range(self.channels):
            gone = link.credit[v]
            level = bar(m, f"level{v}", self.depth, up=link.valid[v], down=gone)
            some, several, many = (level[i] if i < self.depth else 0 for i in range(3))
            m.d.comb += [
                waits[v].eq(Mux(gone, several, some)),
                follows[v].eq(Mux(gone, many, several)),
            ]

        # The nominee. It makes room for the next once it is taken, or if it does not get ahead.
        nominated = Signal()
        drain, taken, move = Signal(), Signal(), Signal()
        more, another, leave = Signal(), Signal(), Signal()
        stalled = Signal(self.channels)  # per channel: its nominee was not ready
        other = Signal(bits(self.channels))
        with m.Switch(channel):
            for v in range(self.channels):
                with m.Case(v):
                    m.d.comb += more.eq(follows[v])
                    for step in reversed(range(1, self.channels)):
                        u = (v + step) % self.channels
                        with m.If(waits[u]):
                            m.d.comb += [another.eq(1), other.eq(u)]
        m.d.comb += [
            self.aside.eq(nominated & ~self.asks),
            drain.eq(nominated & ~self.nominee.port.any()),
            taken.eq(self.granted | drain),
            leave.eq(another & (self.nominee.tail | ~more | ~self.asks)),
            move.eq(taken | ~nominated | (another & ~self.asks & ~self.ready)),
        ]
        next_channel, next_pointer = Signal.like(channel), Signal.like(pointer)
        next_way = ways.read_port(domain="comb")
        m.d.comb += [
            next_channel.eq(Mux(leave, other, channel)),
            next_pointer.eq(Mux(leave, Array(oldest)[other], after(pointer))),
            next_way.addr.eq(address(next_channel, next_pointer)),
        ]
        with m.If(nominated):
            m.d.sync += stalled.bit_select(channel, 1).eq(~self.ready & ~drain)
        with m.If(~move):
            m.d.sync += [self.asks.eq(self.ready), self.eager.eq(0)]
        with m.Elif(leave | more):
            m.d.sync += [
                nominated.eq(1),
                self.asks.eq(~stalled.bit_select(next_channel, 1)),
                self.nominee.eq(next_way.data),
                self.eager.eq(next_way.data.head),
                channel.eq(next_channel),
                pointer.eq(next_pointer),
            ]
        with m.Else():  # nothing waits: nominate what arrives
            m.d.sync += [
                nominated.eq(link.valid.any()),
                self.asks.eq(link.valid.any()),
                self.nominee.eq(admission.way),
                self.eager.eq(admission.way.head),
                channel.eq(arriving),
                pointer.eq(place),
            ]
        for v in range(self.channels):
            goes = taken & (channel == v)
            m.d.sync += link.credit[v].eq(goes)
            with m.If(goes):
                m.d.sync += oldest[v].eq(after(pointer))
            with m.If(link.valid[v]):
                m.d.sync += newest[v].eq(after(newest[v]))

        fetch = store.read_port(domain="comb")
        m.d.comb += [
            fetch.addr.eq(address(channel, pointer)),
            self.flit.head.eq(self.nominee.head),
            self.flit.tail.eq(self.nominee.tail),
            self.flit.data.eq(fetch.data),
        ]
        return m

"""Several endpoints behind one terminal."""

from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from fingerpost.golden.header import bits
from fingerpost.golden.terminal.beat import first_beat
from fingerpost.hdl.bus.axi import AxiStreamSignature
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.header import struct
from fingerpost.hdl.lib.logic import encode, select
from fingerpost.hdl.router.switch_allocator import Arbiter


class Concentrator(Component):
    """Send the packets of several endpoints through one terminal, packet by packet.

    An endpoint that offers a beat is chosen, the least recently chosen first. The first beat
    that is sent has its number and that of the endpoint at the destination; all beats of its
    packet follow. The next is chosen in the cycle of the last beat.

    With packets of one beat, of endpoint 0 and then 1, and a terminal that takes every beat, where
    F names the endpoints and B is a beat of one::

        cycle             0    1    2    3    4    5
        sources.tvalid    01   11   11   10   10   00
        chosen            00   01   01   10   10   00
        sources.tready    00   00   01   00   10   00
        stream.tvalid     0    1    1    1    1    0
        stream.tdata           F0   B0   F1   B1

    Parameters
    ----------
    endpoints : int
        A power of two.
    bytes : int
        Of a beat.
    number : int
        Bits of the number of a node.

    Members
    -------
    sources : ``In(AxiStreamSignature)``    Endpoint e has the e-th part.
    dest : ``In``                           Numbers of endpoints to which they send.
    stream : ``Out(AxiStreamSignature)``    To the terminal.
    tdest : ``Out(number)``                 The node to which the packet goes.
    """

    def __init__(self, endpoints: int, *, bytes: int, number: int) -> None:
        self.endpoints, self.bytes, self.number = endpoints, bytes, number
        self.width = bits(endpoints)
        super().__init__(
            sources=In(AxiStreamSignature(8 * bytes, user=1, streams=endpoints)),
            dest=In((number + self.width) * endpoints),
            stream=Out(AxiStreamSignature(8 * bytes, user=1)),
            tdest=Out(number),
        )

    def elaborate(self, platform: object) -> Module:
        """Choose an endpoint, and join it with the terminal."""
        m = Module()
        sources, stream, every = self.sources, self.stream, range(self.endpoints)
        m.submodules.arbiter = arbiter = Arbiter(self.endpoints)
        chosen = Signal(self.endpoints)  # one-hot, or 0
        begun, ends, chooses = Signal(), Signal(), Signal()
        first: Any = Signal(struct(first_beat(self.endpoints)))

        def of_chosen(ports: Any, one_hot: Signal) -> Any:
            size = len(ports) // self.endpoints
            return select(one_hot, [ports.word_select(e, size) for e in every])

        dest = of_chosen(self.dest, arbiter.grant)
        m.d.comb += [
            ends.eq(begun & stream.tvalid & stream.tready & stream.tlast),
            chooses.eq(~chosen.any() | ends),
            arbiter.request.eq(sources.tvalid & ~(chosen & ends.replicate(self.endpoints))),
            arbiter.update.eq(arbiter.grant & chooses.replicate(self.endpoints)),
            stream.tvalid.eq(Mux(begun, (chosen & sources.tvalid).any(), chosen.any())),
            stream.tdata.eq(Mux(begun, of_chosen(sources.tdata, chosen), Value.cast(first))),
            stream.tlast.eq(begun & of_chosen(sources.tlast, chosen)),
            stream.tuser.eq(begun & of_chosen(sources.tuser, chosen)),
            sources.tready.eq(chosen & (begun & stream.tready).replicate(self.endpoints)),
        ]
        if self.bytes > 1:
            every_byte = Const((1 << self.bytes) - 1, self.bytes)
            m.d.comb += stream.tkeep.eq(Mux(begun, of_chosen(sources.tkeep, chosen), every_byte))
        with m.If(chooses):
            m.d.sync += [
                *(chosen.eq(arbiter.grant), begun.eq(0)),
                first.destination.eq(dest[: self.width]),
                first.source.eq(encode(arbiter.grant)),
                self.tdest.eq(dest[self.width :]),
            ]
        with m.Elif(stream.tready):
            m.d.sync += begun.eq(1)
        return m


class Distributor(Component):
    """Hand packets of one terminal to the endpoints that their first beats name.

    No cycle is lost but that of the first beat. A packet with an error that has lost its first beat
    is one beat, the last: the endpoint that this names, whatever it is, gets it with the error
    mark.

    Parameters
    ----------
    endpoints, bytes, number : int
        As of `Concentrator`.

    Members
    -------
    stream : ``In(AxiStreamSignature)``     From the terminal; tuser is {source, error}.
    sinks : ``Out(AxiStreamSignature)``     Endpoint e has the e-th part; tuser is {node and
                                            endpoint of the source, error}.
    """

    def __init__(self, endpoints: int, *, bytes: int, number: int) -> None:
        self.endpoints, self.bytes, self.number = endpoints, bytes, number
        self.width = bits(endpoints)
        user = number + self.width + 1
        super().__init__(
            stream=In(AxiStreamSignature(8 * bytes, user=number + 1)),
            sinks=Out(AxiStreamSignature(8 * bytes, user=user, streams=endpoints)),
        )

    def elaborate(self, platform: object) -> Module:
        """Take the first beat, and join the endpoint with the terminal."""
        m = Module()
        stream, sinks, layout = self.stream, self.sinks, first_beat(self.endpoints)
        first: Any = data.View(struct(layout), stream.tdata[: layout.width])
        inside, chosen, source = Signal(), Signal(self.endpoints, init=1), Signal(self.width)
        error, node = stream.tuser[0], stream.tuser[1:]
        taken = (chosen & sinks.tready).any()
        m.d.comb += [
            sinks.tvalid.eq(chosen & (inside & stream.tvalid).replicate(self.endpoints)),
            sinks.tdata.eq(stream.tdata.replicate(self.endpoints)),
            sinks.tlast.eq(stream.tlast.replicate(self.endpoints)),
            sinks.tuser.eq(Cat(error, source, node).replicate(self.endpoints)),
            stream.tready.eq(Mux(inside, taken, ~stream.tlast)),
        ]
        if self.bytes > 1:
            m.d.comb += sinks.tkeep.eq(stream.tkeep.replicate(self.endpoints))
        with m.If(stream.tvalid & ~inside):
            m.d.sync += [
                inside.eq(1),
                chosen.eq(Const(1, self.endpoints) << first.destination),
                source.eq(first.source),
            ]
        with m.Elif(stream.tvalid & taken):
            m.d.sync += inside.eq(~stream.tlast)
        return m

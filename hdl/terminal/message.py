"""From bytes to AXI4-Stream, and back; the twin of fingerpost.golden.terminal.message."""

from typing import Any

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from fingerpost.golden.terminal.beat import AxiLayout
from fingerpost.golden.terminal.message import (
    BODY,
    DATA,
    EXPIRED,
    LENGTH,
    LENGTH_HIGH,
    LENGTH_LOW,
    LONGEST,
    LOST,
    SOURCE_HIGH,
    SOURCE_LOW,
    STATUS,
)
from fingerpost.hdl.bus.axi import AxiStreamSignature
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.logic import count, select


class MessageSender(Component):
    """Make packets of messages: their length and data are beats, their destination is tdest.

    One beat is gathered; no byte is taken while it waits. A message of which nothing comes for
    `timeout` clocks is given up: if some of it has gone, the packet is closed with an error
    mark and a byte 0, and what comes then is a new message.

    Parameters
    ----------
    layout : AxiLayout
        Of two bytes or more, so the length is in the first beat.
    longest : int
        Bytes of data; a longer message is dropped.
    timeout : int
        0: never.

    Members
    -------
    bytes : ``In(stream.Signature(8))``       From the port.
    stream : ``Out(AxiStreamSignature)``      `tuser` is the error mark.
    tdest : ``Out(layout.number)``            The lowest bits of the destination.
    stranger : ``Out(1)``                     Asserted if the packet has no destination, whatever
                                              the table has.
    expired : ``Out(8)``                      Abandoned messages; saturates at 255.
    """

    def __init__(self, layout: AxiLayout, *, longest: int, timeout: int) -> None:
        self.layout, self.longest, self.timeout = layout, longest, timeout
        super().__init__(
            {
                "bytes": In(stream.Signature(8)),
                "stream": Out(AxiStreamSignature(layout.data_width, user=1)),
                "tdest": Out(layout.number),
                "stranger": Out(1),
                EXPIRED.name: Out(EXPIRED.width),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Gather a beat, and offer it."""
        m = Module()
        out, byte = self.stream, self.bytes.payload
        width, number = self.layout.bytes, self.layout.number
        place, dest, left = Signal(range(DATA + 1)), Signal(16), Signal(16)
        begun, closing, too_long = Signal(), Signal(), Signal()
        takes, leaves, carried, final = Signal(), Signal(), Signal(), Signal()
        fills, closes = Signal(), Signal()
        length = Cat(left[:8], Mux(place == DATA - 1, byte, left[8:]))
        expires = self._late(m, (place != 0) & ~self.bytes.valid)
        m.d.comb += [
            self.bytes.ready.eq(~out.tvalid & ~closing),
            takes.eq(self.bytes.valid & self.bytes.ready),
            leaves.eq(out.tvalid & out.tready),
            carried.eq(takes & (place >= LENGTH)),
            final.eq(
                takes & (((place == DATA - 1) & (length == 0)) | ((place == DATA) & (left == 1)))
            ),
            fills.eq(carried & (final | out.tkeep[width - 2])),
            closes.eq(closing & ~out.tvalid),
            self.tdest.eq(dest),
            self.stranger.eq(dest[number:].any() | too_long),
        ]

        with m.If(takes):
            m.d.sync += place.eq(Mux(final, 0, Mux(place == DATA, DATA, place + 1)))
            with m.Switch(place):
                with m.Case(0):
                    m.d.sync += [dest[:8].eq(byte), too_long.eq(0)]
                with m.Case(1):
                    m.d.sync += dest[8:].eq(byte)
                with m.Case(LENGTH):
                    m.d.sync += left[:8].eq(byte)
                with m.Case(DATA - 1):
                    m.d.sync += left[8:].eq(byte)
                    if self.longest < LONGEST:
                        m.d.sync += too_long.eq(length > self.longest)
                with m.Default():
                    m.d.sync += left.eq(left - 1)

        # The beat that is gathered, or that closes a packet.
        with m.If(closes):
            m.d.sync += [out.tdata.eq(0), out.tkeep.eq(1)]
        with m.Elif(leaves | (expires & ~out.tvalid)):
            m.d.sync += out.tkeep.eq(0)
        with m.Elif(carried):
            m.d.sync += out.tkeep.eq(out.tkeep << 1 | 1)
            for offset in range(width):
                before = out.tkeep[offset - 1] if offset else 1
                with m.If(~out.tkeep[offset] & before):
                    m.d.sync += out.tdata.word_select(offset, 8).eq(byte)
                with m.Elif(~out.tkeep[0]):
                    m.d.sync += out.tdata.word_select(offset, 8).eq(0)
        with m.If(fills | closes):
            m.d.sync += [out.tlast.eq(final | closes), out.tuser.eq(closes)]
        m.d.sync += [
            out.tvalid.eq(fills | closes | (out.tvalid & ~leaves)),
            begun.eq((begun | fills) & ~final & ~closes),
            closing.eq((expires & begun) | (closing & ~closes)),
        ]
        with m.If(expires):
            m.d.sync += place.eq(0)
        count(m, self.expired, expires)
        return m

    def _late(self, m: Module, waits: Any) -> Any:
        """Return whether the next byte of a message has been waited for as long as it may."""
        if not self.timeout:
            return 0
        quiet, late = Signal(range(self.timeout + 1)), Signal()
        m.d.comb += late.eq(waits & (quiet == self.timeout))
        m.d.sync += quiet.eq(Mux(waits & ~late, quiet + 1, 0))
        return late


class MessageReceiver(Component):
    """Make messages of packets: the source, the length and data that they hold, and a status.

    A message always has as many bytes as its length says: zeros stand for what does not come, and
    what is too much is dropped. Its status is 1 then, as where the packet has an error mark.

    A terminal that takes no byte for `timeout` clocks is dead until it takes one: what comes for
    it is dropped and counted, and of a message of which it has some the rest is zeros.

    Parameters
    ----------
    layout : AxiLayout
    timeout : int
        0: never.

    Members
    -------
    stream : ``In(AxiStreamSignature)``       `tuser` is the source above the error mark.
    bytes : ``Out(stream.Signature(8))``      To the port, whose `ready` must not wait for `valid`.
    lost : ``Out(8)``                         Packets that were dropped or cut; stops at 255.
    """

    def __init__(self, layout: AxiLayout, *, timeout: int) -> None:
        self.layout, self.timeout = layout, timeout
        super().__init__(
            {
                "stream": In(AxiStreamSignature(layout.data_width, user=layout.number + 1)),
                "bytes": Out(stream.Signature(8)),
                LOST.name: Out(LOST.width),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Write the bytes of a message one after the other."""
        m = Module()
        beat, out, width = self.stream, self.bytes, self.layout.bytes
        state, offset, left = Signal(range(STATUS + 1)), Signal(width, init=1), Signal(16)
        over, bad, dropping, dead = Signal(), Signal(), Signal(), Signal()
        begun, inside, drops, sweeps = Signal(), Signal(), Signal(), Signal()
        taken, consumes, gone, ends, new = Signal(), Signal(), Signal(), Signal(), Signal()
        last = (offset & ~(beat.tkeep >> 1)).any()  # the last byte of a beat
        source: Any = Signal(16)
        body = Mux(over, 0, select(offset, [beat.tdata.word_select(i, 8) for i in range(width)]))
        m.d.comb += [
            source.eq(beat.tuser[1:]),
            begun.eq(state != SOURCE_LOW),
            inside.eq((state >= LENGTH_LOW) & (state <= BODY)),
            drops.eq(dropping | dead),
            sweeps.eq((state == STATUS) & ~over),
            out.valid.eq(over | (~sweeps & beat.tvalid & ~drops)),
            taken.eq(out.valid & out.ready),
            consumes.eq(inside & ~over & taken & last),
            beat.tready.eq(consumes | sweeps | drops),
            gone.eq(beat.tready & beat.tvalid),
            ends.eq((consumes | (sweeps & beat.tvalid)) & beat.tlast),
            new.eq(taken & (state == STATUS)),
        ]
        with m.Switch(state):
            with m.Case(SOURCE_LOW):
                m.d.comb += out.payload.eq(source[:8])
            with m.Case(SOURCE_HIGH):
                m.d.comb += out.payload.eq(Mux(over, 0, source[8:]))
            with m.Case(STATUS):
                m.d.comb += out.payload.eq(bad)
            with m.Default():
                m.d.comb += out.payload.eq(body)

        # What is cut waits for its byte to be taken, so a beat of it is there, and is dropped next.
        cut = self._stuck(m, out, dead) & begun & ~over
        with m.If(gone & drops):
            m.d.sync += dropping.eq(~beat.tlast)
        count(m, self.lost, gone & drops & beat.tlast)

        wrong = (ends & beat.tuser[0]) | cut | (sweeps & beat.tvalid) | (inside & over & taken)
        m.d.sync += [
            over.eq((over | ends | cut) & ~new),
            bad.eq((bad | wrong) & begun & ~new),
        ]
        with m.If(consumes | cut | sweeps):
            m.d.sync += offset.eq(1)
        with m.Elif(inside & ~over & taken):
            m.d.sync += offset.eq(offset << 1)

        none = Signal()
        length = Mux(state == LENGTH_HIGH, out.payload << 8 | left[:8], left - 1)[:16]
        m.d.comb += none.eq(length == 0)
        with m.If(taken):
            m.d.sync += state.eq(state + 1)
            with m.Switch(state):
                with m.Case(LENGTH_LOW):
                    m.d.sync += left.eq(out.payload)
                with m.Case(LENGTH_HIGH, BODY):
                    m.d.sync += [left.eq(length), state.eq(Mux(none, STATUS, BODY))]
                with m.Case(STATUS):
                    m.d.sync += state.eq(SOURCE_LOW)
        return m

    def _stuck(self, m: Module, out: Any, dead: Signal) -> Any:
        """Follow whether the terminal is dead; return whether it is found so now."""
        if not self.timeout:
            return 0
        quiet, stuck, fires = Signal(range(self.timeout + 1)), Signal(), Signal()
        late = quiet == self.timeout
        m.d.comb += [stuck.eq(out.valid & ~out.ready), fires.eq(stuck & late & ~dead)]
        m.d.sync += [
            quiet.eq(Mux(stuck, Mux(late, quiet, quiet + 1), 0)),
            dead.eq(fires | (dead & ~out.ready)),
        ]
        return fires

"""From bytes to AXI4-Stream; the twin of fingerpost.golden.terminal.message_sender."""

from typing import Any

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from fingerpost.golden.terminal.beat import AxiLayout
from fingerpost.golden.terminal.message import DATA, EXPIRED, LENGTH, LONGEST
from fingerpost.hdl.bus.axi_stream import AxiStreamSignature
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.logic import count


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

"""From AXI4-Stream to bytes; the twin of fingerpost.golden.terminal.message_receiver."""

from typing import Any

from amaranth import Module, Mux, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from fingerpost.golden.terminal.beat import AxiLayout
from fingerpost.golden.terminal.message import (
    BODY,
    LENGTH_HIGH,
    LENGTH_LOW,
    LOST,
    SOURCE_HIGH,
    SOURCE_LOW,
    STATUS,
)
from fingerpost.hdl.bus.axi_stream import AxiStreamSignature
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.logic import count, select


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

"""The receiver of an OS-Link port; the twin of fingerpost.golden.compiled.link.receiver."""

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.cdc import FFSynchronizer
from amaranth.lib.wiring import In, Out

from fingerpost.golden.link.parameters import BROKEN, QUIET, STOP, OsLinkParameters


class Receiver(wiring.Component):
    """Find packets and sample their bits (docs/design/os-link-internals.md, R1 to R6, R9).

    The clock in which a rise is seen is clock 0; bit k is sampled `clocks_per_bit` * k + `middle`
    clocks later. There is no re-alignment inside a packet.

    Parameters
    ----------
    parameters : OsLinkParameters

    Members
    -------
    link_in : ``In(1)``        The wire, asynchronous.
    header : ``Out(1)``        The second bit of a byte is being sampled: this is no acknowledge.
    acknowledge : ``Out(1)``   An acknowledge is complete.
    byte : ``Out(1)``          A byte is complete.
    bad_stop : ``Out(1)``      A byte has no stop bit.
    data : ``Out(8)``          The byte.
    active : ``Out(1)``        A packet is being received.
    link_break : ``Out(1)``    The line has been high for longer than any packet.
    """

    link_in: Signal
    header: Signal
    acknowledge: Signal
    byte: Signal
    bad_stop: Signal
    data: Signal
    active: Signal
    link_break: Signal

    def __init__(self, parameters: OsLinkParameters) -> None:
        self.parameters = parameters
        super().__init__(
            {
                "link_in": In(1),
                "header": Out(1),
                "acknowledge": Out(1),
                "byte": Out(1),
                "bad_stop": Out(1),
                "data": Out(8),
                "active": Out(1),
                "link_break": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Count the clocks of a bit and the bits of a packet."""
        m = Module()
        n = self.parameters.clocks_per_bit
        line, before, start, armed = Signal(), Signal(), Signal(), Signal()
        tick, bit = Signal(range(n)), Signal(range(max(STOP, QUIET)))
        m.submodules.synchronizer = FFSynchronizer(self.link_in, line)
        m.d.sync += before.eq(line)

        # A receiver that starts inside a packet would take its bits for packets of their own.
        sample, stop, wrap = Signal(), Signal(), Signal()
        with m.If(wrap & (bit == QUIET - 1) & ~line & ~before):
            m.d.sync += armed.eq(1)

        # With ignored stop bits the next packet may begin before the end of the stop bit.
        ignored, late = self.parameters.stop == "ignored", self.parameters.middle + 1
        behind = self.active & (bit == STOP - 1) & (tick == late)

        # The bits are counted from the last rise, or until it listens from the last fall.
        m.d.comb += [
            start.eq(~self.active & (line ^ before) & (line == armed)),
            sample.eq(self.active & (tick == self.parameters.middle)),
            stop.eq(behind if ignored else sample & (bit == STOP)),
            wrap.eq(tick == n - 1),
            self.header.eq(sample & (bit == 1) & line),
            self.acknowledge.eq(sample & (bit == 1) & ~line),
            self.byte.eq(stop if ignored else stop & ~line),
            self.bad_stop.eq(0 if ignored else stop & line),
        ]
        m.d.sync += tick.eq(Mux(wrap, 0, tick + 1))
        with m.If(wrap):
            m.d.sync += bit.eq(bit + 1)
        with m.If(sample):
            m.d.sync += self.data.eq(Cat(self.data[1:], line))
            with m.If((~line & (bit <= 1)) | (bit == STOP)):
                m.d.sync += self.active.eq(0)
        if ignored:
            with m.If(stop):
                m.d.sync += self.active.eq(0)
        with m.If(start):
            m.d.sync += [self.active.eq(line), tick.eq(1), bit.eq(0)]

        if self.parameters.breaks:
            high = Signal(range(BROKEN + 1))
            m.d.sync += high.eq(Mux(before, high + (wrap & (high != BROKEN)), 0))
            m.d.comb += self.link_break.eq(line & wrap & (high == BROKEN - 1))
        return m

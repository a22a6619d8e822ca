"""The transmitter of an OS-Link port; the twin of fingerpost.golden.compiled.link.transmitter."""

from amaranth import Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fingerpost.golden.link.parameters import (
    BREAK_HIGH,
    BREAK_HOLD,
    BREAK_LOW,
    BYTE,
    HOLD,
    OsLinkParameters,
)


class Transmitter(wiring.Component):
    """Send packets, each `slot` bits at least (docs/design/os-link-internals.md, T1 and T4).

    Parameters
    ----------
    parameters : OsLinkParameters

    Members
    -------
    data : ``In(8)``          The byte to send.
    send_data : ``In(1)``     Start a byte with the next clock; only while `ready`.
    send_ack : ``In(1)``      Start an acknowledge.
    send_break : ``In(1)``    Start a break.
    link_break : ``In(1)``    A break has come in: while `holding`, hold as after a reset.
    link_out : ``Out(1)``     The wire, a register.
    ready : ``Out(1)``        A packet may start with the next clock.
    breaking : ``Out(1)``     A break is being sent.
    holding : ``Out(1)``      Too little time has passed since the reset or the last break.
    idle : ``Out(1)``         Nothing is being sent, nor held back.
    """

    data: Signal
    send_data: Signal
    send_ack: Signal
    send_break: Signal
    link_break: Signal
    link_out: Signal
    ready: Signal
    breaking: Signal
    holding: Signal
    idle: Signal

    def __init__(self, parameters: OsLinkParameters) -> None:
        self.parameters = parameters
        super().__init__(
            {
                "data": In(8),
                "send_data": In(1),
                "send_ack": In(1),
                "send_break": In(1),
                "link_break": In(1),
                "link_out": Out(1),
                "ready": Out(1),
                "breaking": Out(1),
                "holding": Out(1),
                "idle": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Shift a packet out; what follows it is low."""
        m = Module()
        n, slot, breaks = (
            self.parameters.clocks_per_bit,
            self.parameters.slot,
            self.parameters.breaks,
        )
        longest = max(slot, BREAK_HOLD if breaks else HOLD)
        shift = Signal(BREAK_HIGH if breaks else 10)  # a stop bit is low by itself
        # What follows a reset is sent like a packet, and so is a break with what follows it.
        tick, left, wrap = Signal(range(n)), Signal(range(longest + 1), init=HOLD), Signal()
        held = Signal(init=1)
        m.d.comb += [
            self.link_out.eq(shift[0]),
            self.idle.eq(~left.any()),
            self.holding.eq(held),
            wrap.eq(tick == n - 1),
            self.ready.eq(self.idle | ((left == 1) & wrap)),
        ]
        with m.If(self.ready):
            m.d.sync += held.eq(self.send_break)
        m.d.sync += tick.eq(Mux(wrap | self.idle, 0, tick + 1))
        with m.If(wrap & ~self.idle):
            m.d.sync += [shift.eq(shift >> 1), left.eq(left - 1)]
        with m.If(self.send_data):
            m.d.sync += [shift.eq(self.data << 2 | 0b11), left.eq(max(BYTE, slot)), tick.eq(0)]
        with m.If(self.send_ack):
            m.d.sync += [shift.eq(0b01), left.eq(max(2, slot)), tick.eq(0)]
        if breaks:
            over = BREAK_HOLD - BREAK_HIGH - BREAK_LOW
            m.d.comb += self.breaking.eq(held & (left > over))
            # The other end does not listen before its break is over; an answer has a hold of its
            # own.
            with m.If(self.link_break & held & (left < HOLD) & ~self.ready):
                m.d.sync += [left.eq(HOLD), tick.eq(0)]
            with m.If(self.send_break):
                m.d.sync += [
                    shift.eq(Const((1 << BREAK_HIGH) - 1)),
                    left.eq(BREAK_HOLD),
                    tick.eq(0),
                ]
        return m

"""OS-Link: transmitter, receiver and port; the twin of fingerpost.golden.engine.os_link."""

from typing import Any

from amaranth import Cat, Const, Module, Mux, ResetInserter, Signal
from amaranth.lib import stream
from amaranth.lib.cdc import FFSynchronizer
from amaranth.lib.fifo import SyncFIFO
from amaranth.lib.wiring import In, Out

from fingerpost.golden.link.parameters import (
    BREAK_HIGH,
    BREAK_HOLD,
    BREAK_LOW,
    BROKEN,
    BYTE,
    ERRORS,
    HOLD,
    QUIET,
    STOP,
    OsLinkParameters,
)
from fingerpost.hdl.lib.component import Component


class Transmitter(Component):
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

    def __init__(self, parameters: OsLinkParameters) -> None:
        self.parameters = parameters
        super().__init__(
            data=In(8),
            send_data=In(1),
            send_ack=In(1),
            send_break=In(1),
            link_break=In(1),
            link_out=Out(1),
            ready=Out(1),
            breaking=Out(1),
            holding=Out(1),
            idle=Out(1),
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


class Receiver(Component):
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

    def __init__(self, parameters: OsLinkParameters) -> None:
        self.parameters = parameters
        super().__init__(
            link_in=In(1),
            header=Out(1),
            acknowledge=Out(1),
            byte=Out(1),
            bad_stop=Out(1),
            data=Out(8),
            active=Out(1),
            link_break=Out(1),
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


class OsLink(Component):
    """An OS-Link port: bytes and their acknowledges (docs/design/os-link-internals.md).

    All outputs depend on registers alone. The wires may come from, and go to, another clock of
    nearly the same frequency.

    Parameters
    ----------
    parameters : OsLinkParameters

    Members
    -------
    link_in : ``In(1)``                The wire from the other port.
    link_out : ``Out(1)``              The wire to it, a register.
    tx : ``In(stream.Signature(8))``   Bytes to send.
    rx : ``Out(stream.Signature(8))``  Bytes received.
    tx_break : ``In(1)``               A break is asked for; nothing happens without `breaks`.
    tx_done : ``Out(1)``               The byte that was sent is acknowledged.
    err_frame : ``Out(1)``             A byte without stop bit; it is dropped.
    err_ack : ``Out(1)``               An acknowledge without an outstanding byte; it is ignored.
    err_window : ``Out(1)``            A second byte before the acknowledge of the first.
    err_over : ``Out(1)``              A byte for which there is no room; it is dropped.
    err_timeout : ``Out(1)``           A byte was not acknowledged in time; stays until a break or
                                       reset. The others are for one clock.
    link_break : ``Out(1)``            A break came in.
    idle : ``Out(1)``                  Nothing is on the wires, waits for an acknowledge or owes
                                       one.
    """

    def __init__(self, parameters: OsLinkParameters) -> None:
        self.parameters = parameters
        super().__init__(
            link_in=In(1),
            link_out=Out(1),
            tx=In(stream.Signature(8)),
            rx=Out(stream.Signature(8)),
            tx_break=In(1),
            tx_done=Out(1),
            **{name: Out(1) for name in ERRORS},
            idle=Out(1),
        )

    def elaborate(self, platform: object) -> Module:
        """Join receiver, queue and transmitter by the rules of the acknowledge."""
        m = Module()
        p = self.parameters
        m.submodules.receiver = rx = Receiver(p)
        m.submodules.transmitter = tx = Transmitter(p)
        clear = Signal()
        m.submodules.fifo = fifo = ResetInserter(clear)(SyncFIFO(width=8, depth=p.fifo))
        outstanding, owed, inflight, permitted = Signal(), Signal(), Signal(), Signal()
        wants_break, turn = Signal(init=p.breaks), Signal()

        # An acknowledge permits another byte, so an entry must be free for it.
        m.d.comb += [
            rx.link_in.eq(self.link_in),
            self.link_out.eq(tx.link_out),
            permitted.eq(owed & (fifo.level + inflight <= p.fifo - 1)),
            tx.send_break.eq(tx.ready & wants_break),
            tx.send_ack.eq(tx.ready & permitted & ~tx.send_break & ~tx.send_data),
            self.tx.ready.eq(tx.ready & (~permitted | turn) & ~outstanding & ~tx.send_break),
            tx.send_data.eq(self.tx.ready & self.tx.valid),
            tx.data.eq(self.tx.payload),
            fifo.w_data.eq(rx.data),
            fifo.w_en.eq(rx.byte),
            fifo.r_en.eq(self.rx.ready),
            self.rx.payload.eq(fifo.r_data),
            self.rx.valid.eq(fifo.r_rdy),
        ]

        # An acknowledge goes first. But if it is as long as a byte, the next one is owed when it
        # ends, and a peer that never pauses would never hear a byte: then they take turns.
        if p.slot >= BYTE:
            with m.If(tx.send_ack | tx.send_data):
                m.d.sync += turn.eq(tx.send_ack)

        # One bit: of two bytes without acknowledge in between one was never sent or never waits.
        owes = rx.header if p.acknowledge == "overlap" else rx.byte
        m.d.sync += [
            owed.eq((owes | (owed & ~tx.send_ack)) & ~clear),
            inflight.eq((rx.header | (inflight & ~rx.byte & ~rx.bad_stop)) & ~clear),
            outstanding.eq((tx.send_data | (outstanding & ~rx.acknowledge)) & ~clear),
        ]
        m.d.comb += [
            self.tx_done.eq(rx.acknowledge & outstanding),
            self.err_frame.eq(rx.bad_stop & ~tx.breaking),
            self.err_ack.eq(rx.acknowledge & ~outstanding & ~(tx.holding & p.breaks)),
            self.err_window.eq(rx.header & owed & ~tx.breaking),
            self.err_over.eq(rx.byte & ~fifo.w_rdy & ~tx.breaking),
            self.idle.eq(~outstanding & ~owed & ~rx.active & tx.idle),
        ]
        if p.timeout:
            self._timeout(m, outstanding & ~rx.acknowledge & ~clear, outstanding, clear)
        if p.breaks:
            m.d.comb += [
                clear.eq(tx.breaking | tx.send_break | rx.link_break),
                self.link_break.eq(rx.link_break),
                tx.link_break.eq(rx.link_break),
            ]
            answer = rx.link_break & (~tx.holding | tx.ready)
            m.d.sync += wants_break.eq((self.tx_break | answer | wants_break) & ~tx.send_break)
        return m

    def _timeout(self, m: Module, counts: Any, outstanding: Signal, clear: Signal) -> None:
        last = self.parameters.timeout * self.parameters.clocks_per_bit
        waited, late = Signal(range(last + 1)), Signal()
        m.d.comb += late.eq(waited == last)
        m.d.sync += [
            waited.eq(Mux(counts, waited + ~late, 0)),
            self.err_timeout.eq((self.err_timeout | (late & outstanding)) & ~clear),
        ]

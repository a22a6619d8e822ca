"""The OS-Link port of a transputer; the twin of fingerpost.golden.compiled.link.os_link."""

from typing import Any

from amaranth import Module, Mux, ResetInserter, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.fifo import SyncFIFO
from amaranth.lib.wiring import In, Out

from fingerpost.golden.link.parameters import BYTE, ERRORS, OsLinkParameters
from fingerpost.hdl.link.receiver import Receiver
from fingerpost.hdl.link.transmitter import Transmitter


class OsLink(wiring.Component):
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

    link_in: Signal
    link_out: Signal
    tx: Any
    rx: Any
    tx_break: Signal
    tx_done: Signal
    err_frame: Signal
    err_ack: Signal
    err_window: Signal
    err_over: Signal
    err_timeout: Signal
    link_break: Signal
    idle: Signal

    def __init__(self, parameters: OsLinkParameters) -> None:
        self.parameters = parameters
        super().__init__(
            {
                "link_in": In(1),
                "link_out": Out(1),
                "tx": In(stream.Signature(8)),
                "rx": Out(stream.Signature(8)),
                "tx_break": In(1),
                "tx_done": Out(1),
                **{name: Out(1) for name in ERRORS},
                "idle": Out(1),
            }
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

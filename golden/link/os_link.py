"""The OS-Link port of a transputer, clock by clock; the twin of fingerpost.hdl.link.os_link."""

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.link.parameters import BYTE, ERRORS, OsLinkParameters
from fingerpost.golden.link.receiver import Receiver
from fingerpost.golden.link.transmitter import Transmitter


class OsLink:
    """OS-Link ports, many at once: bytes and their acknowledges (docs/design/os-link-internals.md).

    A byte or an acknowledge that goes one way is sent on the same wire as those of the other
    direction. Every array has an element for each port. All outputs depend on the state alone, so
    they can be read before `step`, which is the clock edge.

    Attributes
    ----------
    link_out : array of bool
        The wire to the other port.
    tx_ready : array of bool
        A byte would be taken now.
    rx_valid, rx_data : arrays
        The oldest byte that was received.
    tx_done : array of bool
        The byte that was sent is acknowledged.
    err_frame : array of bool
        A byte without stop bit; it is dropped.
    err_ack : array of bool
        An acknowledge without an outstanding byte; it is ignored.
    err_window : array of bool
        A second byte before the acknowledge of the first.
    err_over : array of bool
        A byte for which there is no room; it is dropped.
    err_timeout : array of bool
        A byte was not acknowledged in time; stays until a break or reset.
    link_break : array of bool
        A break came in.
    idle : array of bool
        Nothing is on the wires, waits for an acknowledge or owes one.
    """

    def __init__(self, ports: int, parameters: OsLinkParameters) -> None:
        self.parameters, self.ports = parameters, ports
        self.receiver = Receiver(ports, parameters)
        self.transmitter = Transmitter(ports, parameters)
        self.outstanding, self.owed, self.inflight = np.zeros((3, ports), np.bool_)
        self.err_timeout = np.zeros(ports, np.bool_)
        self.wants_break = np.full(ports, parameters.breaks)
        self.turn = np.zeros(ports, np.bool_)
        self.fifo = np.zeros((ports, parameters.fifo), np.int64)
        self.level, self.waited = np.zeros((2, ports), np.int64)
        self._settle()

    def _settle(self) -> None:
        rx, tx, p = self.receiver, self.transmitter, self.parameters
        # An acknowledge permits another byte, so an entry must be free for it.
        permitted = self.owed & (self.level + self.inflight <= p.fifo - 1)
        self.send_break: BoolArray = tx.ready & self.wants_break
        self.may_ack: BoolArray = tx.ready & permitted & ~self.send_break
        free = tx.ready & ~self.outstanding & ~self.send_break
        self.tx_ready: BoolArray = free & (~permitted | self.turn)
        self.link_out = tx.link_out
        self.rx_valid: BoolArray = self.level > 0
        self.rx_data: IntArray = self.fifo[:, 0]
        deaf = tx.breaking
        self.tx_done: BoolArray = rx.acknowledge & self.outstanding
        recent = tx.holding if p.breaks else np.zeros(self.ports, np.bool_)
        self.err_ack: BoolArray = rx.acknowledge & ~self.outstanding & ~recent
        self.err_window: BoolArray = rx.header & self.owed & ~deaf
        self.err_frame: BoolArray = rx.bad_stop & ~deaf
        self.err_over: BoolArray = rx.byte & (self.level == p.fifo) & ~deaf
        self.link_break = rx.link_break if p.breaks else np.zeros(self.ports, np.bool_)
        self.idle: BoolArray = ~self.outstanding & ~self.owed & ~rx.active & tx.idle

    @property
    def errors(self) -> IntArray:
        """Return what is wrong in this clock, a bit for each of `ERRORS`."""
        raised = np.stack([getattr(self, name) for name in ERRORS])
        found: IntArray = (1 << np.arange(len(ERRORS))) @ raised
        return found

    def step(
        self,
        link_in: BoolArray,
        tx_data: IntArray,
        tx_valid: BoolArray,
        rx_ready: BoolArray,
        tx_break: BoolArray | None = None,
    ) -> None:
        """Go through a clock edge.

        Parameters
        ----------
        link_in : array of bool
            The wire from the other port.
        tx_data, tx_valid : arrays
            The byte to send.
        rx_ready : array of bool
            The byte at `rx_data` is taken, if there is one.
        tx_break : array of bool, optional
            A break is asked for.
        """
        rx, tx, p = self.receiver, self.transmitter, self.parameters
        send_data = self.tx_ready & tx_valid
        send_ack = self.may_ack & ~send_data
        pop, push = self.rx_valid & rx_ready, rx.byte & (self.level < p.fifo)
        clear = tx.breaking | self.send_break | self.link_break

        self.fifo[push, self.level[push]] = rx.data[push]
        self.fifo[pop, :-1] = self.fifo[pop, 1:]
        self.level = np.where(clear, 0, self.level + push - pop)
        # An acknowledge goes first. But if it is as long as a byte, the next one is owed when it
        # ends, and a peer that never pauses would never hear a byte: then they take turns.
        if p.slot >= BYTE:
            self.turn = np.where(send_ack | send_data, send_ack, self.turn)
        # One bit: of two bytes without acknowledge in between one was never sent or never waits.
        owes = rx.header if p.acknowledge == "overlap" else rx.byte
        self.owed = (owes | (self.owed & ~send_ack)) & ~clear
        self.inflight = (rx.header | (self.inflight & ~rx.byte & ~rx.bad_stop)) & ~clear
        if p.timeout:
            late = self.waited == p.timeout * p.clocks_per_bit
            self.err_timeout = (self.err_timeout | (late & self.outstanding)) & ~clear
            counts = self.outstanding & ~rx.acknowledge & ~clear
            self.waited = np.where(counts, self.waited + ~late, 0)
        self.outstanding = (send_data | (self.outstanding & ~rx.acknowledge)) & ~clear
        if p.breaks:
            asked = np.zeros(self.ports, np.bool_) if tx_break is None else tx_break
            answer = self.link_break & (~tx.holding | tx.ready)
            self.wants_break = (asked | answer | self.wants_break) & ~self.send_break
        tx.step(tx_data, send_data, send_ack, self.send_break, self.link_break)
        rx.step(link_in)
        self._settle()

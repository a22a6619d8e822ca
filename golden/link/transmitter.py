"""The transmitter of an OS-Link port; the twin of fingerpost.hdl.link.os_link."""

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.link.parameters import (
    BREAK_HIGH,
    BREAK_HOLD,
    BREAK_LOW,
    BYTE,
    HOLD,
    OsLinkParameters,
)


class Transmitter:
    """Packets on a wire, for many ports at once (docs/design/os-link-internals.md, T1 and T4).

    Every array has an element for each port.

    Attributes
    ----------
    link_out : array of bool
        The wire.
    ready : array of bool
        This clock may be the last one before a packet.
    breaking : array of bool
        A break is being sent.
    holding : array of bool
        Too little time has passed since the reset or the last break.
    idle : array of bool
        Nothing is being sent, nor held back.
    """

    def __init__(self, ports: int, parameters: OsLinkParameters) -> None:
        self.parameters = parameters
        self.shift, self.tick = np.zeros((2, ports), np.int64)
        # What follows a reset is sent like a packet, and so is a break with what follows it.
        self.left, self.holding = np.full(ports, HOLD), np.ones(ports, np.bool_)
        self._settle()

    def _settle(self) -> None:
        self.link_out: BoolArray = (self.shift & 1) == 1
        self.idle: BoolArray = self.left == 0
        wrap = self.tick == self.parameters.clocks_per_bit - 1
        self.ready: BoolArray = self.idle | ((self.left == 1) & wrap)
        over = BREAK_HOLD - BREAK_HIGH - BREAK_LOW
        self.breaking: BoolArray = self.holding & (self.left > over)

    def step(
        self,
        data: IntArray,
        send_data: BoolArray,
        send_ack: BoolArray,
        send_break: BoolArray,
        link_break: BoolArray,
    ) -> None:
        """Go through a clock edge, after which at most one packet starts."""
        n, slot = self.parameters.clocks_per_bit, self.parameters.slot
        start = send_data | send_ack | send_break
        wrap = self.tick == n - 1
        packet = np.where(send_data, data << 2 | 0b11, 0b01)
        length = np.where(send_data, max(BYTE, slot), max(2, slot))
        if self.parameters.breaks:
            packet = np.where(send_break, (1 << BREAK_HIGH) - 1, packet)
            length = np.where(send_break, BREAK_HOLD, length)
        # The other end does not listen before its break is over; an answer has a hold of its own.
        longer = link_break & self.holding & (self.left < HOLD) & ~self.ready
        moves = wrap & ~self.idle
        self.shift = np.where(start, packet, self.shift >> moves)
        self.left = np.where(start, length, np.where(longer, HOLD, self.left - moves))
        self.tick = np.where(start | longer | wrap | self.idle, 0, self.tick + 1)
        self.holding = np.where(self.ready, send_break, self.holding)
        self._settle()

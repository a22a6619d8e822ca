"""The receiver of an OS-Link port; the twin of hdl.link.receiver."""

import numpy as np

from golden.arrays import BoolArray
from golden.link.parameters import BROKEN, QUIET, OsLinkParameters

__all__ = ["Receiver"]

STOP = 10
"""The number of the stop bit of a byte."""


class Receiver:
    """What comes in on a wire, for many ports at once (os-link.md, R1 to R6).

    Every array has an element for each port. What a clock has to tell is known before it ends:
    `step` is the clock edge.

    Attributes
    ----------
    header : array of bool
        The second bit of a byte has been sampled: this is no acknowledge.
    acknowledge : array of bool
        An acknowledge is complete.
    byte, bad_stop : array of bool
        A byte is complete, or it has no stop bit.
    data : array
        The byte.
    active : array of bool
        A packet is being received.
    link_break : array of bool
        The line has been high for longer than any packet.
    """

    def __init__(self, ports: int, parameters: OsLinkParameters) -> None:
        self.parameters = parameters
        self.metastable, self.line, self.before, self.active = np.zeros((4, ports), np.bool_)
        self.tick, self.bit, self.data, self.high = np.zeros((4, ports), np.int64)
        self.quiet = np.full(ports, QUIET * parameters.clocks_per_bit)
        self._settle()

    def _settle(self) -> None:
        sample = self.active & (self.tick == self.parameters.middle)
        self.header = sample & (self.bit == 1) & self.line
        self.acknowledge = sample & (self.bit == 1) & ~self.line
        stop = sample & (self.bit == STOP)
        self.byte, self.bad_stop = stop & ~self.line, stop & self.line
        self.sample = sample
        last = BROKEN * self.parameters.clocks_per_bit - 1
        self.link_break: BoolArray = self.line & (self.high == last)

    def step(self, link_in: BoolArray) -> None:
        """Go through a clock edge, at which the line is at `link_in`."""
        n, sample, line = self.parameters.clocks_per_bit, self.sample, self.line
        start = ~self.active & line & ~self.before & (self.quiet == 0)
        over = sample & (((self.bit <= 1) & ~line) | (self.bit == STOP))
        self.data = np.where(sample, self.data >> 1 | line.astype(np.int64) << 7, self.data)
        wrap = self.tick == n - 1
        self.bit = np.where(start, 0, self.bit + wrap)
        self.tick = np.where(start, 1, np.where(wrap, 0, self.tick + 1))
        self.active = start | (self.active & ~over)
        if self.parameters.breaks:
            self.high = np.where(line, np.minimum(self.high + 1, BROKEN * n), 0)
            self.active &= ~self.link_break
        heard = (self.quiet == 0) | ~line
        self.quiet = np.where(heard, np.maximum(self.quiet - 1, 0), QUIET * n)
        self.before, self.line, self.metastable = line, self.metastable, link_in.copy()
        self._settle()

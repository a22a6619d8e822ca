"""The receiver of an OS-Link port; the twin of fingerpost.hdl.link.os_link."""

import numpy as np

from fingerpost.golden.arrays import BoolArray
from fingerpost.golden.link.parameters import BROKEN, QUIET, OsLinkParameters

STOP = 10
"""The number of the stop bit of a byte."""


class Receiver:
    """Receivers of many ports at once (docs/design/os-link-internals.md, R1 to R6, R9).

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
        self.metastable, self.line, self.before = np.zeros((3, ports), np.bool_)
        self.armed, self.active = np.zeros((2, ports), np.bool_)
        self.tick, self.bit, self.data, self.high = np.zeros((4, ports), np.int64)
        self._settle()

    def _settle(self) -> None:
        sample = self.active & (self.tick == self.parameters.middle)
        self.header = sample & (self.bit == 1) & self.line
        self.acknowledge = sample & (self.bit == 1) & ~self.line
        middle = self.parameters.middle
        if self.parameters.stop == "checked":
            self.stop: BoolArray = sample & (self.bit == STOP)
            self.byte, self.bad_stop = self.stop & ~self.line, self.stop & self.line
        else:  # the last bit of data is there; the next packet may begin before the stop bit ends
            self.stop = self.active & (self.bit == STOP - 1) & (self.tick == middle + 1)
            self.byte, self.bad_stop = self.stop, np.zeros_like(self.stop)
        self.sample = sample
        self.wrap: BoolArray = self.tick == self.parameters.clocks_per_bit - 1
        self.link_break: BoolArray = self.line & self.wrap & (self.high == BROKEN - 1)

    def step(self, link_in: BoolArray) -> None:
        """Go through a clock edge, at which the line is at `link_in`."""
        sample, line, before, wrap = self.sample, self.line, self.before, self.wrap
        # The bits are counted from the last rise, or until it listens from the last fall.
        start = ~self.active & (line ^ before) & (line == self.armed)
        over = (sample & (self.bit <= 1) & ~line) | self.stop
        self.data = np.where(sample, self.data >> 1 | line.astype(np.int64) << 7, self.data)
        self.armed = self.armed | (wrap & (self.bit == QUIET - 1) & ~line & ~before)
        self.bit = np.where(start, 0, self.bit + wrap)
        self.tick = np.where(start, 1, np.where(wrap, 0, self.tick + 1))
        self.active = (start & line) | (self.active & ~over)
        if self.parameters.breaks:
            self.high = np.where(before, np.minimum(self.high + wrap, BROKEN), 0)
        self.before, self.line, self.metastable = line, self.metastable, link_in.copy()
        self._settle()

"""Windows of every sender, one for each destination; the twin of hdl's Windows."""

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.header import bits
from fingerpost.golden.terminal.flow_layout import FlowControl


class Windows:
    """Counts the units that are outstanding from each terminal to each peer.

    All windows are closed at first, as if `withheld` units were outstanding.

    Attributes
    ----------
    outstanding, sequence : (terminals,) arrays
        Units to the peer that was read last, as they were then; those that were ever issued to it,
        modulo a power of two: the sequence number of the next one.
    """

    def __init__(self, terminals: int, flow: FlowControl) -> None:
        self.flow = flow
        self.every = np.arange(terminals)
        # A packet may be to a number that no node has; its window is read, and nothing is issued.
        self.counts = np.full((terminals, 1 << bits(flow.peers)), flow.withheld, np.int8)
        self.issued = np.zeros_like(self.counts)
        self.outstanding, self.sequence, self.peer = np.zeros((3, terminals), np.int64)
        self.late: tuple[IntArray, ...] = (np.empty(0, np.int64),) * 3
        self.cycles = 0

    @property
    def cleared(self) -> bool:
        """Return whether packets may be issued: all windows have been cleared after the reset."""
        return self.cycles >= self.flow.clearing

    @property
    def fits(self) -> BoolArray:
        """Return whether as many as an eager packet has may be issued to the peer."""
        return self.outstanding + self.flow.eager <= self.flow.window

    def step(
        self, read: BoolArray, peer: IntArray, units: IntArray, acked: tuple[IntArray, ...]
    ) -> None:
        """Go through a clock edge.

        Parameters
        ----------
        read, peer : (terminals,) arrays
            Whether a window is read, and whose.
        units : (terminals,) array
            Units that are issued to the peer that was read last.
        acked : tuple of arrays
            Terminals to which an acknowledge arrives, its senders, its units.
        """
        for counts in (self.counts, self.issued):
            counts[self.every, self.peer] += units.astype(np.int8)
        outstanding = self.counts[self.every, peer].astype(np.int64)
        self.outstanding = np.where(read, outstanding, self.outstanding)
        issued = self.issued[self.every, peer].astype(np.int64) & ((1 << self.flow.units) - 1)
        self.sequence = np.where(read, issued, self.sequence)
        self.peer = np.where(read, peer, self.peer)
        terminal, source, returned = self.late
        self.counts[terminal, source] -= returned.astype(np.int8)
        self.late = acked
        self.cycles += 1

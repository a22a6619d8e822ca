"""Windows of every sender, one for each destination; the twin of hdl's Windows."""

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.header import bits
from fingerpost.golden.terminal.flow_layout import FlowControl

__all__ = ["Windows"]


class Windows:
    """Counts the units that are outstanding from each terminal to each peer.

    Attributes
    ----------
    outstanding : (terminals,) array
        Units to the peer of the previous cycle.
    """

    def __init__(self, terminals: int, flow: FlowControl) -> None:
        self.flow = flow
        self.every = np.arange(terminals)
        # A packet may be to a number that no node has; its window is read, and nothing is issued.
        self.counts = np.zeros((terminals, 1 << bits(flow.peers)), np.int8)
        self.outstanding = np.zeros(terminals, np.int64)
        self.late: tuple[IntArray, ...] = (np.empty(0, np.int64),) * 3
        self.cycles = 0

    @property
    def cleared(self) -> bool:
        """Return whether packets may be issued: all windows have been cleared after the reset."""
        return self.cycles >= self.flow.peers

    def step(self, peer: IntArray, units: IntArray, acked: tuple[IntArray, ...]) -> None:
        """Go through a clock edge.

        Parameters
        ----------
        peer, units : (terminals,) arrays
            Peer whose window is read; units that are issued to it.
        acked : tuple of arrays
            Terminals to which an acknowledge arrives, its senders, its units.
        """
        self.outstanding = self.counts[self.every, peer].astype(np.int64)
        self.counts[self.every, peer] += units.astype(np.int8)
        terminal, source, returned = self.late
        self.counts[terminal, source] -= returned.astype(np.int8)
        self.late = acked
        self.cycles += 1

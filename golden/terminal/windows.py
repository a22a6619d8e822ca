"""Windows of every sender, one for each destination; the twin of hdl's Windows."""

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.terminal.flow_layout import FlowControl

__all__ = ["Windows"]


class Windows:
    """Counts the packets that are outstanding from each terminal to each peer.

    Attributes
    ----------
    open : (terminals,) array of bool
        Whether the window that was read in the previous cycle has room.
    """

    def __init__(self, terminals: int, flow: FlowControl) -> None:
        self.flow = flow
        self.every = np.arange(terminals)
        self.outstanding = np.zeros((terminals, flow.peers), np.int8)
        self.open = np.zeros(terminals, np.bool_)
        self.late: tuple[IntArray, IntArray] = (np.empty(0, np.int64), np.empty(0, np.int64))
        self.cycles = 0

    @property
    def cleared(self) -> bool:
        """Return whether packets may be issued: all windows have been cleared after the reset."""
        return self.cycles >= self.flow.peers

    def step(self, peer: IntArray, issue: BoolArray, acked: IntArray, acked_peer: IntArray) -> None:
        """Go through a clock edge.

        Parameters
        ----------
        peer : (terminals,) array
            Whose window is read, and counted if `issue`.
        acked, acked_peer : arrays
            Terminals to which an acknowledge arrives, and who sent it.
        """
        self.open = self.outstanding[self.every, peer] < self.flow.window
        self.outstanding[issue, peer[issue]] += 1
        self.outstanding[self.late] -= self.flow.batch
        self.late = acked, acked_peer
        self.cycles += 1

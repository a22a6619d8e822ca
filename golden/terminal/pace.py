"""How fast receivers invite, at every terminal at once; the twin of hdl's Pace."""

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.terminal.flow_layout import FlowControl


class Paces:
    """Lets the receivers of all message classes of a terminal invite as much as its port takes.

    See hdl's Pace for the rule.

    Attributes
    ----------
    wait, invited, row : (nodes,) arrays
        Cycles to wait; flits that were invited in the cycle before; flits in a row.
    """

    def __init__(self, receivers: int, classes: int, flow: FlowControl) -> None:
        self.classes, self.flow = classes, flow
        self.wait, self.invited, self.row = np.zeros((3, receivers // classes), np.int64)
        self.cycle = 0

    @property
    def passes(self) -> BoolArray:
        """Return whether time passes."""
        passes: BoolArray = (self.row != self.flow.full) & (self.cycle % 7 not in (0, 3))
        return passes

    @property
    def open(self) -> BoolArray:
        """Return which receivers may invite."""
        return np.repeat((self.invited == 0) & (self.wait <= self.passes), self.classes)

    def step(self, invited: IntArray, node: IntArray) -> None:
        """Go through a clock edge.

        Parameters
        ----------
        invited : (receivers,) array
            Flits that each invites in this cycle.
        node : array
            Nodes at which a flit arrives.
        """
        wait = self.wait + self.invited
        self.wait = wait - (self.passes & (wait != 0))
        self.invited = invited.reshape(-1, self.classes).sum(axis=1)
        row = np.zeros_like(self.row)
        row[node] = np.minimum(self.row[node] + 1, self.flow.full)
        self.row = row
        self.cycle += 1

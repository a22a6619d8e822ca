"""Senders of several message classes at the local port of each router."""

import numpy as np

from fingerpost.golden.arrays import BoolArray


class SharedPorts:
    """Grants each port to the least recently granted of the senders that request it.

    Parameters
    ----------
    senders, classes : int
        So many senders, of which `classes` after each other share a port.
    """

    def __init__(self, senders: int, classes: int) -> None:
        self.classes = classes
        self.last_grant = np.arange(senders) % classes - classes  # the cycle; lower is earlier
        self.now = 0

    def granted(self, requests: BoolArray) -> BoolArray:
        """Return which senders are granted their port, of those that request it."""
        if self.classes == 1:
            return requests
        waited = np.where(requests, self.last_grant, self.now).reshape(-1, self.classes)
        first = np.arange(self.classes) == waited.argmin(axis=1)[:, None]
        granted: BoolArray = first.ravel() & requests
        return granted

    def step(self, sends: BoolArray) -> None:
        """Go through a clock edge, in which some send."""
        self.last_grant = np.where(sends, self.now, self.last_grant)
        self.now += 1

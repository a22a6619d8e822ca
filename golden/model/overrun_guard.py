"""Flits that a terminal sends without a credit; the twin of hdl.router.injection."""

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.flit import Flits

__all__ = ["OverrunGuard"]


class OverrunGuard:
    """Drop the flits that a terminal sends without a credit, and count them.

    Such a flit finds the buffer full. Its packet is truncated: it gets a tail as soon as there is
    room, so that the packet releases its channels even if its own tail is lost. A flit that
    arrives before that, or in that cycle, is dropped too.

    Attributes
    ----------
    count : (nodes,)
        The flits that were dropped.
    truncated : (nodes,)
        Whether the packet that is being sent has lost a flit, and has not been given its tail.
    """

    def __init__(self, nodes: int) -> None:
        self.count = np.zeros(nodes, np.int64)
        self.truncated = np.zeros(nodes, np.bool_)

    def step(
        self, sent: Flits, port_index: IntArray, full: BoolArray, in_packet: BoolArray
    ) -> Flits:
        """Return the flits that enter, of those that the terminals send.

        Parameters
        ----------
        sent : Flits
        port_index, full, in_packet : (nodes,) arrays
            The terminal ports; whether their buffers are full; whether their last flit was not a
            tail.
        """
        if not (full.any() or self.truncated.any()):
            return sent
        node = np.searchsorted(port_index, sent.port_index)
        enters = ~(full | self.truncated)[node]
        self.count[node[~enters]] += 1
        sends = np.zeros(len(port_index), np.bool_)
        sends[node] = True
        ends = np.flatnonzero(self.truncated & ~full)
        self.truncated = full & (self.truncated | (sends & in_packet))
        # The data of the tail is whatever the terminal has on its link: 0 if it sends nothing.
        data = np.zeros(len(port_index), np.int64)
        data[node] = sent.data
        number, truth = np.zeros(len(ends), np.int64), np.ones(len(ends), np.bool_)
        tails = Flits(port_index[ends], number, ~truth, truth, data[ends], number - 1)
        entering = sent.select(enters)
        return Flits(*(np.concatenate(pair) for pair in zip(entering, tails, strict=True)))

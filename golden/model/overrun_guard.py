"""Flits that a terminal sends without a credit; the twin of hdl.router.injection."""

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.flit import Flits


class OverrunGuard:
    """Drop the flits that a terminal sends without a credit, and count them.

    Such a flit finds the buffer full. Its packet is truncated: it gets a tail as soon as there is
    room, so that the packet releases its channels even if its own tail is lost. A flit that
    arrives before that, or in that cycle, is dropped too. Flits of other message classes pass: the
    tail waits for a cycle without one, and then the lowest class comes first.

    Channels are node * classes + class.

    Attributes
    ----------
    count : (nodes,)
        The flits that were dropped.
    truncated : (channels,)
        Whether the packet that is being sent has lost a flit, and has not been given its tail.
    """

    def __init__(self, nodes: int, classes: int = 1) -> None:
        self.classes = classes
        self.count = np.zeros(nodes, np.int64)
        self.truncated = np.zeros(nodes * classes, np.bool_)

    def step(
        self, sent: Flits, port_index: IntArray, full: BoolArray, in_packet: BoolArray
    ) -> Flits:
        """Return the flits that enter, of those that the terminals send.

        Parameters
        ----------
        sent : Flits
        port_index, full, in_packet : (channels,) arrays
            The terminal port of each channel; whether its buffer is full; whether its last flit was
            not a tail.
        """
        if not (full.any() or self.truncated.any()):
            return sent
        channel = np.searchsorted(port_index, sent.port_index) + sent.channel
        enters = ~(full | self.truncated)[channel]
        self.count[channel[~enters] // self.classes] += 1
        sends = np.zeros(len(port_index), np.bool_)
        sends[channel] = True
        blocked = full | self._behind_others(sends, self.truncated & ~full)
        ends = np.flatnonzero(self.truncated & ~blocked)
        self.truncated = blocked & (self.truncated | (sends & in_packet))
        # The data of the tail is whatever the terminal has on its link: 0 if it sends nothing.
        data = np.zeros(len(port_index), np.int64)
        data[channel] = sent.data
        number, truth = np.zeros(len(ends), np.int64), np.ones(len(ends), np.bool_)
        tails = Flits(port_index[ends], ends % self.classes, ~truth, truth, data[ends], number - 1)
        entering = sent.select(enters)
        return Flits(*(np.concatenate(pair) for pair in zip(entering, tails, strict=True)))

    def _behind_others(self, sends: BoolArray, ready: BoolArray) -> BoolArray:
        """Return the channels that another class comes before: one that sends, or a lower tail."""
        by_node = sends.reshape(-1, self.classes)
        counted = ready.reshape(-1, self.classes).cumsum(axis=1).ravel()
        lower = counted > ready
        sending = np.repeat(by_node.any(axis=1), self.classes)
        return np.where(sending, ~sends, lower)

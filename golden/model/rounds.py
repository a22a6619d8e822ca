"""Rounds: of those that wait for a channel each goes once before any goes twice."""

import numpy as np

from golden.arrays import BoolArray, IntArray

__all__ = ["Rounds"]


class Rounds:
    """The rounds of all channels of all outputs; the twin of hdl.rounds.

    Who goes while the head of another waits that is still due has had its turn, and comes again
    when nobody is due any more: that is a new round.

    Parameters
    ----------
    channels : int
        The channels of all outputs.
    queues : int
        The queues of one router.
    """

    def __init__(self, channels: int, queues: int) -> None:
        self.queues = queues
        self.gone = np.zeros((channels, queues), np.bool_)
        self.lasts = np.zeros(channels, np.int64)  # the cycle in which `gone` is true
        self.now = 0
        self.due = np.zeros(channels, np.int64)

    def had(self, channel: IntArray, queue: IntArray) -> BoolArray:
        """Return who has had its turn on a channel, of pairs of channel and queue."""
        had: BoolArray = self.lasts[channel] == self.now
        lasts = np.flatnonzero(had)
        had[lasts] = self.gone[channel[lasts], queue[lasts] % self.queues]
        return had

    def step(self, due: IntArray, asked: IntArray, begins: IntArray, queue: IntArray) -> None:
        """Take the clock edge.

        Parameters
        ----------
        due : array of channels
            Where heads wait that have not had their turn, once for each.
        asked : array of channels
            Where one of them goes.
        begins, queue : arrays
            Where any head goes, and from which queue.
        """
        np.add.at(self.due, due, 1)
        self.due[asked] -= 1
        on = due[self.due[due] > 0]
        anew = on[self.lasts[on] != self.now]
        self.gone[anew] = False
        self.lasts[on] = self.now + 1
        lasts = self.due[begins] > 0
        self.gone[begins[lasts], queue[lasts] % self.queues] = True
        self.due[due] = 0
        self.now += 1

"""Batches: of the heads that wait for a channel each is granted once before any is twice."""

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray


class BatchArbiter:
    """The batches of all channels of all outputs; the twin of hdl.router.batch_arbiter.

    A head is *pending* if it waits for the channel and its queue is not masked. A queue that is
    granted while other heads are pending is *served*: it is masked until no head is pending. Then
    the mask clears and the next batch starts. So each other queue passes a waiting head at most
    twice: once in this batch, and once in the next.

    Parameters
    ----------
    channels : int
        The channels of all outputs.
    queues : int
        The queues of one router.

    Attributes
    ----------
    served : (channels, queues)
        The mask; it holds where `batch_open` is `now`, and is clear elsewhere.
    batch_open : (channels,)
        The cycle in which a batch was last open.
    """

    def __init__(self, channels: int, queues: int) -> None:
        self.queues = queues
        self.served = np.zeros((channels, queues), np.bool_)
        self.batch_open = np.zeros(channels, np.int64)
        self.now = 0
        self.pending = np.zeros(channels, np.int64)

    def is_served(self, channel: IntArray, queue: IntArray) -> BoolArray:
        """Return which queues are masked, for pairs of channel and queue."""
        served: BoolArray = self.batch_open[channel] == self.now
        is_open = np.flatnonzero(served)
        served[is_open] = self.served[channel[is_open], queue[is_open] % self.queues]
        return served

    def step(
        self, pending: IntArray, granted: IntArray, channel: IntArray, queue: IntArray
    ) -> None:
        """Take the clock edge.

        Parameters
        ----------
        pending : array of channels
            The channel of each pending head.
        granted : array of channels
            The channels on which one of them is granted.
        channel, queue : arrays
            The channel and queue of every head that is granted, pending or not.
        """
        np.add.at(self.pending, pending, 1)
        self.pending[granted] -= 1
        goes_on = pending[self.pending[pending] > 0]
        starts = goes_on[self.batch_open[goes_on] != self.now]
        self.served[starts] = False
        self.batch_open[goes_on] = self.now + 1
        masked = self.pending[channel] > 0
        self.served[channel[masked], queue[masked] % self.queues] = True
        self.pending[pending] = 0
        self.now += 1

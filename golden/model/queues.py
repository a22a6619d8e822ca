"""The queues of all inputs; the twin of hdl.queue."""

import numpy as np

from golden.arrays import BoolArray, IntArray

__all__ = ["Queues"]


class Queues:
    """A queue for each channel of each input, and the way of the packet at its front.

    Parameters
    ----------
    depth : (queues,) array
        The flits that each can hold.

    Attributes
    ----------
    level : (queues,)
        How many flits each holds.
    newest, oldest : (queues,)
        The rows where the next flit is written, and where the front is.
    midst : (queues,)
        Whether the head of the packet at the front has gone, and its tail has not.
    way_port, way_channel : (queues,)
        Where that packet goes: an output port, -1 if it is drained, and its channel.
    tail, data, tag : (rows,)
        The flits.
    """

    def __init__(self, depth: IntArray) -> None:
        queues = len(depth)
        self.depth = depth
        self.rows = int(depth.max())  # reserved for each queue
        self.base = np.arange(queues) * self.rows
        self.end = self.base + depth
        self.level = np.zeros(queues, np.int64)
        self.newest, self.oldest = self.base.copy(), self.base.copy()
        self.midst = np.zeros(queues, np.bool_)
        self.way_port, self.way_channel = np.full(queues, -1), np.zeros(queues, np.int64)
        rows = queues * self.rows
        self.port, self.channel = np.zeros(rows, np.int16), np.zeros(rows, np.int16)
        self.tail = np.zeros(rows, np.bool_)
        self.data, self.tag = np.zeros(rows, np.int64), np.zeros(rows, np.int64)

    def _after(self, row: IntArray, queue: IntArray) -> IntArray:
        """Return the row after `row` in a queue."""
        following = row + 1
        wraps = np.flatnonzero(following == self.end[queue])
        following[wraps] = self.base[queue[wraps]]
        return following

    def step(
        self,
        taken: IntArray,
        arriving: IntArray,
        port: IntArray,
        channel: IntArray,
        tail: BoolArray,
        data: IntArray,
        tag: IntArray,
    ) -> None:
        """Let the front of the queues `taken` go, and write what is `arriving` to its queues."""
        row = self.newest[arriving]
        self.port[row], self.channel[row], self.tail[row] = port, channel, tail
        self.data[row], self.tag[row] = data, tag
        self.newest[arriving] = self._after(row, arriving)
        self.level[arriving] += 1

        row = self.oldest[taken]
        self.midst[taken] = ~self.tail[row]
        self.oldest[taken] = self._after(row, taken)
        self.level[taken] -= 1

        # The head that has come to the front tells the way.
        changed = np.concatenate([taken, arriving])
        front = changed[(self.level[changed] > 0) & ~self.midst[changed]]
        row = self.oldest[front]
        self.way_port[front], self.way_channel[front] = self.port[row], self.channel[row]

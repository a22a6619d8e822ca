"""The virtual-channel buffers of all inputs; the twin of hdl.router.vc_buffer."""

from typing import NamedTuple

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray


class Push(NamedTuple):
    """Flits that are written to queues, as parallel arrays; each queue occurs once at most.

    Attributes
    ----------
    queue : array
    route_port, route_channel : array
        The output port and channel of the packet; of a head only. -1 discards the packet.
    tail, data, tag : array
        As those of `fingerpost.golden.flit.Flits`.
    """

    queue: IntArray
    route_port: IntArray
    route_channel: IntArray
    tail: BoolArray
    data: IntArray
    tag: IntArray

    @classmethod
    def empty(cls) -> "Push":
        """Return no flits."""
        number, truth = np.empty(0, np.int64), np.empty(0, np.bool_)
        return cls(number, number, number, truth, number, number)


class VcBuffers:
    """A queue for each channel of each input, and the route of the packet at its front.

    Parameters
    ----------
    depth : (queues,) array
        The flits that each can hold.

    Attributes
    ----------
    level : (queues,)
        How many flits each holds.
    write_ptr, read_ptr : (queues,)
        The rows where the next flit is written, and where the front is.
    mid_packet : (queues,)
        Whether the head of the packet at the front has left, and its tail has not.
    route_port, route_channel : (queues,)
        The output port of that packet, -1 if it is discarded, and its channel there.
    port, channel, tail, data, tag : (rows,)
        The flits; port and channel are the route of a head.
    """

    def __init__(self, depth: IntArray) -> None:
        queues = len(depth)
        self.depth = depth
        self.rows = int(depth.max())  # reserved for each queue
        self.base = np.arange(queues) * self.rows
        self.end = self.base + depth
        self.level = np.zeros(queues, np.int64)
        self.write_ptr, self.read_ptr = self.base.copy(), self.base.copy()
        self.mid_packet = np.zeros(queues, np.bool_)
        self.route_port, self.route_channel = np.full(queues, -1), np.zeros(queues, np.int64)
        rows = queues * self.rows
        self.port, self.channel = np.zeros(rows, np.int16), np.zeros(rows, np.int16)
        self.tail = np.zeros(rows, np.bool_)
        self.data, self.tag = np.zeros(rows, np.int64), np.zeros(rows, np.int64)

    def _next_ptr(self, row: IntArray, queue: IntArray) -> IntArray:
        """Return the row after `row` in a queue."""
        following = row + 1
        wraps = np.flatnonzero(following == self.end[queue])
        following[wraps] = self.base[queue[wraps]]
        return following

    def step(self, pop: IntArray, push: Push) -> None:
        """Remove the front of the queues `pop`, and write the flits of `push`."""
        row = self.write_ptr[push.queue]
        self.port[row], self.channel[row] = push.route_port, push.route_channel
        self.tail[row], self.data[row], self.tag[row] = push.tail, push.data, push.tag
        self.write_ptr[push.queue] = self._next_ptr(row, push.queue)
        self.level[push.queue] += 1

        row = self.read_ptr[pop]
        self.mid_packet[pop] = ~self.tail[row]
        self.read_ptr[pop] = self._next_ptr(row, pop)
        self.level[pop] -= 1

        # A head that reaches the front sets the route.
        changed = np.concatenate([pop, push.queue])
        front = changed[(self.level[changed] > 0) & ~self.mid_packet[changed]]
        row = self.read_ptr[front]
        self.route_port[front], self.route_channel[front] = self.port[row], self.channel[row]

"""The queues whose packets may want a channel of an output, in the order of their turns."""

import numpy as np

from golden.arrays import IntArray
from golden.network import Network

__all__ = ["Sources"]


class Sources:
    """For every channel of every output its sources, by number.

    These are the channels of the inputs from which routes turn there, in the order of ports and
    channels, the terminal last: those of the same number, and those from which a packet is raised
    to it, whether or not one is at this node. All channels of an input may want the terminal.
    """

    def __init__(self, network: Network) -> None:
        topology, lanes = network.topology, network.lanes
        self.local, self.channels = topology.local, network.virtual_channels
        self.queues = (topology.degree + 1) * self.channels
        kinds = {kind: number for number, kind in enumerate(topology.kinds)}
        self.kind = np.array([kinds[kind] for kind in topology.kind])
        shape = len(kinds), self.queues, self.queues
        self.number, self.count = np.zeros(shape, np.int64), np.ones(shape, np.int64)
        channel = np.arange(self.channels)
        same = channel[:, None] == channel
        ways = same | (lanes.raised[:, None] == channel)  # from, to
        entry = np.zeros_like(ways)
        entry[0] = channel < lanes.count[0]
        exits = np.zeros_like(ways)
        exits[:, 0] = True
        for kind, taken in network.taken.items():
            used = np.array(
                [
                    [
                        (entry if i == self.local else ways if o < self.local else exits)
                        if o < self.local or i < self.local
                        else entry & exits
                        for o in range(len(taken))
                    ]
                    for i in range(len(taken))
                ]
            )
            used &= taken[:, :, None, None]
            mayuse = used.transpose(0, 2, 1, 3).reshape(self.queues, self.queues)
            self.number[kinds[kind]] = mayuse.cumsum(axis=0) - 1
            self.count[kinds[kind]] = np.maximum(mayuse.sum(axis=0), 1)

    def turn(self, queue: IntArray, out_channel: IntArray) -> tuple[IntArray, IntArray]:
        """Return the number of each queue among the sources of its channel, and their count."""
        node, here = np.divmod(queue, self.queues)
        at = self.kind[node], here, out_channel % self.queues
        return self.number[at], self.count[at]

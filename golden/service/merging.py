"""What locally fair merging along its route gives to every source, from the routes alone.

A stream is what goes through one queue: what comes to a node by one port on one channel, or from
its terminal. The contenders at an output are all streams of the pattern that take it, whatever
the channel on which they leave. Where each gets an equal part, a route is left with the product of
1 / contenders over its outputs, the terminal's included.

That is not all that fair merging allows for: a packet can wait behind another one of its queue,
which goes on to a worse place. So beside the product along a source's own route there is the
least of the products along all chains of queues behind which its packets can come to wait.

Not counted is that a packet longer than a queue holds its channel while its flits come, slowly
where channels share a link behind it: of permutations with such packets even an ideal arbiter
leaves some sources about half of what is found here.
"""

from collections import defaultdict
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.deadlock.channels import vc_class
from fingerpost.golden.network.network import Network
from fingerpost.golden.routing.walk import walk

Queue = tuple[int, int, int]
"""Node, port of arrival, channel."""

Output = tuple[int, int]
"""Node and port."""


class Shares(NamedTuple):
    """Flits per cycle for every node, NaN where it does not send.

    `along` is the product along a source's own route, `behind` the least of the products along
    all routes that its packets can wait behind.
    """

    along: NDArray[np.float64]
    behind: NDArray[np.float64]


def shares(network: Network, destination: IntArray) -> Shares:
    """Return what fair merging gives if every node sends to its `destination`, if that is not -1.

    Routes are those of packets without contention: if decisions depend on free ports, all are
    free. Terminals are as slow as links.
    """
    topology = network.topology
    local, last = topology.local, network.channels_per_class - 1
    sources = np.flatnonzero(destination >= 0)
    routes = walk(network.routing, sources, destination[sources])
    classes = vc_class(topology, network.channels.vc_increments, routes)
    ways = []
    for row, source in enumerate(sources.tolist()):
        node, port, channel = source, local, 0
        way: list[tuple[Queue, Output]] = []
        for hop in range(int(routes.hops[row])):
            by = int(routes.ports[row, hop])
            way.append(((node, port, channel), (node, by)))
            channel = min(int(classes[row, hop]), last)
            port = int(topology.arrival_port[node, by])
            node = int(topology.neighbour[node, by])
        ways.append([*way, ((node, port, channel), (node, local))])

    contenders: dict[Output, set[Queue]] = defaultdict(set)
    onward: dict[Queue, set[tuple[Output, Queue | None]]] = defaultdict(set)
    for way in ways:
        following = [queue for queue, _ in way[1:]]
        for (queue, output), after in zip(way, [*following, None], strict=True):
            contenders[output].add(queue)
            onward[queue].add((output, after))

    found: dict[Queue, float] = {}

    def worst(queue: Queue) -> float:
        """Return the least that the queue is sure of; there is no cycle of queues."""
        if queue not in found:
            found[queue] = min(
                (worst(after) if after else 1.0) / len(contenders[output])
                for output, after in onward[queue]
            )
        return found[queue]

    slowest = network.link.rate(network.flit_width)
    along, behind = (np.full(topology.nodes, np.nan) for _ in range(2))
    for source, way in zip(sources.tolist(), ways, strict=True):
        along[source] = slowest / np.prod([float(len(contenders[output])) for _, output in way])
        behind[source] = slowest * worst(way[0][0])
    return Shares(along, behind)

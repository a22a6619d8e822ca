"""What locally fair merging gives to every source, from the routes alone, and how sources fare.

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
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.engine import engine
from fingerpost.golden.measure.latency import zero_load
from fingerpost.golden.network.network import Network
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.traffic import Traffic
from tests.golden.dependencies import vc_class
from tests.golden.service.endless import endless

Queue = tuple[int, int, int]
"""Node, port of arrival, channel."""

Output = tuple[int, int]
"""Node and port."""

MEASURED = 8
"""Packets that fair merging must give a source for its part to be judged."""


def shares(
    network: Network, destination: IntArray
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return what fair merging gives each source along its route, and behind others of its queues.

    In flits per cycle, for the nodes that send. Routes are those of packets without contention: if
    decisions depend on free ports, all are free. Terminals are as slow as links.
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

    @cache
    def worst(queue: Queue) -> float:
        """Return the least that the queue is sure of; there is no cycle of queues."""
        return min(
            (worst(after) if after else 1.0) / len(contenders[output])
            for output, after in onward[queue]
        )

    slowest = network.link.rate(network.flit_width)
    along = [1 / np.prod([float(len(contenders[output])) for _, output in way]) for way in ways]
    behind = [worst(way[0][0]) for way in ways]
    return slowest * np.array(along), slowest * np.array(behind)


@dataclass(frozen=True)
class Judgement:
    """The service that sources get under a pattern of traffic."""

    sources: int
    judged: int
    """Those that send; those that fair merging gives at least `MEASURED` packets."""
    starved: int
    """Judged sources without a delivered packet."""
    along: float
    behind: float
    """The least service of a source, as a part of its share (`shares`)."""
    poorest: int
    """The source with the least part of its share `behind`."""
    gap: int
    """The longest time without a delivered packet of a judged source, after its first."""
    patience: float
    onset: float
    """Maxima over judged sources, in packet times of the source's share `behind`: of `gap`, and of
    the time until the first delivered packet, less its time in an empty network. That packet may
    wait at each hop."""
    accepted: float
    """Flits per cycle delivered, of all sources."""


def judge(network: Network, destination: IntArray, *, length: int, cycles: int) -> Judgement:
    """Let every node of the model send packets to its destination, as fast as it can.

    Flits of packets of which the last has not come out are not counted.

    Raises
    ------
    ValueError
        If a packet came out where it should not, or if there are too few cycles.
    """
    pattern = endless(network, destination, length=length, cycles=cycles)
    one_class = (1, *[0] * (network.classes - 1))
    model = engine(network, [Traffic(network, None, 1, pattern=pattern, classes=one_class)])
    model.run(cycles)
    run = model.runs[0]
    if run.faults:
        raise ValueError(f"Network needs repair: {run.faults[0]}")
    some = np.flatnonzero(destination >= 0)
    delivered = [run.delivered[run.traffic.source == source] for source in some]
    times = [each[each >= 0] for each in delivered]
    got = np.array([len(each) for each in times]) * length / cycles
    gap = np.array([max(np.diff(each, append=cycles), default=cycles) for each in times])
    began = np.array([min(each, default=cycles) for each in times])
    hops = walk(network.routing, some, destination[some]).hops
    # Where that varies nothing is left out.
    least = [zero_load(network, int(count), flits=length) or 0 for count in hops]
    along, behind = shares(network, destination)
    judged = behind * cycles >= MEASURED * length
    if not judged.any():
        raise ValueError(
            f"Judgement needs more cycles than {cycles}: fair merging gives no source "
            f"{MEASURED} packets"
        )
    part = np.where(judged, got / behind, np.inf)
    return Judgement(
        sources=len(some),
        judged=int(judged.sum()),
        starved=int((got[judged] == 0).sum()),
        along=float((got / along)[judged].min()),
        behind=float(part.min()),
        poorest=int(some[part.argmin()]),
        gap=int(gap[judged].max()),
        patience=float((gap * behind / length)[judged].max()),
        onset=float(((began - least) * behind / length)[judged].max()),
        accepted=float(got.sum()),
    )

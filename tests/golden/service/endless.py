"""Traffic that never ends, what a network accepts of it, and the share of each source.

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
from dataclasses import dataclass, field
from functools import cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.engine import engine
from fingerpost.golden.measure.latency import zero_load
from fingerpost.golden.network.network import Network
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.topology.base import Topology
from fingerpost.golden.traffic import Traffic
from fingerpost.golden.traffic.patterns.base import Demand, Packets, Pattern
from tests.golden.graphs import vc_class


def hot_spot(network: Network, node: int) -> IntArray:
    """Return the destination of every node if all send to one; -1 where there is none."""
    destination = np.full(network.topology.nodes, -1)
    destination[network.topology.terminals] = node
    destination[node] = -1
    return destination


def permutation(network: Network, seed: int) -> IntArray:
    """Return the destination of every node in a random permutation; -1 where there is none."""
    terminals = network.topology.terminals
    destination = np.full(network.topology.nodes, -1)
    destination[terminals] = np.random.default_rng(seed).permutation(terminals)
    destination[destination == np.arange(len(destination))] = -1
    return destination


@dataclass(frozen=True)
class _Endless(Pattern):
    """`count` packets of `length` flits from each terminal to its own goal, -1 for none.

    All are made in cycle 0.
    """

    name: ClassVar[str] = "endless"
    recorded: ClassVar[bool] = True
    goal: IntArray = field(repr=False)
    count: int
    length: int

    def demand(self, topology: Topology) -> Demand:
        return Demand.to(self.goal)

    def packets(self, topology: Topology, load: float | None, cycles: int, **drawn: Any) -> Packets:
        source = np.repeat(np.flatnonzero(self.goal >= 0), self.count)
        return Packets(
            source, self.goal[source], np.zeros_like(source), np.full_like(source, self.length)
        )


def endless(network: Network, destination: IntArray, *, length: int, cycles: int) -> Pattern:
    """Return packets for so many cycles at full rate from every node to its `destination`.

    Nodes whose destination is -1 send nothing. The pattern needs no load.
    """
    terminals = network.topology.terminals
    rank = np.append(np.full(network.topology.nodes, -1), -1)  # the last for -1
    rank[terminals] = np.arange(len(terminals))
    return _Endless(rank[destination[terminals]], cycles // length + 1, length)


def accepted(network: Network, *, load: float, length: int, cycles: int, seed: int = 0) -> float:
    """Return the flits per terminal and cycle that come out under uniform traffic.

    As many cycles again as a quarter of `cycles` go before; terminals always read.
    """
    flits = came_out(network, load, length, cycles // 4 + cycles, seed)
    return float(flits[cycles // 4 :].mean()) / len(network.topology.terminals)


def came_out(network: Network, load: float, length: int, cycles: int, seed: int = 0) -> IntArray:
    """Return the flits that came out in each cycle, those of a packet when its last one did."""
    model = engine(network, [Traffic(network, load, cycles, seed=seed, lengths=length)])
    model.run(cycles)
    times = model.runs[0].delivered
    return length * np.bincount(times[times >= 0], minlength=cycles)


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

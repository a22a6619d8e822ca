"""All that packets can do, also where decisions depend on chance, or on what is free."""

from collections.abc import Iterator

import numpy as np

from golden.arrays import BoolArray, IntArray
from golden.routing.base import Routing

__all__ = ["explore", "states"]


def _hops(
    routing: Routing, orbit: IntArray, sources: IntArray, turns: BoolArray | None, channels: int
) -> Iterator[tuple[IntArray, IntArray, IntArray, IntArray, IntArray]]:
    """Follow packets from `sources` to all terminals by every decision that some hint leads to.

    Yields for every hop the nodes, ports of arrival and headers of all packets before it, and the
    edges of the channel dependency graph, as (starts, ends), that it adds. Packets that have the
    same header on the same channel are one from there on.
    """
    topology = routing.topology
    degree, local, terminals = topology.degree, topology.local, topology.terminals
    first = np.unique(orbit, return_index=True)[1]
    node, destination = np.repeat(sources, len(terminals)), np.tile(terminals, len(sources))
    header = np.asarray(routing.encode(node, destination))
    arrival, channel = np.full(len(node), local), np.zeros(len(node), np.int64)
    came = np.full(len(node), -1)  # the vertex, link and channel, over which a packet came
    for _ in range(topology.nodes + 1):
        which, decision = routing.alternatives(node, arrival, header)
        away = decision.port != local
        which, port, onward = which[away], decision.port[away], decision.header[away]
        at, start = node[which], came[which]
        raised = channel[which]
        if turns is not None:
            raised = np.minimum(raised + turns[at, arrival[which], port], channels - 1)
        here = (orbit[at] * degree + port) * channels + raised
        linked = start >= 0
        yield node, arrival, header, start[linked], here[linked]
        if not len(which):
            return
        order = np.lexsort((onward, at * degree + port, here))
        same = [np.diff(x[order], prepend=-1) == 0 for x in (onward, at, here)]
        some = order[~np.logical_and.reduce(same)]
        link = at[some], port[some]
        node, arrival = topology.neighbour[link], topology.arrival_port[link]
        if routing.relative:
            node = first[orbit[node]]
        header, channel, came = onward[some], raised[some], here[some]
    raise ValueError(f"{routing.algorithm} needs more than n = {topology.nodes} hops")


def explore(
    routing: Routing, turns: BoolArray, orbit: IntArray, channels: int
) -> tuple[IntArray, IntArray, int]:
    """Return the channel dependency graph of all decisions that can be taken.

    Its edges are (starts, ends), its vertices (orbit * degree + port) * channels + channel; third
    is the highest channel that was used.

    Raises
    ------
    ValueError
        If a packet can go on for more than n hops.
    """
    terminals = routing.topology.terminals
    sources = terminals[np.unique(orbit[terminals], return_index=True)[1]]
    vertices = (int(orbit.max()) + 1) * routing.topology.degree * channels
    edges = np.empty(0, np.int64)
    for _, _, _, start, end in _hops(routing, orbit, sources, turns, channels):
        edges = np.union1d(edges, start * vertices + end)
    starts, ends = np.divmod(edges, vertices)
    return starts, ends, int((ends % channels).max(initial=0))


def states(routing: Routing, sources: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return all (node, port of arrival, header) of packets from `sources` to all terminals.

    They are sorted. If decisions are relative, one node stands for its orbit.
    """
    hops = [hop[:3] for hop in _hops(routing, routing.orbit, sources, None, 1)]
    node, arrival, header = (np.concatenate(column) for column in zip(*hops, strict=True))
    order = np.lexsort((header, arrival, node))
    node, arrival, header = node[order], arrival[order], header[order]
    fresh = np.ones(len(node), np.bool_)
    fresh[1:] = (np.diff(node) != 0) | (np.diff(arrival) != 0) | (np.diff(header) != 0)
    return node[fresh], arrival[fresh], header[fresh]

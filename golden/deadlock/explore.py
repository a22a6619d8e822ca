"""All that packets can do, also where decisions depend on chance, or on what is free."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.routing.base import Routing

__all__ = ["explore", "states", "used_turns"]


class _Hop(NamedTuple):
    """A hop of all packets: where they were before it, and what it adds.

    The first three are the nodes, ports of arrival and headers; then the turns of every decision,
    also to deliver, as (node, port of arrival, output port); and the edges of the channel
    dependency graph, as (starts, ends).
    """

    node: IntArray
    arrival: IntArray
    header: IntArray
    turn: tuple[IntArray, IntArray, IntArray]
    edge: tuple[IntArray, IntArray]


def _hops(
    routing: Routing,
    orbit: IntArray,
    sources: IntArray,
    increments: BoolArray | None,
    channels: int,
) -> Iterator[_Hop]:
    """Follow packets from `sources` to all terminals by every decision of every selection.

    Packets that have the same header on the same channel are one from there on.
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
        turn = node[which], arrival[which], decision.port
        away = decision.port != local
        which, port, onward = which[away], decision.port[away], decision.header[away]
        at, start = node[which], came[which]
        next_vc = channel[which]
        if increments is not None:
            next_vc = np.minimum(next_vc + increments[at, arrival[which], port], channels - 1)
        here = (orbit[at] * degree + port) * channels + next_vc
        linked = start >= 0
        yield _Hop(node, arrival, header, turn, (start[linked], here[linked]))
        if not len(which):
            return
        order = np.lexsort((onward, at * degree + port, here))
        same = [np.diff(x[order], prepend=-1) == 0 for x in (onward, at, here)]
        some = order[~np.logical_and.reduce(same)]
        link = at[some], port[some]
        node, arrival = topology.neighbour[link], topology.arrival_port[link]
        if routing.relative:
            node = first[orbit[node]]
        header, channel, came = onward[some], next_vc[some], here[some]
    raise ValueError(f"{routing.algorithm} needs more than n = {topology.nodes} hops")


def _representatives(routing: Routing, orbit: IntArray) -> IntArray:
    """Return the first terminal of every orbit."""
    terminals = routing.topology.terminals
    first: IntArray = terminals[np.unique(orbit[terminals], return_index=True)[1]]
    return first


def explore(
    routing: Routing, increments: BoolArray, orbit: IntArray, channels: int
) -> tuple[IntArray, IntArray, int]:
    """Return the channel dependency graph of all decisions that can be taken.

    Its edges are (starts, ends), its vertices (orbit * degree + port) * channels + channel; third
    is the highest channel that was used.

    Raises
    ------
    ValueError
        If a packet can go on for more than n hops.
    """
    sources = _representatives(routing, orbit)
    vertices = (int(orbit.max()) + 1) * routing.topology.degree * channels
    edges = np.empty(0, np.int64)
    for hop in _hops(routing, orbit, sources, increments, channels):
        start, end = hop.edge
        edges = np.union1d(edges, start * vertices + end)
    starts, ends = np.divmod(edges, vertices)
    return starts, ends, int((ends % channels).max(initial=0))


def used_turns(routing: Routing, orbit: IntArray) -> BoolArray:
    """Return the turns of all decisions that can be taken.

    Shape (orbits, degree + 1, degree + 1), by orbit, port of arrival and output port.
    """
    ports = routing.topology.degree + 1
    used = np.zeros((int(orbit.max()) + 1, ports, ports), np.bool_)
    for hop in _hops(routing, orbit, _representatives(routing, orbit), None, 1):
        node, arrival, port = hop.turn
        used[orbit[node], arrival, port] = True
    return used


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

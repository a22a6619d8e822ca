"""Routes: decisions chained from source to destination, and the headers that they begin with."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from fingerpost.golden.arrays import IntArray, SmallArray
from fingerpost.golden.routing.base import Decision, Routing


class Routes(NamedTuple):
    """Routes of many packets, one row each, padded with -1 behind the last hop.

    nodes is (packets, longest+1), ports and phases (the phase in which the hop was decided) are
    (packets, longest), hops is (packets,).
    """

    nodes: SmallArray
    ports: SmallArray
    phases: SmallArray
    hops: SmallArray


def hops(
    routing: Routing, source: IntArray, destination: IntArray, *, seed: int = 0
) -> Iterator[tuple[IntArray, IntArray, IntArray, IntArray, Decision]]:
    """Move packets from node to node, all by one hop at a time, until the last is delivered.

    Yields, for the packets that still move, their numbers, the nodes, the ports of arrival, the
    headers, and the decisions. Chance comes from `seed`; all ports are free.

    Raises
    ------
    ValueError
        If a packet takes more than n hops, or a node refuses its header.
    """
    topology = routing.topology
    rng = np.random.default_rng(seed)
    packet = np.arange(len(source))
    node, arrival = source, np.full(len(source), topology.local)
    header = np.asarray(routing.encode(source, destination))
    for _ in range(topology.nodes + 1):
        chance = rng.integers(1 << 16, size=len(node)) if routing.selection == "random" else None
        decision = routing.decide(node, arrival, header, chance)
        if decision.error.any():
            lost = int(decision.error.argmax())
            raise ValueError(
                f"{routing.algorithm} refuses at node {node[lost]} the header of a packet from "
                f"{source[packet[lost]]} to {destination[packet[lost]]}"
            )
        yield packet, node, arrival, header, decision
        away = decision.port != topology.local
        packet, here, port = packet[away], node[away], decision.port[away]
        if not len(packet):
            return
        node, arrival = topology.neighbour[here, port], topology.arrival_port[here, port]
        header = decision.header[away]
    raise ValueError(
        f"{routing.algorithm} needs more than n = {topology.nodes} hops from "
        f"{source[packet[0]]} to {destination[packet[0]]}"
    )


def walk(routing: Routing, source: IntArray, destination: IntArray, *, seed: int = 0) -> Routes:
    """Return the routes from every `source` to the `destination` in the same place.

    Raises
    ------
    ValueError
        If a packet takes more than n hops, is refused, or is delivered to a wrong node.

    Examples
    --------
    >>> from fingerpost.golden.routing.table import Table
    >>> from fingerpost.golden.topology import DoubleLoop
    >>> route = walk(Table(DoubleLoop(nodes=7, a=1, b=5)), 0, 3)
    >>> route.nodes.tolist(), route.ports.tolist(), route.hops.tolist()
    ([[0, 5, 3]], [[1, 1]], [2])
    """
    source, destination = np.broadcast_arrays(np.atleast_1d(source), np.atleast_1d(destination))
    nodes, ports, phases = [], [], []
    last = source.copy()
    for packet, node, _, _, decision in hops(routing, source, destination, seed=seed):
        at, by, phase = (np.full(len(source), -1, kind) for kind in (np.int32, np.int16, np.int16))
        last[packet] = at[packet] = node
        away = decision.port != routing.topology.local
        by[packet[away]] = decision.port[away]
        phase[packet[away]] = routing.phase(decision.header)[away]
        nodes.append(at)
        ports.append(by)
        phases.append(phase)
    lost = np.flatnonzero(last != destination)
    if len(lost):
        raise ValueError(
            f"{routing.algorithm} delivers a packet from {source[lost[0]]} to {last[lost[0]]}, "
            f"not to {destination[lost[0]]}"
        )
    table = np.stack(ports[:-1]).T if len(ports) > 1 else np.empty((len(source), 0), np.int16)
    stages = np.stack(phases[:-1]).T if len(ports) > 1 else table
    return Routes(np.stack(nodes).T, table, stages, (table >= 0).sum(axis=1))


WIDEST = 24
"""More bits than this are not tried out."""

CHUNK = 1 << 18
"""Headers that are looked at in one step."""


def raw_headers(routing: Routing) -> Iterator[IntArray]:
    """Yield, some at a time, all headers that differ in what a terminal sends; other bits are 0.

    A terminal can send any bits. The proof that a network cannot deadlock starts from the headers
    that `Routing.encode` makes. It holds for all others too: header generation, or the decision
    behind it, refuses them, or makes of them what it makes of an encoded one.

    Raises
    ------
    ValueError
        If there are too many.
    """
    fields = [routing.header[name] for name in routing.sent]
    places = sorted({f.offset + i for f in fields for i in range(f.width)})  # fields may overlay
    if len(places) > WIDEST:
        raise ValueError(
            f"Header generation needs headers with at most {WIDEST} bits sent to be tried out, "
            f"not {len(places)}"
        )
    for begin in range(0, 1 << len(places), CHUNK):
        number = np.arange(begin, min(begin + CHUNK, 1 << len(places)))
        yield sum(((number >> i & 1) << place for i, place in enumerate(places)), 0 * number)

"""Ways past failed links that a flit can follow wherever it comes from.

The place of a failed input passes the switches to the failed output of the same port, and takes
sides of switches from other inputs: a flit from such an input cannot leave by every port that is
left. So a link may lead nearer to a destination, and yet end at an input from which no link leads
on. Here such links are not productive.
"""

from collections.abc import Iterable, Mapping
from itertools import product

import numpy as np

from fingerpost.golden.arrays import BoolArray
from fingerpost.golden.deflection.destinations import Destinations
from fingerpost.golden.deflection.pairing import Pairing
from fingerpost.golden.deflection.switches import RANKS, reach
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.topology.base import NodeType, Topology

__all__ = ["detours", "leaves_by"]

FAR = 255
"""The distance of what is not reached yet."""


def leaves_by(pairing: Pairing, failed: Iterable[int], start: int, productive: int) -> int:
    """Return the output port by which a flit that meets no other leaves a router.

    Parameters
    ----------
    pairing : Pairing
        Of the router; it has passages.
    failed : iterable of int
        The ports whose links have failed.
    start : int
        The input port by which the flit comes.
    productive : int
        A bit for each output port that brings it nearer.
    """
    links, passages = len(pairing.inputs), pairing.passages
    assert passages is not None
    wanted = np.array([productive >> port & 1 for port in pairing.outputs], np.bool_)
    slot, down = pairing.inputs.index(start), {pairing.inputs.index(port) for port in failed}
    for rank in zip(RANKS[links], reach(links), passages, strict=True):
        for (a, b), side, passage in zip(*rank, strict=True):
            first, second = (bool((wanted & where).any()) for where in side)
            if down & {a, b}:
                swap = passage.crosses
            else:
                swap = first < second if slot == a else second < first
            if swap:
                to = {a: b, b: a}
                slot, down = to.get(slot, slot), {to.get(place, place) for place in down}
    return pairing.outputs[slot]


def detours(
    topology: Topology, left: Topology, pairings: Mapping[NodeType, Pairing]
) -> Destinations:
    """Return distances and productive ports of a flit that meets no other, by every destination.

    Parameters
    ----------
    topology : Topology
    left : Topology
        The same without the links that have failed, each in both directions.
    pairings : mapping
        Those of the routers of `topology`.

    Raises
    ------
    ParameterError
        If a flit may find no way.
    """
    nodes, terminals = topology.nodes, topology.terminals
    failed = {
        node: np.flatnonzero((topology.neighbour[node] >= 0) & (left.neighbour[node] < 0)).tolist()
        for node in range(nodes)
        if (topology.neighbour[node] != left.neighbour[node]).any()
    }
    goes_on = {node: _goes_on(topology, node, failed[node], pairings) for node in failed}
    distance = np.full((nodes, len(terminals)), FAR, np.uint8)
    distance[terminals, np.arange(len(terminals))] = 0
    productive = np.zeros_like(distance)
    for hops in range(1, FAR):
        before, fresh = distance == hops - 1, np.zeros_like(productive)
        for port in range(topology.degree):
            there = left.neighbour[:, port]
            nearer = before[there] & (there >= 0)[:, None]
            for node in np.flatnonzero(np.isin(there, list(failed))).tolist():
                end, at = int(there[node]), int(left.arrival_port[node, port])
                nearer[node] &= goes_on[end][at, productive[end]]
            fresh |= (nearer.astype(np.int64) << port).astype(np.uint8)
        reached = (distance == FAR) & (fresh > 0)
        if not reached.any():
            break
        distance[reached], productive[reached] = hops, fresh[reached]
    if (distance == FAR).any():
        node, number = np.argwhere(distance == FAR)[0].tolist()
        raise _no_way(node, int(terminals[number]))
    found = Destinations(distance, productive)
    _check(topology, left, found, failed, pairings, goes_on)
    return found


def _goes_on(
    topology: Topology, node: int, failed: list[int], pairings: Mapping[NodeType, Pairing]
) -> BoolArray:
    """Return whether a flit leaves by a productive port, by input port and productive ports.

    At its destination no port is productive, and it goes on to the terminal.
    """
    pairing = pairings[topology.node_type[node]]
    found = np.zeros((topology.degree, 1 << topology.degree), np.bool_)
    for start, wanted in product(set(pairing.inputs) - {*failed}, range(found.shape[1])):
        found[start, wanted] = not wanted or wanted >> leaves_by(pairing, failed, start, wanted) & 1
    return found


def _check(
    topology: Topology,
    left: Topology,
    known: Destinations,
    failed: Mapping[int, list[int]],
    pairings: Mapping[NodeType, Pairing],
    goes_on: Mapping[int, BoolArray],
) -> None:
    """See that a flit at an input from which it cannot go on comes to one from which it can."""
    for start, (number, terminal) in product(failed, enumerate(topology.terminals.tolist())):
        for port in {*pairings[topology.node_type[start]].inputs} - {*failed[start]}:
            node, at, seen = start, port, set[tuple[int, int]]()
            while node in failed and not goes_on[node][at, known.productive[node, number]]:
                if (node, at) in seen:
                    raise _no_way(start, terminal)
                seen.add((node, at))
                wanted = int(known.productive[node, number])
                out = leaves_by(pairings[topology.node_type[node]], failed[node], at, wanted)
                node, at = int(left.neighbour[node, out]), int(left.arrival_port[node, out])


def _no_way(node: int, terminal: int) -> ParameterError:
    return ParameterError(
        "faults",
        f"Tables need a way for every flit past these faults, but one from {node} to {terminal} "
        "may find none: generate the network anew with --faults",
    )

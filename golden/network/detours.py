"""Ways past failed links that a flit can follow wherever it comes from.

The place of a failed input passes the switches to the failed output of the same port, and takes
sides of switches from other inputs: a flit from such an input cannot leave by every port that is
left. So a link may lead nearer to a destination, and yet end at an input from which no link leads
on. Here such links are not productive; `new_entries` tells what the tables then have to say.
"""

from collections.abc import Iterable, Mapping
from itertools import product
from typing import NamedTuple

import numpy as np

from fingerpost.golden.arguments import checked
from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.faults import faulty
from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.network.destinations import Destinations
from fingerpost.golden.network.switches import RANKS, Pairing, crosses, reach
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.topology.base import NodeType, Topology

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
            nearer = [np.array([(wanted & where).any()]) for where in side]
            wants = ([each & (slot == place) for each in nearer] for place in (a, b))
            if passage.crosses if down & {a, b} else crosses(np.array([True]), *wants):
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
    nodes, terminals = topology.nodes, topology.terminal_nodes
    leaves = {
        node: _leaves(topology, node, left, pairings[topology.node_type[node]])
        for node in np.flatnonzero((topology.neighbour != left.neighbour).any(axis=1)).tolist()
    }
    distance = np.full((nodes, len(terminals)), FAR, np.uint8)
    distance[terminals, np.arange(len(terminals))] = 0
    productive = np.zeros_like(distance)
    for hops in range(1, FAR):
        before, fresh = distance == hops - 1, np.zeros_like(productive)
        for port in range(topology.degree):
            there = left.neighbour[:, port]
            nearer = before[there] & (there >= 0)[:, None]
            for node in np.flatnonzero(np.isin(there, list(leaves))).tolist():
                end, at = int(there[node]), int(left.arrival_port[node, port])
                nearer[node] &= _goes_on(leaves[end][at], productive[end])
            fresh |= (nearer.astype(np.int64) << port).astype(np.uint8)
        reached = (distance == FAR) & (fresh > 0)
        if not reached.any():
            break
        distance[reached], productive[reached] = hops, fresh[reached]
    if (distance == FAR).any():
        node, number = np.argwhere(distance == FAR)[0].tolist()
        raise _no_way(node, int(terminals[number]))
    found = Destinations(distance, productive)
    _check(left, found, leaves)
    return found


def _leaves(topology: Topology, node: int, left: Topology, pairing: Pairing) -> IntArray:
    """Return `leaves_by` by input port and productive ports; -1 where no flit comes."""
    up = left.neighbour[node] >= 0
    failed = np.flatnonzero((topology.neighbour[node] >= 0) & ~up).tolist()
    found = np.full((topology.degree, 1 << topology.degree), -1)
    for start, productive in product(np.flatnonzero(up).tolist(), range(found.shape[1])):
        found[start, productive] = leaves_by(pairing, failed, start, productive)
    return found


def _goes_on(leaves: IntArray, productive: IntArray) -> BoolArray:
    """Return whether flits at an input leave by a productive port, or are at their destination.

    `leaves` is that of the input; at the destination no port is productive.
    """
    found: BoolArray = (productive == 0) | (productive >> leaves[productive] & 1 > 0)
    return found


def _check(left: Topology, known: Destinations, leaves: Mapping[int, IntArray]) -> None:
    """See that a flit at an input from which it cannot go on comes to one from which it can."""
    for first, (number, terminal) in product(leaves, enumerate(left.terminal_nodes.tolist())):
        for port in np.flatnonzero(leaves[first][:, 0] >= 0).tolist():
            node, at, seen = first, port, set[tuple[int, int]]()
            while node in leaves and not _goes_on(
                leaves[node][at], productive := known.productive[node, number]
            ):
                if (node, at) in seen:
                    raise _no_way(first, terminal)
                seen.add((node, at))
                out = leaves[node][at, productive]
                node, at = int(left.neighbour[node, out]), int(left.arrival_port[node, out])


def _no_way(node: int, terminal: int) -> ParameterError:
    return ParameterError(
        "faults",
        f"Tables need a way for every flit past these faults, but one from {node} to {terminal} "
        "may find none: generate the network anew with --faults",
    )


class Entry(NamedTuple):
    """An entry to be written: at a node, for a destination, this word."""

    node: int
    destination: int
    value: int


@checked
def new_entries(network: DeflectionNetwork, faults: str) -> list[Entry]:
    """Return the entries of tables that differ from those of the network without faults.

    With them a flit that meets no other arrives (`fingerpost.golden.network.detours`).

    The order does not matter: an entry of distance 1 leads to its terminal itself before and
    after, and what the other ones say of a distance is a matter of priority.

    Parameters
    ----------
    network : DeflectionNetwork
    faults : str
        The links that have failed, as `fingerpost.golden.faults.faulty` takes them.

    Raises
    ------
    ParameterError
        If that is no list of faults, or they cut off a terminal, or a flit may find no way past
        them; or routers have no `link_up`.

    Examples
    --------
    >>> from fingerpost.golden.network.deflection import build_deflection
    >>> ring = {"family": "edge-list", "nodes": 3, "links": [(0, 1), (1, 2), (2, 0)]}
    >>> router = {"kind": "deflection", "link_up": True}
    >>> description = {"name": "ring", "topology": ring, "router": router}
    >>> new_entries(build_deflection(description), "link:0-1")[0]
    Entry(node=0, destination=1, value=6)
    """
    if not getattr(network, "link_up", False):
        raise ParameterError(
            "link_up",
            "Tables can be written at deflection routers with link_up: true, not at others",
            section="router",
        )
    topology = network.topology
    left = faulty(topology, faults)
    if len(left.terminal_nodes) < len(topology.terminal_nodes):
        raise ParameterError(
            "faults", f"Tables need every terminal reached, but {faults} cut some off"
        )
    known, found = detours(topology, left, network.pairings), []
    for node in range(topology.nodes):
        before = network.packed(node, *network.entries(node))
        after = network.packed(node, *network.entries(node, known))
        found += [
            Entry(node, destination, int(after[destination]))
            for destination in np.flatnonzero(before != after).tolist()
        ]
    return found

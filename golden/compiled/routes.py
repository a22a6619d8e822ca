"""The routes of all packets, found before they are sent, where decisions have no second input.

Then the source and the header that is sent decide all hops. See golden.compiled.graph for others.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.compiled.graph import DecidedPorts, graph
from fingerpost.golden.compiled.records import STEP
from fingerpost.golden.network.network import Network

__all__ = ["SELECTIONS", "Routes", "routes"]

PORTS = 256
"""A port, or its complement, is one of so many."""

SELECTIONS = {"": 0, "free": 1, "random": 2}


class Routes(NamedTuple):
    """The decisions, and the index of the first one of each packet."""

    steps: NDArray[Any]
    first: IntArray


def routes(network: Network, source: IntArray, header: IntArray) -> Routes:
    """Return the decisions on headers that terminals send, whether they name a node or not.

    Raises
    ------
    ValueError
        If a packet goes on for more than n hops.
    """
    headers, number = np.unique(header, return_inverse=True)
    # As one number, a pair of source and header is sorted many times faster than as two.
    pairs, which = np.unique(source * len(headers) + number, return_inverse=True)
    start, sent = np.divmod(pairs, len(headers))
    find = graph if network.routing.selection else _follow
    steps, first = find(network, start, headers[sent])
    return Routes(steps, first[which])


def _follow(network: Network, source: IntArray, header: IntArray) -> tuple[NDArray[Any], IntArray]:
    """Follow every packet to its end; its steps come one after the other."""
    topology, routing = network.topology, network.routing
    ports = DecidedPorts(network)
    number, node = np.arange(len(source)), source
    arrival = np.full(len(source), topology.local)
    hops: list[tuple[IntArray, IntArray, IntArray]] = []
    for _ in range(topology.nodes + 1):
        decision = routing.decide(node, arrival, header)
        port = ports.of(node, arrival, decision)
        hops.append((number, port, decision.header))
        away = (port >= 0) & (port != topology.local)
        number, here, by = number[away], node[away], port[away]
        if not len(number):
            break
        node, arrival = topology.neighbour[here, by], topology.arrival_port[here, by]
        header = decision.header[away]
    else:
        raise ValueError(f"{routing.algorithm} needs more than n = {topology.nodes} hops")
    return _merged(hops, len(source))


def _merged(
    hops: list[tuple[IntArray, IntArray, IntArray]], routes: int
) -> tuple[NDArray[Any], IntArray]:
    """Return steps in which routes that end alike share their ends, and the first of each route.

    Routes are many, and differ in their first hops: the steps that they share stay in the
    processor's cache.
    """
    first = np.full(routes, -1)  # of what is behind the hop that is looked at
    steps: list[NDArray[Any]] = []
    count = 0
    for number, port, onward in reversed(hops):
        header, which = np.unique(onward, return_inverse=True)
        key = ((first[number] + 1) * len(header) + which) * PORTS + (port & (PORTS - 1))
        _, sample, same = np.unique(key, return_index=True, return_inverse=True)
        some = np.zeros(len(sample), STEP)
        some["port"], some["header"] = port[sample], onward[sample]
        some["next"], some["choices"] = first[number[sample]], 1
        first[number] = count + same
        steps.append(some)
        count += len(some)
    return np.concatenate(steps), first

"""The routes of packets, found before they are sent.

A decision depends on the node, the port of arrival, the header and the selection: chance, or which
outputs are free. All that can happen to the headers that are sent is a graph of such states, where
one node stands for its orbit if the routing is relative; each state has a step for every choice.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.compiled.numbers import Numbers
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
    steps, first = _graph(network, source, header)
    return Routes(steps, first) if network.routing.selection else _merged(network, steps, first)


def _graph(network: Network, source: IntArray, header: IntArray) -> tuple[NDArray[Any], IntArray]:
    """Return all steps that headers can go, and the first of each; they are found breadth first."""
    topology, routing = network.topology, network.routing
    turns = network.used_turns
    used_turns = np.stack([turns[kind] for kind in topology.node_type])
    node_of = np.arange(topology.nodes)
    if routing.relative:
        node_of = np.unique(routing.orbit, return_index=True)[1][routing.orbit]
    states = Numbers()
    inputs = topology.degree + 1

    def numbers(node: IntArray, arrival: IntArray, header: IntArray, refused: IntArray) -> IntArray:
        return states.of((node_of[node] * inputs + arrival) * 2 + refused, header)

    generated, refused = routing.generate_header(source, header)
    begins = numbers(source, np.full_like(source, topology.local), generated, refused)
    steps = [np.zeros(0, STEP)]
    first = [np.zeros(0, np.int64)]  # the first step of each state
    count = done = 0
    while done < states.known:
        place, header = states.pairs[:, done:]
        done = states.known
        (node, arrival), bad = np.divmod(place >> 1, inputs), place & 1
        packet, selection = _choices(network, node, arrival, header)
        choices = np.bincount(packet, minlength=len(node))
        first.append(count + choices.cumsum() - choices)
        node, arrival = node[packet], arrival[packet]
        decision = routing.unit(node, arrival, header[packet], selection)
        error = (decision.error | bad[packet]).astype(np.bool_)
        port = np.where(error, topology.local, decision.port)
        discarded = error | ~used_turns[node, arrival, port]
        some = np.zeros(len(packet), STEP)
        some["port"] = np.where(discarded, ~port, port)
        some["header"], some["choices"], some["next"] = decision.header, choices[packet], -1
        away = ~discarded & (port != topology.local)
        link, onward = (node[away], port[away]), decision.header[away]
        there, by = topology.neighbour[link], topology.arrival_port[link]
        some["next"][away] = numbers(there, by, onward, np.zeros_like(onward))
        steps.append(some)
        count += len(some)
    table, step_of = np.concatenate(steps), np.concatenate(first)
    on = table["next"] >= 0
    table["next"][on] = step_of[table["next"][on]]
    return table, step_of[begins]


def _choices(
    network: Network, node: IntArray, arrival: IntArray, header: IntArray
) -> tuple[IntArray, IntArray | None]:
    """Return the selections that are told apart in each state, ascending, and their states."""
    if network.routing.selection == "free":
        masks = 1 << (network.topology.degree + 1)
        return np.repeat(np.arange(len(node)), masks), np.tile(np.arange(masks), len(node))
    return network.routing.selections(node, arrival, header)


def _merged(network: Network, steps: NDArray[Any], first: IntArray) -> Routes:
    """Let routes that end alike share their ends, whatever their nodes.

    The steps that are left stay in the processor's cache.
    """
    left = _steps_left(network, steps["next"])
    same = np.full(len(steps) + 1, -1)  # the last is behind the end of a route
    merged = Numbers()
    sample = [np.zeros(0, np.int64)]
    ends = np.cumsum(np.bincount(left))
    for some in np.split(np.argsort(left, kind="stable"), ends[:-1]):
        port = steps["port"][some].astype(np.int64)
        known = merged.known
        onward = (same[steps["next"][some]] + 1) * PORTS + (port & (PORTS - 1))
        same[some] = number = merged.of(onward, steps["header"][some])
        fresh, at = np.unique(number, return_index=True)
        sample.append(some[at[fresh >= known]])
    table = steps[np.concatenate(sample)]
    table["next"] = same[table["next"]]
    return Routes(table, same[first])


def _steps_left(network: Network, onward: IntArray) -> IntArray:
    """Return how many steps follow each one, given the next; by doubling the jumps.

    Raises
    ------
    ValueError
        If there is no end to them.
    """
    jump = np.append(onward, -1)
    left = (jump >= 0).astype(np.int64)
    for _ in range(len(jump).bit_length()):
        if (jump < 0).all():
            return left[:-1]
        left, jump = left + left[jump], jump[jump]
    n = network.topology.nodes
    raise ValueError(f"{network.routing.algorithm} needs more than n = {n} hops")

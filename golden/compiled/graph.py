"""The routes of packets whose decisions have a second input: chance, or which outputs are free.

A decision depends on the node, the port of arrival, the header and the selection. All that can
happen to a header is a graph of such states; each has a step for every choice.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.compiled.records import STEP
from fingerpost.golden.network.network import Network
from fingerpost.golden.routing.base import Decision

__all__ = ["DecidedPorts", "graph"]

State = tuple[int, int, int, int]
"""Node, port of arrival, generated header, and 1 if header generation has refused it."""


class DecidedPorts:
    """The output ports of decisions. A packet that is refused, or takes no used turn, is discarded.

    Parameters
    ----------
    network : Network
    """

    def __init__(self, network: Network) -> None:
        turns = network.used_turns
        self.local = network.topology.local
        self.used_turns = np.stack([turns[kind] for kind in network.topology.node_type])

    def of(self, node: IntArray, arrival: IntArray, decision: Decision) -> IntArray:
        """Return the ports of decisions, or ~port where the packet is discarded."""
        refused = decision.error.astype(np.bool_)
        port = np.where(refused, self.local, decision.port)
        return np.where(refused | ~self.used_turns[node, arrival, port], ~port, port)


def graph(network: Network, source: IntArray, header: IntArray) -> tuple[NDArray[Any], IntArray]:
    """Return all steps that headers can go, and the first of each; they are found breadth first."""
    topology, routing = network.topology, network.routing
    ports = DecidedPorts(network)
    node_of = np.arange(topology.nodes)
    if routing.relative:  # one node stands for its orbit
        node_of = np.unique(routing.orbit, return_index=True)[1][routing.orbit]
    known: dict[State, int] = {}
    first: list[int] = []  # the first step of each state
    steps: list[NDArray[Any]] = []
    fresh: list[State] = []
    count = 0

    def numbers(*columns: IntArray) -> IntArray:
        """Return the numbers of states, and note those that are new."""
        found = []
        for state in zip(*(column.tolist() for column in columns), strict=True):
            if state not in known:
                known[state] = len(known)
                fresh.append(state)
            found.append(known[state])
        return np.array(found, np.int64)

    generated_headers, refused = routing.generate_header(source, header)
    local = np.full_like(source, topology.local)
    begins = numbers(node_of[source], local, generated_headers, refused)
    while fresh:
        node, arrival, at, bad = np.array(fresh).T
        fresh.clear()
        packet, selection = _choices(network, node, arrival, at)
        choices = np.bincount(packet, minlength=len(node))
        first += (count + choices.cumsum() - choices).tolist()
        decision = routing.unit(node[packet], arrival[packet], at[packet], selection)
        decision = decision._replace(error=decision.error | bad[packet])
        some = np.zeros(len(packet), STEP)
        some["port"] = port = ports.of(node[packet], arrival[packet], decision)
        some["header"], some["choices"], some["next"] = decision.header, choices[packet], -1
        away = (port >= 0) & (port != topology.local)
        link = node[packet[away]], port[away]
        onward = decision.header[away]
        there = node_of[topology.neighbour[link]], topology.arrival_port[link]
        some["next"][away] = numbers(*there, onward, np.zeros_like(onward))
        steps.append(some)
        count += len(some)
    table = np.concatenate(steps)
    on = table["next"] >= 0
    table["next"][on] = np.array(first)[table["next"][on]]
    return table, np.array(first)[begins]


def _choices(
    network: Network, node: IntArray, arrival: IntArray, header: IntArray
) -> tuple[IntArray, IntArray | None]:
    """Return the selections with different decisions in each state, ascending, and their states."""
    if network.routing.selection == "random":
        return network.routing.selections(node, arrival, header)
    masks = 1 << (network.topology.degree + 1)
    return np.repeat(np.arange(len(node)), masks), np.tile(np.arange(masks), len(node))

"""What must become of every flit of a traffic, malformed packets and all, by its rules alone."""

from dataclasses import dataclass

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.counters import ERRORS
from fingerpost.golden.network.network import Network
from fingerpost.golden.traffic import BAD_HEADER, NO_HEAD, NO_TAIL, Traffic

__all__ = ["Account", "wrong_way"]


def wrong_way(network: Network) -> IntArray:
    """Return where a packet goes whose header is all ones, by its source; -1: it is refused.

    Such a header names no node in most networks; where it names one, the packet is well-formed.
    """
    routing, topology = network.routing, network.topology
    goal = np.full(topology.nodes, -1)
    source = topology.terminals
    node, arrival = source, np.full(len(source), topology.local)
    header = np.full(len(source), (1 << routing.header.width) - 1)
    selection = np.zeros(len(source), np.int64)
    for hop in range(topology.nodes + 1):
        given = selection[: len(node)] if routing.selection else None
        decision = routing.decide(node, arrival, header, given)
        refused = decision.error.astype(np.bool_)
        if not hop:
            turns = np.stack([network.used_turns[kind] for kind in topology.node_type])
            port = np.where(refused, topology.local, decision.port)
            refused |= ~turns[node, arrival, port]
        out = ~refused & (decision.port == topology.local)
        goal[source[out]] = node[out]
        away = ~refused & ~out
        source, node, port = source[away], node[away], decision.port[away]
        if not len(source):
            break
        header = decision.header[away]
        node, arrival = topology.neighbour[node, port], topology.arrival_port[node, port]
    return goal


@dataclass(frozen=True)
class Account:
    """What a traffic leaves when the network is empty again.

    Attributes
    ----------
    sent : int
        Flits that terminals send.
    received : (nodes,)
        Flits that come out at each; the others are drained.
    errors : (nodes,)
        What the counter of each shows.
    """

    sent: int
    received: IntArray
    errors: IntArray

    @classmethod
    def of(cls, traffic: Traffic, bad: IntArray) -> "Account":
        """Return that of a traffic; `bad` is `wrong_way` of its network."""
        source, kind, length = traffic.source, traffic.kind, traffic.length
        channel = traffic.terminal_channel
        nodes = traffic.network.topology.nodes
        # What comes behind a packet without a tail is swallowed by it, up to the next tail.
        follows = np.zeros(len(source), np.bool_)
        follows[1:] = (channel[1:] == channel[:-1]) & (kind[:-1] == NO_TAIL)
        opener = np.maximum.accumulate(np.where(follows, 0, np.arange(len(source))))
        goal = np.where(kind == BAD_HEADER, bad[source], traffic.destination)
        goal = np.where(kind == NO_HEAD, -1, goal)[opener]
        refused = (kind == BAD_HEADER) & (bad[source] < 0)
        errors = np.where(kind == NO_HEAD, length, refused)
        errors = np.where(follows, kind != NO_HEAD, errors)
        out = goal >= 0
        return cls(
            int(length.sum()),
            np.bincount(goal[out], length[out], nodes).astype(np.int64),
            np.minimum(np.bincount(source, errors, nodes).astype(np.int64), ERRORS.most),
        )

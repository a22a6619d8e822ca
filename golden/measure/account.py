"""What must become of every flit of a traffic, malformed packets and all, by its rules alone."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.counters import ERRORS
from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.network.network import Network
from fingerpost.golden.terminal import CreditTerminal
from fingerpost.golden.terminal.single_flit import SingleFlitTerminal
from fingerpost.golden.traffic import BAD_HEADER, NO_HEAD, NO_TAIL, WELL_FORMED, Traffic

__all__ = ["Account", "account", "wrong_way"]


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


def _wormhole(network: Network) -> Callable[[Traffic], Account]:
    bad = wrong_way(network)
    return lambda traffic: Account.of(traffic, bad)


def _deflection(network: DeflectionNetwork) -> Callable[[Traffic], Account]:
    def found(traffic: Traffic) -> Account:
        nodes = network.topology.nodes
        # What is not well-formed names a destination that does not exist, if there is one.
        known = (traffic.kind == WELL_FORMED) | network.all_known
        received = np.bincount(traffic.destination[known], minlength=nodes)
        errors = np.bincount(traffic.source[~known], minlength=nodes)
        return Account(len(known), received, np.minimum(errors, ERRORS.most))

    return found


ACCOUNTS: dict[str, tuple[str, Callable[[Any], Callable[[Traffic], Account]]]] = {
    "wormhole": (CreditTerminal.kind, _wormhole),
    "deflection": (SingleFlitTerminal.kind, _deflection),
}
"""For every kind of routers the kind of terminals whose flits are accounted for, and how."""


def account(network: AnyNetwork) -> Callable[[Traffic], Account]:
    """Return what tells the account of a traffic in a network.

    Raises
    ------
    ValueError
        If it has terminals whose flits cannot be accounted for.
    """
    kind, of = ACCOUNTS[network.router_kind]
    if network.terminal.kind != kind:
        raise ValueError(
            f"Soak needs terminals of kind {kind}, whose flits it accounts for, "
            f"not {network.terminal.kind}"
        )
    return of(network)

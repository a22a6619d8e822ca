"""What must become of every flit of a traffic, malformed packets and all, by its rules alone."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.counters import ERRORS
from fingerpost.golden.header import bits
from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.network.network import Network
from fingerpost.golden.parameters import either
from fingerpost.golden.terminal import (
    Axi4Terminal,
    AxiStreamTerminal,
    CreditTerminal,
    MailboxTerminal,
)
from fingerpost.golden.terminal.single_flit import SingleFlitTerminal
from fingerpost.golden.traffic import BAD_HEADER, NO_HEAD, NO_TAIL, WELL_FORMED, Traffic


class Ends(NamedTuple):
    """Where packets end, by the terminals that send them; shape (places,) both."""

    goal: IntArray
    """The terminal; -1: it is refused."""
    node: IntArray
    """The last node."""


def wrong_way(network: Network) -> Ends:
    """Return where packets end whose headers are all ones.

    Such a header names no terminal in most networks; where it names one, the packet is well-formed.
    """
    routing, topology = network.routing, network.topology
    ends = Ends(*np.full((2, topology.terminal_numbers), -1))
    source, turns = topology.terminals, [network.used_turns[kind] for kind in topology.node_type]
    used = np.pad(np.stack(turns), ((0, 0), (0, 0), (0, 1 << 4)))  # no local port that is named
    node, local = np.divmod(source, topology.local_ports)
    arrival = topology.local + local
    header = np.full(len(source), (1 << routing.address_layout.width) - 1)
    selection = np.zeros(len(source), np.int64)
    for _ in range(topology.nodes + 1):
        given = selection[: len(node)] if routing.selection else None
        decision = routing.decide(node, arrival, header, given)
        refused = decision.error.astype(np.bool_)
        port = np.where(refused, topology.local, decision.port)
        refused |= ~used[node, arrival, port]
        out = ~refused & (port >= topology.local)
        ends.goal[source[out]] = (node * topology.local_ports + port - topology.local)[out]
        ends.node[source] = node
        away = ~refused & ~out
        source, node, port = source[away], node[away], decision.port[away]
        if not len(source):
            break
        header = decision.header[away]
        node, arrival = topology.neighbour[node, port], topology.arrival_port[node, port]
    return ends


@dataclass(frozen=True)
class Account:
    """What a traffic leaves when the network is empty again."""

    sent: int
    """Flits that terminals send."""
    received: IntArray
    """Shape (places,). Flits that come out at each terminal; the others are drained."""
    errors: IntArray
    """Shape (nodes,). What the counter of each node shows."""
    packets: BoolArray | None = None
    """Shape (packets,), array of bool, optional. With AXI4-Stream terminals `sent` and `received`
    are beats, of these packets: the others are dropped, or may be closed by the time-out."""

    @classmethod
    def of(cls, traffic: Traffic, bad: Ends) -> "Account":
        """Return that of a traffic; `bad` is `wrong_way` of its network."""
        source, kind, length = traffic.source, traffic.kind, traffic.length
        channel = traffic.terminal_channel
        topology = traffic.network.topology
        # What comes behind a packet without a tail is swallowed by it, up to the next tail.
        follows = np.zeros(len(source), np.bool_)
        follows[1:] = (channel[1:] == channel[:-1]) & (kind[:-1] == NO_TAIL)
        opener = np.maximum.accumulate(np.where(follows, 0, np.arange(len(source))))
        goal = np.where(kind == BAD_HEADER, bad.goal[source], traffic.destination)
        goal = np.where(kind == NO_HEAD, -1, goal)[opener]
        refused = (kind == BAD_HEADER) & (bad.goal[source] < 0)
        node = np.where(refused & ~follows, bad.node[source], topology.node_of(source))
        errors = np.where(kind == NO_HEAD, length, refused)
        errors = np.where(follows, kind != NO_HEAD, errors)
        out = goal >= 0
        return cls(
            int(length.sum()),
            np.bincount(goal[out], length[out], topology.terminal_numbers).astype(np.int64),
            np.minimum(np.bincount(node, errors, topology.nodes).astype(np.int64), ERRORS.most),
        )


def _axi(network: AnyNetwork) -> Callable[[Traffic], Account]:
    terminal = network.terminal
    assert isinstance(terminal, AxiStreamTerminal)
    flow, nodes = terminal.flow(network), network.topology.nodes
    # A number of bits names other nodes, too, unless all are terminals.
    strangers = len(network.topology.terminals) < 1 << bits(nodes)

    def found(traffic: Traffic) -> Account:
        kind, length = traffic.kind, traffic.length
        packets = (kind != BAD_HEADER) | (not strangers)
        if flow:
            packets &= length <= flow.packet_limit
        elif terminal.store:
            packets &= length <= terminal.store
        elif terminal.timeout:
            packets &= kind != NO_TAIL
        received = np.bincount(traffic.destination[packets], length[packets], nodes)
        none = np.zeros(nodes, np.int64)
        return Account(int(length.sum()), received.astype(np.int64), none, packets)

    return found


def _wormhole(network: Network) -> Callable[[Traffic], Account]:
    if isinstance(network.terminal, AxiStreamTerminal):
        return _axi(network)
    bad = wrong_way(network)
    return lambda traffic: Account.of(traffic, bad)


def _deflection(network: DeflectionNetwork) -> Callable[[Traffic], Account]:
    if isinstance(network.terminal, AxiStreamTerminal):
        return _axi(network)

    def found(traffic: Traffic) -> Account:
        nodes = network.topology.nodes
        # What is not well-formed names a destination that does not exist, if there is one.
        known = (traffic.kind == WELL_FORMED) | network.all_known
        received = np.bincount(traffic.destination[known], minlength=nodes)
        errors = np.bincount(traffic.source[~known], minlength=nodes)
        return Account(len(known), received, np.minimum(errors, ERRORS.most))

    return found


ACCOUNTS: dict[str, tuple[tuple[str, ...], Callable[[Any], Callable[[Traffic], Account]]]] = {
    "wormhole": (
        (
            CreditTerminal.kind,
            AxiStreamTerminal.kind,
            MailboxTerminal.kind,
            Axi4Terminal.kind,
        ),
        _wormhole,
    ),
    "deflection": (
        (SingleFlitTerminal.kind, AxiStreamTerminal.kind, MailboxTerminal.kind),
        _deflection,
    ),
}
"""For every kind of routers the kinds of terminals whose flits are accounted for, and how."""


def account(network: AnyNetwork) -> Callable[[Traffic], Account]:
    """Return what tells the account of a traffic in a network.

    Raises
    ------
    ValueError
        If it has terminals whose flits cannot be accounted for.
    """
    kinds, of = ACCOUNTS[network.router_kind]
    if network.terminal.kind not in kinds:
        raise ValueError(
            f"Soak needs terminals of kind {either(kinds)}, whose flits it accounts for, "
            f"not {network.terminal.kind}"
        )
    return of(network)

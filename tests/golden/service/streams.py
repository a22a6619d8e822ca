"""Endless streams of packets into single routers, and the share that is fair for each."""

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.deadlock.states import states
from fingerpost.golden.network.network import Network

SMALL = 100
"""Nodes up to which the routes of all are walked, not of the first of each orbit."""

CHOICES = 64
"""Headers among which each packet of a stream has one, at random."""

Limit = tuple[Collection[Hashable], Fraction]
"""Streams that share something, and how much of it there is."""


def water_fill(streams: Sequence[Hashable], limits: Collection[Limit]) -> Mapping[Hashable, float]:
    """Return the max-min fair rates of streams that all want as much as they can get.

    All rates rise together, and those of a limit that is reached stay (Bertsekas and Gallager,
    Data Networks, 2nd edition, 6.5.2).

    Raises
    ------
    ValueError
        If a stream has no limit.
    """
    rates: dict[Hashable, Fraction] = {}
    while len(rates) < len(streams):
        levels = []
        for members, capacity in limits:
            rising = [stream for stream in members if stream not in rates]
            if rising:
                used = sum((rates[stream] for stream in members if stream in rates), Fraction(0))
                levels.append(((capacity - used) / len(rising), rising))
        free = [stream for stream in streams if stream not in rates]
        bound = {stream for _, rising in levels for stream in rising}
        if not bound.issuperset(free):
            unbound = next(stream for stream in free if stream not in bound)
            raise ValueError(f"Fair share needs a limit of every stream, not none of {unbound!r}")
        level = min(level for level, _ in levels)
        rates |= {stream: level for each, rising in levels if each == level for stream in rising}
    return {stream: float(rates[stream]) for stream in streams}


class Cases(NamedTuple):
    """What can arrive on the routes of a network, as parallel arrays: node, input, header, output.

    Only what one decision can be taken on, whatever the selection; nothing that stays at its node.
    """

    node: IntArray
    port: IntArray
    header: IntArray
    output: IntArray

    def headers(self, node: int, port: int, output: int) -> IntArray:
        """Return the headers with which packets that come by `port` leave `node` by `output`."""
        some = (self.node == node) & (self.port == port) & (self.output == output)
        found: IntArray = self.header[some]
        return found

    def outputs(self, node: int, port: int) -> list[int]:
        """Return the outputs by which packets leave that come to `node` by `port`."""
        some = (self.node == node) & (self.port == port)
        return [int(output) for output in np.unique(self.output[some])]


@dataclass(frozen=True)
class Streams:
    """Packets that never end, on some channels of inputs. Arrays are over streams.

    Attributes
    ----------
    node, port, channel : arrays
        Where each comes in; no two at one place.
    output : array
        By which port it goes out, -1 if its packets differ.
    headers : (streams, choices)
        One of them, at random, is that of a packet.
    """

    node: IntArray
    port: IntArray
    channel: IntArray
    output: IntArray
    headers: IntArray

    def __len__(self) -> int:
        return len(self.node)

    @classmethod
    def joined(cls, some: Iterable["Streams"]) -> "Streams":
        """Return all streams of several."""
        columns = zip(
            *((s.node, s.port, s.channel, s.output, s.headers) for s in some), strict=True
        )
        return cls(*(np.concatenate(column) for column in columns))


def cases(network: Network) -> Cases:
    """Return what can arrive at the nodes of a network, on routes between its terminals."""
    routing, topology = network.routing, network.topology
    terminals = topology.terminals
    first = np.unique(routing.orbit[terminals], return_index=True)[1]
    node, port, header = states(routing, terminals if topology.nodes <= SMALL else terminals[first])
    if routing.relative:  # one node stands for its orbit
        by_orbit = np.argsort(routing.orbit[node], kind="stable")
        begin = np.searchsorted(routing.orbit[node][by_orbit], np.arange(topology.nodes + 1))
        rows = [by_orbit[begin[orbit] : begin[orbit + 1]] for orbit in routing.orbit.tolist()]
        every = np.concatenate(rows)
        node = np.repeat(np.arange(topology.nodes), [len(row) for row in rows])
        port, header = port[every], header[every]
    which, decision = routing.alternatives(node, port, header)
    single = (np.bincount(which)[which] == 1) & (decision.error == 0)
    local = topology.local
    single &= ~((port[which] == local) & (decision.port == local))
    which = which[single]
    return Cases(node[which], port[which], header[which], decision.port[single])


def to_one_output(
    known: Cases, node: int, output: int, ways: Iterable[tuple[int, int]], *, seed: int = 0
) -> Streams:
    """Return streams from (port, channel) `ways` of a node to one of its outputs.

    Raises
    ------
    ValueError
        If nothing that comes that way goes there.
    """
    rng = np.random.default_rng(seed)
    ways = list(ways)
    chosen = []
    for port, _ in ways:
        headers = known.headers(node, port, output)
        if not len(headers):
            raise ValueError(f"Stream needs a route from port {port} to {output} at node {node}")
        chosen.append(rng.choice(headers, CHOICES))
    port, channel = np.array(ways).T
    everywhere = np.full(len(ways), node)
    return Streams(everywhere, port, channel, np.full(len(ways), output), np.array(chosen))


def to_random(network: Network, known: Cases, node: int, *, seed: int = 0) -> Streams:
    """Return streams on all channels of all inputs of a node, to its outputs, all as likely."""
    rng = np.random.default_rng(seed)
    ways, chosen = [], []
    for port in range(network.topology.degree + 1):
        outputs = known.outputs(node, port)
        terminal = port == network.topology.local
        channels = network.classes if terminal else network.virtual_channels
        for channel in range(channels if outputs else 0):
            choices = [known.headers(node, port, output) for output in rng.choice(outputs, CHOICES)]
            ways.append((port, channel))
            chosen.append([rng.choice(headers) for headers in choices])
    port_, channel_ = np.array(ways).T
    everywhere = np.full(len(ways), node)
    return Streams(everywhere, port_, channel_, np.full(len(ways), -1), np.array(chosen))


def out_channel(network: Network, node: int, port: int, channel: int, output: int) -> int:
    """Return the channel on which a packet goes on, if there are no more than the proof needs."""
    local, each = network.topology.local, network.channels_per_class
    message_class, own = (channel, 0) if port == local else divmod(channel, each)
    if output == local:
        return message_class
    next_vc = own + int(network.channels.vc_increments[node, port, output])
    return message_class * each + min(next_vc, each - 1)


def fair_shares(network: Network, streams: Streams, period: IntArray) -> list[float]:
    """Return the max-min fair rate of every stream, in flits per cycle.

    What limits them is the credits of each channel of an output, one every `period` cycles, by
    node, output and channel; one flit a cycle on each link, in and out.
    """
    columns = (streams.node, streams.port, streams.channel, streams.output)
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    members: dict[tuple[object, ...], list[int]] = {}
    capacity: dict[tuple[object, ...], Fraction] = {}
    for number, (node, port, channel, output) in enumerate(rows):
        onward = out_channel(network, node, port, channel, output)
        for key, rate in (
            (("in", node, port), Fraction(1)),
            (("out", node, output), Fraction(1)),
            (("channel", node, output, onward), Fraction(1, int(period[node, output, onward]))),
        ):
            members.setdefault(key, []).append(number)
            capacity[key] = rate
    limits: list[Limit] = [(members[key], capacity[key]) for key in members]
    rates = water_fill(range(len(rows)), limits)
    return [rates[number] for number in range(len(rows))]

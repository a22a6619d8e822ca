"""Random packets for one router, what golden says of each, and whether it comes out so."""

import itertools
import random
from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from fingerpost.golden.network.network import Network
from fingerpost.golden.routing import Decision
from fingerpost.testbench.benches.questions import questions

__all__ = ["Case", "Flit", "Packet", "Scoreboard", "Stimulus", "Way", "onward"]

Way = tuple[int, int]
"""A port and a channel."""

SPREAD = 0x9E3779B97F4A7C15
"""An odd number, so that its multiples differ in as many bits as there are: 2^64 by the golden
ratio, by which those of numbers that follow each other differ in all bits."""


class Flit(NamedTuple):
    """A flit on a link."""

    channel: int
    head: bool
    tail: bool
    data: int


@dataclass
class Packet:
    """A packet, what the router shall do with it, and how far it has come out.

    Attributes
    ----------
    number : int
    source : Way
        Where it goes in.
    ways : tuple of Way
        Where it may come out: one port, and one of its channels; none: it is to be drained.
    data, heads, tails : lists
        Of its flits as they go in.
    next_head : int
        The data with which its head shall come out.
    seen : int
        Flits that have come out.
    """

    number: int
    source: Way
    ways: tuple[Way, ...]
    data: list[int]
    heads: list[bool]
    tails: list[bool]
    next_head: int
    seen: int = 0

    def flit(self, index: int) -> Flit:
        """Return flit `index` as it goes in."""
        return Flit(self.source[1], self.heads[index], self.tails[index], self.data[index])

    def is_error(self, index: int) -> bool:
        """Return whether the router shall count flit `index` as malformed."""
        if not any(self.heads):
            return True
        return self.heads[index] if index else not self.ways


@dataclass
class Scoreboard:
    """What is inside the router, and what came out of it wrong.

    Parameters
    ----------
    header_width : int
        The lowest bits of a head; they change on the way.
    """

    header_width: int
    inside: dict[int, Packet] = field(default_factory=dict)
    came: int = 0
    _leaving: dict[Way, Packet] = field(default_factory=dict)
    _order: dict[tuple[Way, int], deque[int]] = field(default_factory=lambda: defaultdict(deque))

    def enter(self, packet: Packet) -> None:
        """Expect a packet to come out."""
        self.inside[packet.number] = packet
        if packet.ways:
            self._order[packet.source, packet.ways[0][0]].append(packet.number)

    def leave(self, port: int, flit: Flit) -> str:
        """Take a flit that came out by `port`; return what is wrong with it."""
        way = (port, flit.channel)
        if way not in self._leaving:
            wrong = self._begin(way, flit)
            if wrong:
                return wrong
        packet = self._leaving[way]
        index = packet.seen
        head, data = index == 0, packet.data[index] if index else packet.next_head
        expected = Flit(flit.channel, head, packet.tails[index], data)
        if flit != expected:
            return (
                f"flit {index} of packet {packet.number} from port, channel {packet.source}: "
                f"expected head, tail, data {expected.head}, {expected.tail}, {expected.data:#x}, "
                f"seen {flit.head}, {flit.tail}, {flit.data:#x}"
            )
        packet.seen += 1
        self.came += 1
        if flit.tail:
            del self._leaving[way], self.inside[packet.number]
        return ""

    def _begin(self, way: Way, flit: Flit) -> str:
        """Find the packet that begins to come out; return what is wrong with that."""
        if not flit.head:
            return f"a body flit {flit.data:#x} comes out without a head"
        payload = flit.data >> self.header_width
        for packet in self.inside.values():
            same = packet.data[0] >> self.header_width == payload
            if way in packet.ways and not packet.seen and same:
                break
        else:
            return f"a head {flit.data:#x} arrives that was not sent there"
        self._leaving[way] = packet
        first = self._order[packet.source, way[0]].popleft()
        return "" if first == packet.number else f"packet {packet.number} overtakes packet {first}"


class Case(NamedTuple):
    """A header that can arrive by some port, and the decision on it.

    It is an error too if the decision is a turn that no route takes.
    """

    header: int
    port: int
    next_header: int
    error: int


def onward(network: Network, node: int, port: int, channel: int, out: int) -> Sequence[int]:
    """Return the channels on which a packet may go on (`fingerpost.golden.deadlock`).

    From the terminal these are the lowest lanes of its message class: it takes a free one.
    """
    lanes, each, local = network.lanes, network.channels_per_class, network.topology.local
    if out == local:
        return [channel if port == local else channel // each]
    if port == local:
        return range(channel * each, channel * each + int(lanes.count[0]))
    raised = network.channels.vc_increments[node, port, out]
    return [int(lanes.next_vc[channel]) if raised else channel]


class Stimulus:
    """Packets for the router of one node.

    Attributes
    ----------
    cases : dict
        All that can arrive, by input port.

    Raises
    ------
    ValueError
        If no route passes `node`.
    """

    def __init__(self, network: Network, node: int, rng: random.Random) -> None:
        self.network, self.node, self.rng = network, node, rng
        self.local = network.topology.local
        taken = network.used_turns[network.topology.node_type[node]]
        strange = np.random.default_rng(rng.getrandbits(32))
        asked = next(questions(network, np.array([node]), strange), None)
        if asked is None:
            raise ValueError(f"Stimulus needs a node that routes pass, and none passes {node}")
        _, arrival, header, _ = asked
        # Packets that came by another link: of many of them no route takes the turn.
        by_link = arrival != self.local
        links, known = np.unique(arrival[by_link]), np.unique(header[by_link])
        arrival = np.concatenate([arrival, np.repeat(links, len(known))])
        header = np.concatenate([header, np.tile(known, len(links))])
        # What only one decision can be taken on: the bench does not know the router's selections.
        which, decision = network.routing.alternatives(np.full(len(header), node), arrival, header)
        single = np.bincount(which)[which] == 1
        arrival, header = arrival[which][single], header[which][single]
        decision = Decision(*(part[single] for part in decision))
        self.cases: dict[int, list[Case]] = defaultdict(list)
        refused = decision.error.astype(np.bool_)
        error = refused | ~taken[arrival, np.where(refused, self.local, decision.port)]
        rows = np.stack([arrival, header, decision.port, decision.header, error], axis=1)
        for port, *row in rows.tolist():
            self.cases[port].append(Case(*row))
        self._numbers, self._data = itertools.count(1), random.Random(node)
        self._width = min(network.flit_width, 63)  # the bench has numbers of numpy

    def packet(
        self, port: int, channel: int, length: int, *, wanted: int | None = None, odd: float = 0.1
    ) -> Packet:
        """Make a packet for an input port and channel.

        Parameters
        ----------
        wanted : int, optional
            The output port; by default any, or none because the header names no node.
        odd : float
            The share of packets with a head too many, or with none.
        """
        rng, number, width = self.rng, next(self._numbers), self._width
        cases = self.cases[port]
        if wanted is not None:
            cases = [case for case in cases if case.port == wanted and not case.error]
        case = rng.choice(cases)
        low = self.network.routing.header.width
        payload = number * SPREAD % (1 << (width - low)) << low
        packet = Packet(
            number=number,
            source=(port, channel),
            ways=(),
            data=[case.header | payload]
            + [self._data.getrandbits(self._width) for _ in range(length - 1)],
            heads=[i == 0 for i in range(length)],
            tails=[i == length - 1 for i in range(length)],
            next_head=case.next_header | payload,
        )
        if rng.random() < odd:
            if rng.random() < 0.5 and length > 1:  # a head inside the packet
                packet.heads[rng.randrange(1, length)] = True
            else:  # body flits without a head
                packet.heads = [False] * length
                packet.tails[-1] = rng.random() < 0.5
        if packet.heads[0] and not case.error:
            after = onward(self.network, self.node, port, channel, case.port)
            packet.ways = tuple((case.port, out_channel) for out_channel in after)
        return packet

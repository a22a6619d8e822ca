"""Random packets for one router, and what golden says of each."""

import itertools
import random
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fingerpost.golden.network.network import Network
from fingerpost.golden.routing import Decision
from fingerpost.testbench.benches.questions import questions
from fingerpost.testbench.scoreboard import Packet

__all__ = ["Case", "Stimulus", "onward"]

SPREAD = 0x9E3779B97F4A7C15
"""An odd number, so that its multiples differ in as many bits as there are: 2^64 by the golden
ratio, by which those of numbers that follow each other differ in all bits."""


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
            data=[case.header | payload, *self._bodies(length - 1)],
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

    def _bodies(self, flits: int) -> list[int]:
        """Return random data, of any bits."""
        return [self._data.getrandbits(self._width) for _ in range(flits)]

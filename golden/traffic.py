"""Packets to send, made beforehand from a seed."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from golden.arrays import BoolArray, IntArray

if TYPE_CHECKING:  # a network knows its terminals, and they the traffic
    from golden.network import Network

__all__ = ["BAD_HEADER", "NO_HEAD", "NO_TAIL", "POISONED", "WELL_FORMED", "Traffic"]

WELL_FORMED, BAD_HEADER, NO_HEAD, NO_TAIL, POISONED = range(5)


@dataclass
class Traffic:
    """Packets to send: uniform destinations, Bernoulli arrivals. The packet number is its tag.

    Parameters
    ----------
    network : Network
    load : float
        Flits offered per terminal and cycle.
    cycles : int
        Packets are made in cycles 0..cycles-1.
    lengths : (least, most)
        Flits of a packet, uniform.
    malformed : float
        The share of packets whose header names no node, or without head, or without tail; where
        links keep a status, also of those in which it is not 0.

    Attributes
    ----------
    source, destination, time, length, kind, salt : (packets,)
        By source, then by time. `salt` makes the data of a packet.

    Raises
    ------
    ValueError
        If no packet has such a length, the load is impossible, or there is no cycle.
    """

    network: "Network"
    load: float
    cycles: int
    seed: int = 0
    lengths: tuple[int, int] = (1, 1)
    malformed: float = 0.0
    source: IntArray = field(init=False)
    destination: IntArray = field(init=False)
    time: IntArray = field(init=False)
    length: IntArray = field(init=False)
    kind: IntArray = field(init=False)
    salt: IntArray = field(init=False)

    def __post_init__(self) -> None:
        low, high = self.lengths
        if not 1 <= low <= high:
            raise ValueError(f"Traffic needs lengths 1 <= least <= most, not {self.lengths}")
        rate = self.load / ((low + high) / 2)
        if not 0 < rate <= 1:
            raise ValueError(
                f"Traffic needs a load above 0 and up to {(low + high) / 2:g} flits per terminal "
                f"and cycle, the mean length of its packets, not {self.load:g}"
            )
        if self.cycles < 1:
            raise ValueError(f"Traffic needs at least 1 cycle, not {self.cycles}")
        rng = np.random.default_rng(self.seed)
        terminals = self.network.topology.terminals
        count = rng.binomial(self.cycles, rate, size=len(terminals))
        source = np.repeat(np.arange(len(terminals)), count)
        self.source = terminals[source]
        self.time = np.concatenate(
            [np.sort(rng.choice(self.cycles, c, replace=False)) for c in count]
        )
        packets = len(self.source)
        other = rng.integers(len(terminals) - 1, size=packets)
        self.destination = terminals[other + (other >= source)]
        self.length = rng.integers(low, high + 1, size=packets)
        self.salt = rng.integers(1 << 62, size=packets)
        wrong = rng.random(packets) < self.malformed
        kinds = POISONED if self.network.link.status_width else NO_TAIL
        self.kind = np.where(wrong, rng.integers(1, kinds + 1, size=packets), WELL_FORMED)
        last = np.diff(self.source, append=-1) != 0  # somebody must close what has no tail
        self.kind[last & (self.kind == NO_TAIL)] = WELL_FORMED

    @cached_property
    def header(self) -> IntArray:
        """Return the header of every packet, well-formed or not; made once, for flits are many."""
        return self.network.routing.encode(self.source, self.destination)

    def flits(self, packet: IntArray, index: IntArray) -> tuple[BoolArray, BoolArray, IntArray]:
        """Return head, tail and data of flits `index` of packets."""
        routing, kind = self.network.routing, self.kind[packet]
        mask = (1 << min(62, self.network.flit_width)) - 1
        data = ((self.salt[packet] ^ (index * 0x9E3779B97F4A7C1)) * 0x2545F491) & mask
        head, tail = index == 0, index == self.length[packet] - 1
        everything = (1 << routing.header.width) - 1
        header = self.header[packet]
        if self.malformed:
            head, tail = head & (kind != NO_HEAD), tail & (kind != NO_TAIL)
            header = np.where(kind == BAD_HEADER, everything, header)
        status = mask >> self.network.payload_width << self.network.payload_width
        if status:
            data = np.where(tail & (kind == POISONED), data | status, data)
            data = np.where(tail & (kind != POISONED), data & ~status, data)
        return head, tail, np.where(head, data & ~everything | header, data)

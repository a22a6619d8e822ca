"""Packets to send, made beforehand from a seed."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.traffic import spelling
from fingerpost.golden.traffic.arrivals import Arrivals
from fingerpost.golden.traffic.carrier import Carrier
from fingerpost.golden.traffic.lengths import Lengths
from fingerpost.golden.traffic.patterns import Pattern

__all__ = ["BAD_HEADER", "NO_HEAD", "NO_TAIL", "POISONED", "WELL_FORMED", "Traffic"]

WELL_FORMED, BAD_HEADER, NO_HEAD, NO_TAIL, POISONED = range(5)


@dataclass
class Traffic:
    """Packets to send. The packet number is its tag.

    Parameters
    ----------
    network : Carrier
    load : float, optional
        Flits offered per terminal and cycle, the mean over all terminals. A trace has its own and
        needs none; with one, its time runs faster or slower.
    cycles : int
        Packets are made in cycles 0..cycles-1.
    lengths : Lengths, or what `spelling.lengths` makes one of
        Flits of a packet.
    malformed : float
        The share of packets whose header names no node, or without head, or without tail; where
        links keep a status, also of those in which it is not 0.
    pattern : Pattern, or what `spelling.pattern` makes one of
        Where packets go.
    arrivals : Arrivals, or what `spelling.arrivals` makes one of
        When they are made.

    Attributes
    ----------
    source, destination, time, length, kind, salt : (packets,)
        By source, then by time. `salt` makes the data of a packet.

    Raises
    ------
    ValueError
        If no packet has such a length, the load is impossible, there is no cycle, or the pattern
        does not fit the network.
    """

    network: Carrier
    load: float | None
    cycles: int
    seed: int = 0
    lengths: Lengths | str | int | tuple[int, int] = (1, 1)
    malformed: float = 0.0
    pattern: Pattern | str = "uniform"
    arrivals: Arrivals | str = "bernoulli"
    source: IntArray = field(init=False)
    destination: IntArray = field(init=False)
    time: IntArray = field(init=False)
    length: IntArray = field(init=False)
    kind: IntArray = field(init=False)
    salt: IntArray = field(init=False)

    def __post_init__(self) -> None:
        topology, rng = self.network.topology, np.random.default_rng(self.seed)
        made = spelling.pattern(self.pattern).packets(
            topology,
            self.load,
            self.cycles,
            arrivals=spelling.arrivals(self.arrivals),
            lengths=spelling.lengths(self.lengths),
            rng=rng,
        )
        self.source = topology.terminals[made.source]
        self.destination = topology.terminals[made.destination]
        self.time, self.length = made.time, made.length
        packets = len(self.source)
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

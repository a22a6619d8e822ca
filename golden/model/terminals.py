"""Traffic, and the terminals that send and receive it."""

from dataclasses import dataclass, field

import numpy as np

from golden.arrays import BoolArray, IntArray
from golden.model.flits import Flits
from golden.network import Network

__all__ = ["BAD_HEADER", "NO_HEAD", "NO_TAIL", "POISONED", "WELL_FORMED", "Terminals", "Traffic"]

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
        The share of packets whose header names no node, or without head, or without tail; across
        OS-Links, also of those with a status that is not 0.

    Attributes
    ----------
    source, destination, time, length, kind, salt : (packets,)
        By source, then by time. `salt` makes the data of a packet.

    Raises
    ------
    ValueError
        If no packet has such a length, the load is impossible, or there is no cycle.
    """

    network: Network
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
        kinds = POISONED if self.network.link else NO_TAIL
        self.kind = np.where(wrong, rng.integers(1, kinds + 1, size=packets), WELL_FORMED)
        last = np.diff(self.source, append=-1) != 0  # somebody must close what has no tail
        self.kind[last & (self.kind == NO_TAIL)] = WELL_FORMED

    def flits(self, packet: IntArray, index: IntArray) -> tuple[BoolArray, BoolArray, IntArray]:
        """Return head, tail and data of flits `index` of packets."""
        routing, kind = self.network.routing, self.kind[packet]
        mask = (1 << min(62, self.network.flit_width)) - 1
        data = ((self.salt[packet] ^ (index * 0x9E3779B97F4A7C1)) * 0x2545F491) & mask
        first, last = index == 0, index == self.length[packet] - 1
        head, tail = first & (kind != NO_HEAD), last & (kind != NO_TAIL)
        header = routing.encode(self.source[packet], self.destination[packet])
        everything = (1 << routing.header.width) - 1
        header = np.where(kind == BAD_HEADER, everything, header)
        status = mask >> self.network.payload_width << self.network.payload_width
        data = np.where(tail & (kind == POISONED), data | status, data)
        data = np.where(tail & (kind != POISONED), data & ~status, data)
        return head, tail, np.where(head, data & ~everything | header, data)


class Terminals:
    """The far ends of all terminal ports.

    They send the packets of a `Traffic` as credits allow, check what they receive, and give
    credits back, each in a cycle with probability 1 - `stall`. With a `surplus` they believe in so
    many credits more than they have: then flits are lost.

    Attributes
    ----------
    delivered : (packets,)
        The cycle in which the tail of a packet came out, -1 if it did not.
    faults : list of str
        What was wrong with what came out; at most ten are kept.
    """

    def __init__(self, traffic: Traffic, *, stall: float = 0.0, surplus: int = 0) -> None:
        self.traffic, self.stall = traffic, stall
        network = traffic.network
        n = network.topology.nodes
        self.ports, self.local = network.topology.degree + 1, network.topology.local
        self.rng = np.random.default_rng(traffic.seed + 1)
        self.packet = np.searchsorted(traffic.source, np.arange(n))  # the next one of each node
        self.end = np.append(self.packet[1:], len(traffic.source))
        self.index = np.zeros(n, np.int64)
        self.credits = np.full(n, network.terminal_depth + surplus)
        self.backlog = np.zeros(n, np.int64)  # received, credit not yet given back
        self.received = np.zeros(len(traffic.source), np.int64)
        self.delivered = np.full(len(traffic.source), -1)
        self.sent_flits = self.received_flits = 0
        self.faults: list[str] = []
        # A packet behind one without a tail is swallowed by it.
        follows = np.zeros(len(traffic.source), np.bool_)
        same = traffic.source[1:] == traffic.source[:-1]
        follows[1:] = same & (traffic.kind[:-1] == NO_TAIL)
        self.expected = (traffic.kind == WELL_FORMED) & ~follows

    @property
    def all_sent(self) -> bool:
        """Return whether every packet has left its source."""
        return bool((self.packet == self.end).all())

    @property
    def all_delivered(self) -> bool:
        """Return whether every packet that can be delivered has been."""
        return bool((self.delivered[self.expected] >= 0).all())

    @property
    def missing(self) -> str:
        """Say which packet has not been delivered."""
        late = np.flatnonzero(self.expected & (self.delivered < 0))
        return f"packet {late[0]} of {len(late)} is missing" if len(late) else "none is missing"

    @property
    def empty(self) -> bool:
        """Return whether all that was sent and can be delivered has been, with its credits."""
        return self.all_sent and self.all_delivered and not self.backlog.any()

    def stop(self) -> None:
        """Send no packet that has not been begun, but close one that was left without a tail.

        A terminal that falls silent inside a packet would keep the channels of that packet.
        """
        last, self.end = self.end, self.packet + (self.index > 0)
        for node in range(len(last)):
            while (
                self.end[node] < last[node]
                and self.end[node] > 0
                and self.traffic.source[self.end[node] - 1] == node
                and self.traffic.kind[self.end[node] - 1] == NO_TAIL
            ):
                self.end[node] += 1
        behind = np.arange(len(self.expected)) >= self.end[self.traffic.source]
        self.expected &= ~behind

    def credit(self, nodes: IntArray) -> None:
        """Count credits that the routers of `nodes` gave back; call before `send`."""
        self.credits[nodes] += 1

    def send(self, cycle: int) -> Flits:
        """Return what the terminals send in this cycle."""
        t = self.traffic
        waiting = np.flatnonzero((self.packet < self.end) & (self.credits > 0))
        packet = self.packet[waiting]
        due = t.time[packet] <= cycle
        node, packet = waiting[due], packet[due]
        index = self.index[node]
        head, tail, data = t.flits(packet, index)
        self.credits[node] -= 1
        ends = index == t.length[packet] - 1
        self.index[node] = np.where(ends, 0, index + 1)
        self.packet[node[ends]] += 1
        self.sent_flits += len(node)
        place = node * self.ports + self.local
        return Flits(place, np.zeros_like(place), head, tail, data, packet)

    def receive(self, flits: Flits, cycle: int) -> None:
        """Check and count what came out in this cycle."""
        t, packet = self.traffic, flits.tag
        node = flits.place // self.ports
        index = self.received[packet]
        _, tail, data = t.flits(packet, index)
        low = (1 << t.network.routing.header.width) - 1  # the header has changed on the way
        same = np.where(flits.head, (data ^ flits.data) & ~low, data ^ flits.data) == 0
        checked = self.expected[packet]
        wrong = checked & ((node != t.destination[packet]) | ~same | (flits.tail != tail))
        for i in np.flatnonzero(wrong)[: 10 - len(self.faults)]:
            p = packet[i]
            self.faults.append(
                f"cycle {cycle}, node {node[i]}: flit {index[i]} of packet {p}, from "
                f"{t.source[p]} to {t.destination[p]}, out of place"
            )
        self.received[packet] += 1
        self.delivered[packet[flits.tail]] = cycle
        self.backlog[node] += 1
        self.received_flits += len(node)

    def give_back(self) -> IntArray:
        """Return the terminals that give a credit back in this cycle; after `receive`."""
        owing = self.backlog > 0
        if self.stall:
            owing &= self.rng.random(len(owing)) >= self.stall
        nodes = np.flatnonzero(owing)
        self.backlog[nodes] -= 1
        return nodes

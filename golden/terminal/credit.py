"""Terminals that send and receive flits by credits, as the links between routers do."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.flit import Flits, link_layout
from fingerpost.golden.header import Layout
from fingerpost.golden.terminal.base import Terminal, TerminalModel
from fingerpost.golden.traffic import NO_TAIL, WELL_FORMED, Traffic
from fingerpost.golden.traffic.carrier import Carrier


@dataclass(frozen=True)
class CreditTerminal(Terminal):
    """The port of the router itself: flits one way, credits the other, a channel for each class."""

    kind: ClassVar[str] = "credit"

    def one_class(self, *, counted: bool) -> str:
        """Return nothing: classes are channels."""
        return ""

    def given(self, network: Carrier) -> Layout:
        return link_layout(network.flit_width, channels=network.classes)

    def seen(self, network: Carrier) -> Layout:
        return self.given(network)

    @property
    def payload(self) -> tuple[str, ...]:
        return "head", "tail", "data"

    def model(self, traffic: Traffic, **options: Any) -> "CreditTerminalModel":
        """Return what sends the packets of `traffic` and takes those that come.

        Options are those of `CreditTerminalModel`.
        """
        return CreditTerminalModel(traffic, **options)


class CreditTerminalModel(TerminalModel):
    """The far ends of all terminal ports.

    They send the packets of a `Traffic` as credits allow, check what they receive, and give
    credits back, each in a cycle with probability 1 - `stall`. With a `surplus` they believe in so
    many credits more than they have: then flits are lost.

    Packets of different message classes do not wait for each other: a terminal sends a flit of the
    classes that have one and a credit, in turn. State is by channel, node * classes + class.
    """

    def __init__(self, traffic: Traffic, *, stall: float = 0.0, surplus: int = 0) -> None:
        super().__init__(traffic)
        self.stall = stall
        network = traffic.network
        self.classes = network.classes
        n = network.topology.nodes * self.classes
        self.ports, self.local = network.topology.degree + 1, network.topology.local
        channel = traffic.terminal_channel
        self.packet = np.searchsorted(channel, np.arange(n))  # the next one of each channel
        self.end = np.append(self.packet[1:], len(channel))
        self.turn = np.zeros(network.topology.nodes, np.int64)  # the class that comes first
        self.index = np.zeros(n, np.int64)
        self.credits = np.full(n, network.terminal_depth + surplus)
        self.backlog = np.zeros(n, np.int64)  # received, credit not yet given back
        self.received = np.zeros(len(traffic.source), np.int64)
        self.sent_flits = 0
        # A packet behind one without a tail is swallowed by it.
        follows = np.zeros(len(traffic.source), np.bool_)
        same = channel[1:] == channel[:-1]
        follows[1:] = same & (traffic.kind[:-1] == NO_TAIL)
        self.expected = (traffic.kind == WELL_FORMED) & ~follows

    @property
    def all_sent(self) -> bool:
        """Return whether every packet has left its source."""
        return bool((self.packet == self.end).all())

    @property
    def empty(self) -> bool:
        return self.all_sent and self.all_delivered and not self.backlog.any()

    def stop(self) -> None:
        """Send no packet that has not been begun, but close one that was left without a tail.

        A terminal that falls silent inside a packet would keep the channels of that packet.
        """
        last, self.end = self.end, self.packet + (self.index > 0)
        of_packet = self.traffic.terminal_channel
        for channel in range(len(last)):
            while (
                self.end[channel] < last[channel]
                and self.end[channel] > 0
                and of_packet[self.end[channel] - 1] == channel
                and self.traffic.kind[self.end[channel] - 1] == NO_TAIL
            ):
                self.end[channel] += 1
        behind = np.arange(len(self.expected)) >= self.end[of_packet]
        self.expected &= ~behind

    def credit(self, channels: IntArray) -> None:
        self.credits[channels] += 1

    def send(self, cycle: int) -> Flits:
        t = self.traffic
        waiting = np.flatnonzero((self.packet < self.end) & (self.credits > 0))
        packet = self.packet[waiting]
        due = t.time[packet] <= cycle
        channel, packet = waiting[due], packet[due]
        if self.classes > 1:
            first = self._in_turn(channel)
            channel, packet = channel[first], packet[first]
        index = self.index[channel]
        head, tail, data = t.flits(packet, index)
        self.credits[channel] -= 1
        ends = index == t.length[packet] - 1
        self.index[channel] = np.where(ends, 0, index + 1)
        self.packet[channel[ends]] += 1
        self.sent_flits += len(channel)
        node, message_class = np.divmod(channel, self.classes)
        return Flits(node * self.ports + self.local, message_class, head, tail, data, packet)

    def _in_turn(self, channels: IntArray) -> IntArray:
        """Return the indices of the channels that send: of each node the one whose turn is next."""
        node, message_class = np.divmod(channels, self.classes)
        order = np.lexsort(((message_class - self.turn[node]) % self.classes, node))
        first: IntArray = order[np.diff(node[order], prepend=-1) != 0]
        self.turn[node[first]] = (message_class[first] + 1) % self.classes
        return first

    def given(self, sent: Flits, back: IntArray) -> dict[str, IntArray]:
        return self._columns(sent, back)

    def seen(self, out: Flits, credited: IntArray) -> dict[str, IntArray]:
        return self._columns(out, credited)

    def _columns(self, flits: Flits, credit: IntArray) -> dict[str, IntArray]:
        names = "valid", "head", "tail", "data", "credit"
        columns = {name: np.zeros(len(self.turn), np.int64) for name in names}
        at = flits.port_index // self.ports
        columns["valid"][at] = 1 << flits.channel
        np.add.at(columns["credit"], credit // self.classes, 1 << credit % self.classes)
        for name in ("head", "tail", "data"):
            columns[name][at] = getattr(flits, name)
        return columns

    def receive(self, flits: Flits, cycle: int) -> None:
        self.backlog[flits.port_index // self.ports * self.classes + flits.channel] += 1
        self.received_flits += len(flits.port_index)
        if (flits.tag < 0).any():  # the end of a packet that its router has cut
            flits = flits.select(flits.tag >= 0)
        t, packet = self.traffic, flits.tag
        node = flits.port_index // self.ports
        index = self.received[packet]
        _, tail, data = t.flits(packet, index)
        low = (1 << t.network.routing.header.width) - 1  # the header has changed on the way
        same = np.where(flits.head, (data ^ flits.data) & ~low, data ^ flits.data) == 0
        checked = self.expected[packet]
        out_of_place = (node != t.destination[packet]) | (flits.channel != t.message_class[packet])
        wrong = checked & (out_of_place | ~same | (flits.tail != tail))
        self._note(wrong, cycle, node, packet, part="flit", index=index)
        self.received[packet] += 1
        self.delivered[packet[flits.tail]] = cycle

    def give_back(self) -> IntArray:
        owing = self.backlog > 0
        if self.stall:
            owing &= self.rng.random(len(owing)) >= self.stall
        channels = np.flatnonzero(owing)
        self.backlog[channels] -= 1
        return channels

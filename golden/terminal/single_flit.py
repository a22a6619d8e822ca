"""Terminals of deflection routers: packets of one flit, in any order."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.flit import Flits
from fingerpost.golden.header import Layout
from fingerpost.golden.terminal.base import Terminal, TerminalModel
from fingerpost.golden.traffic import WELL_FORMED, Traffic
from fingerpost.golden.traffic.carrier import Carrier

CHOICE = 42
"""From this bit on, the salt of a malformed packet chooses its destination."""


@dataclass(frozen=True)
class SingleFlitTerminal(Terminal):
    """The port of the router itself: valid and ready.

    Attributes
    ----------
    ejections : int
        Flits that come out in a cycle at most.
    """

    kind: ClassVar[str] = "single-flit"
    late: ClassVar[tuple[str, ...]] = ("ready",)

    ejections: int = 1

    def one_class(self, *, counted: bool) -> str:
        return "routers are of kind deflection"

    def given(self, network: Carrier) -> Layout:
        return Layout.sequence(
            valid=(1, "a flit is offered"),
            destination=(network.routing.header.width, "number of its terminal"),
            data=(network.flit_width, "the user's"),
            eject_ready=(self.ejections, "by ejection port: a flit can be taken two cycles later"),
        )

    def seen(self, network: Carrier) -> Layout:
        return Layout.sequence(
            ready=(1, "what is offered goes in"),
            valid=(self.ejections, "by ejection port: there is a flit"),
            **{f"data{port}": (network.flit_width, "the user's") for port in range(self.ejections)},
        )

    @property
    def payload(self) -> tuple[str, ...]:
        """Return nothing: ejection registers keep the last flit."""
        return ()

    def model(self, traffic: Traffic, **options: Any) -> "SingleFlitTerminalModel":
        """Return what sends the packets of `traffic` and takes those that come.

        Raises
        ------
        ValueError
            If there is a surplus: there are no credits to ignore.
        """
        if options.pop("surplus", 0):
            raise ValueError("Terminals with valid and ready need a surplus of 0: no credits")
        return SingleFlitTerminalModel(traffic, self.ejections, **options)


class SingleFlitTerminalModel(TerminalModel):
    """The terminals of a network: each offers its packets in turn, and checks what comes out.

    A channel of a terminal is node * ejections + ejection port. A flit is its data above the
    number of its destination.

    Parameters
    ----------
    traffic : Traffic
        Packets of one flit. A malformed packet names some destination that does not exist; where
        all numbers are destinations it is well-formed.
    ejections : int
    stall : float
        The probability with which an ejection port takes nothing two cycles later.

    Attributes
    ----------
    entered : (packets,)
        The cycle in which each went into the network, -1 if it did not.

    Raises
    ------
    ValueError
        If a packet has more than one flit.
    """

    def __init__(self, traffic: Traffic, ejections: int, *, stall: float = 0.0) -> None:
        if (traffic.length != 1).any():
            raise ValueError(
                "Deflection routers need packets of 1 flit (--packet-length 1), "
                f"not {int(traffic.length.max())}"
            )
        network = traffic.network
        super().__init__(traffic)
        self.ejections, self.stall = ejections, stall
        self.nodes, self.ports = network.topology.nodes, network.topology.degree + 1
        self.local = network.topology.local
        header = network.routing.header.width
        terminals = len(network.topology.terminals)
        unknown = (1 << header) - terminals
        wrong = (traffic.kind != WELL_FORMED) & (unknown > 0)
        self.expected: BoolArray = ~wrong
        bad = terminals + (traffic.salt >> CHOICE) % max(1, unknown)
        self.destination: IntArray = np.where(wrong, bad, traffic.header)
        self.data: IntArray = traffic.salt & ((1 << min(62 - header, network.flit_width)) - 1)
        self.header = header
        self.entered = np.full(len(traffic.source), -1)
        # Packets are sorted by source, then by time.
        self.packet = np.searchsorted(traffic.source, np.arange(self.nodes))
        self.end = np.searchsorted(traffic.source, np.arange(self.nodes), side="right")
        self.held = np.zeros(self.nodes * ejections, np.int64)  # the last flit of each port
        self._ready = np.zeros(self.nodes, np.bool_)

    def credit(self, channels: IntArray) -> None:
        """Note the nodes where a flit that is offered goes in."""
        self._ready[:] = False
        self._ready[channels] = True

    def send(self, cycle: int) -> Flits:
        """Return what the terminals offer in this cycle; it goes in where `credit` said so."""
        waiting = np.flatnonzero(self.packet < self.end)
        packet = self.packet[waiting]
        due = self.traffic.time[packet] <= cycle
        node, packet = waiting[due], packet[due]
        enters = self._ready[node]
        self.packet[node[enters]] += 1
        self.entered[packet[enters]] = cycle
        one = np.ones(len(node), np.bool_)
        data = self.data[packet] << self.header | self.destination[packet]
        return Flits(node * self.ports + self.local, np.zeros_like(node), one, one, data, packet)

    def receive(self, flits: Flits, cycle: int) -> None:
        t, tag, node = self.traffic, flits.tag, flits.port_index // self.ports
        self.received_flits += len(tag)
        self.held[node * self.ejections + flits.channel] = flits.data
        wrong = (t.destination[tag] != node) | ~self.expected[tag] | (self.delivered[tag] >= 0)
        wrong |= self.data[tag] != flits.data
        self._note(wrong, cycle, node, tag)
        self.delivered[tag] = cycle

    def give_back(self) -> IntArray:
        """Return the channels that take a flit two cycles later."""
        channels = self.nodes * self.ejections
        if not self.stall:
            return np.arange(channels)
        return np.flatnonzero(self.rng.random(channels) >= self.stall)

    def given(self, sent: Flits, back: IntArray) -> dict[str, IntArray]:
        """Return what is offered, and which ejection ports take a flit, by node.

        Where nothing is, the next packet is on the lines already.
        """
        names = "valid", "destination", "data", "eject_ready"
        columns = {name: np.zeros(self.nodes, np.int64) for name in names}
        early = np.flatnonzero(self.packet < self.end)
        columns["destination"][early] = self.destination[self.packet[early]]
        columns["data"][early] = self.data[self.packet[early]]
        node = sent.port_index // self.ports
        columns["valid"][node] = 1
        columns["destination"][node] = sent.data & ((1 << self.header) - 1)
        columns["data"][node] = sent.data >> self.header
        np.add.at(columns["eject_ready"], back // self.ejections, 1 << back % self.ejections)
        return columns

    def seen(self, out: Flits, credited: IntArray) -> dict[str, IntArray]:
        columns = {name: np.zeros(self.nodes, np.int64) for name in ("ready", "valid")}
        columns["ready"][credited] = 1
        np.add.at(columns["valid"], out.port_index // self.ports, 1 << out.channel)
        held = self.held.reshape(self.nodes, self.ejections)
        return columns | {f"data{port}": held[:, port] for port in range(self.ejections)}

    @property
    def longest_time(self) -> int | None:
        out = self.delivered >= 0
        return int((self.delivered - self.entered).max(where=out, initial=0))

    def stop(self) -> None:
        behind = np.arange(len(self.expected)) >= self.packet[self.traffic.source]
        self.end = self.packet.copy()
        self.expected &= ~behind

    @property
    def empty(self) -> bool:
        return bool((self.packet == self.end).all()) and self.all_delivered

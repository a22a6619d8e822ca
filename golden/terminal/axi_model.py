"""What AXI4-Stream terminals do in a model: users that send and receive, and their interfaces."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.flit import Flits
from fingerpost.golden.terminal.axi_interfaces import (
    DirectInterfaces,
    Edge,
    FlowInterfaces,
    Interfaces,
)
from fingerpost.golden.terminal.axi_receiver import AxiReceiver
from fingerpost.golden.terminal.axi_sender import AxiSender, Beats
from fingerpost.golden.terminal.base import TerminalModel
from fingerpost.golden.terminal.beat import AXI_COUNTERS, AxiLayout
from fingerpost.golden.terminal.flow_layout import FlowControl, FlowLayout
from fingerpost.golden.terminal.flow_receiver import FlowReceiver
from fingerpost.golden.terminal.flow_sender import FlowSender
from fingerpost.golden.terminal.queues import Queues
from fingerpost.golden.terminal.stored_sender import StoredSender
from fingerpost.golden.traffic import BAD_HEADER, NO_HEAD, NO_TAIL, POISONED, Traffic

MOST = (1 << 63) - 1
"""The largest number of 64 bits."""

SILENCE = 16
"""Cycles for which a terminal that falls silent does so beyond its time-out."""

NEVER = np.iinfo(np.int64).max


class AxiTerminalModel(TerminalModel):
    """Users that send the packets of a `Traffic` beat by beat, and check what they receive.

    There is a user for each stream: node * classes + message class.

    A malformed packet is one to no terminal, one that its sender marks as bad, or one whose
    sender falls silent in the middle.

    Parameters
    ----------
    traffic : Traffic
    timeout : int
        That of the interfaces.
    flow : FlowControl, optional
        End-to-end flow control of the interfaces, if they have it.
    store : int
        Beats of a queue of complete packets in each interface; 0: there is none.
    stall : float
        The chance in each cycle that a user does not offer its next beat, and that it takes none.
    sends_until, reads_until : mapping of int to int
        Interfaces (nodes, with one message class), and the cycle from which their users offer no
        further beat, or take none.
    sends_again, reads_again : mapping of int to int
        The cycle from which they do again; without one they never do.
    surplus : int
        There are no credits to believe in, so 0.

    Raises
    ------
    ValueError
        If there is a surplus.
    """

    def __init__(
        self,
        traffic: Traffic,
        *,
        timeout: int,
        flow: FlowControl | None = None,
        store: int = 0,
        stall: float = 0.0,
        sends_until: Mapping[int, int] | None = None,
        reads_until: Mapping[int, int] | None = None,
        sends_again: Mapping[int, int] | None = None,
        reads_again: Mapping[int, int] | None = None,
        surplus: int = 0,
    ) -> None:
        if surplus:
            raise ValueError(f"AXI4-Stream terminals need a surplus of 0, not {surplus}")
        network = traffic.network
        self.classes = network.classes
        n = network.topology.nodes * self.classes
        node = np.arange(n) // self.classes
        super().__init__(traffic)
        self.stall, self.timeout, self.store = stall, timeout, store
        pauses = sends_until, sends_again, reads_until, reads_again
        times = np.full((len(pauses), n), NEVER)
        self.sends_until, self.sends_again, self.reads_until, self.reads_again = times
        for row, given in zip(times, pauses, strict=True):
            row[[*(given or {})]] = [*(given or {}).values()]
        self.layout = FlowLayout.controlled(network, flow) if flow else AxiLayout.of(network)
        self.exists = np.isin(node, network.topology.terminals)
        self.place = node * (network.topology.degree + 1) + network.topology.local
        packets = len(traffic.source)
        # The next packet of each stream.
        self.packet = np.searchsorted(traffic.terminal_channel, np.arange(n))
        self.end = np.append(self.packet[1:], packets)
        self.index = np.zeros(n, np.int64)
        self.offers = np.zeros(n, np.bool_)
        self.silent = np.zeros(n, np.int64)
        self.credited = np.zeros(n, np.int64)
        self.received = np.zeros(packets, np.int64)
        self._packets()
        if flow:
            self.expected &= traffic.length <= flow.packet_limit
        if store:
            self.expected &= traffic.length <= store
        self.interfaces: Interfaces = self._flow(flow) if flow else self._direct(store)

    def _packets(self) -> None:
        """Make of the kinds of packets what can be wrong with one here."""
        t, network = self.traffic, self.traffic.network
        strangers = np.setdiff1d(np.arange(1 << self.layout.number), network.topology.terminals)
        stranger = (t.kind == BAD_HEADER) & (len(strangers) > 0)
        self.dest = t.destination.copy()
        if len(strangers):
            some = strangers[t.salt % len(strangers)]
            self.dest = np.where(stranger, some, self.dest)
        self.known = ~stranger
        self.marked = np.isin(t.kind, (NO_HEAD, POISONED))
        # Before which beat a sender falls silent; never before the first.
        pauses = (t.kind == NO_TAIL) & (t.length > 1)
        self.pause = np.where(pauses, 1 + t.salt % np.maximum(t.length - 1, 1), -1)
        self.closed = np.zeros(len(t.source), np.bool_)
        self.expected = self.known.copy()

    def _direct(self, store: int) -> DirectInterfaces:
        """Return interfaces without flow control."""
        t, network, n = self.traffic, self.traffic.network, len(self.exists)
        known = np.where(self.known, t.destination, t.source)
        same: dict[str, Any] = {
            "credits": network.terminal_depth,
            "layout": self.layout,
            "classes": self.classes,
        }
        return DirectInterfaces(
            StoredSender(n, store=store, **same)
            if store
            else AxiSender(n, timeout=self.timeout, **same),
            AxiReceiver(n, depth=network.buffer_depth, flit=network.flit, layout=self.layout),
            head=self.layout.head.join(
                header=network.routing.encode(t.source, known), source=t.source
            ),
            known=self.known,
        )

    def _flow(self, flow: FlowControl) -> FlowInterfaces:
        """Return interfaces with flow control."""
        network, n = self.traffic.network, len(self.exists)
        layout = self.layout
        assert isinstance(layout, FlowLayout)
        exists = np.isin(np.arange(1 << layout.number), network.topology.terminals)

        def lookup(node: IntArray, peer: IntArray) -> tuple[IntArray, BoolArray]:
            known = exists[peer]
            return network.routing.encode(node, np.where(known, peer, node)), known

        return FlowInterfaces(
            FlowSender(
                n,
                flow,
                credits=network.terminal_depth,
                layout=layout,
                lookup=lookup,
                classes=self.classes,
            ),
            FlowReceiver(n, flow, flit=network.flit, layout=layout, classes=self.classes),
            Queues(n, depth=network.terminal_depth, columns=2) if layout.single else None,
        )

    def beats(self, packet: IntArray, index: IntArray) -> Beats:
        """Return the beats `index` of packets."""
        t, layout = self.traffic, self.layout
        mask = (1 << layout.model_width) - 1
        data = ((t.salt[packet] ^ (index * 0x9E3779B97F4A7C1)) * 0x2545F491 & MOST) >> 7 & mask
        last = index == t.length[packet] - 1
        last_byte = np.where(last, t.salt[packet] % layout.bytes, layout.bytes - 1)
        return Beats(data, last, last_byte, last & self.marked[packet], packet)

    def credit(self, channels: IntArray) -> None:
        self.credited[channels] = 1

    def send(self, cycle: int) -> Flits:
        """Return what the interfaces send in this cycle; users offer them beats."""
        self._offer(cycle)
        sender, offers = self.interfaces.sender, self.offers
        at = np.flatnonzero(offers)
        packet = self.packet[at]
        beats = Beats._make(self._spread(at, part) for part in self.beats(packet, self.index[at]))
        flits, ready = self.interfaces.flits(self.place), sender.ready & self.exists
        self._given = {
            "valid": offers.astype(np.int64),
            "last": beats.last.astype(np.int64),
            **self._keep(beats),
            "dest": self._spread(at, self.dest[packet]),
            "error": beats.error.astype(np.int64),
            "data": beats.data,
        }
        self._seen = {
            "ready": ready.astype(np.int64),
            **{counter.name: getattr(sender, counter.name) for counter in AXI_COUNTERS},
        }
        closed = self.interfaces.closed
        self.closed[closed], self.expected[closed] = True, False
        self._beats, self._taken = beats, offers & ready
        self._advance(self._taken, beats.last)
        return flits

    def _spread(self, at: IntArray, values: Any) -> Any:
        """Return a row of every node, with values at some of them and 0 elsewhere."""
        row = np.zeros(len(self.offers), values.dtype)
        row[at] = values
        return row

    def _keep(self, beats: Beats) -> dict[str, IntArray]:
        """Return tkeep, if there is more than one byte."""
        return {"keep": (2 << beats.last_byte) - 1} if self.layout.bytes > 1 else {}

    def _offer(self, cycle: int) -> None:
        """Let users offer the next beat; what is offered stays until it is taken."""
        waiting = np.flatnonzero(~self.offers & (self.packet < self.end))
        packet = self.packet[waiting]
        begins = self.index[waiting] == 0
        due = np.where(begins, self.traffic.time[packet] <= cycle, self.silent[waiting] == 0)
        talks = (cycle < self.sends_until) | (cycle >= self.sends_again)
        node = waiting[due & talks[waiting]]
        if self.stall:
            node = node[self.rng.random(len(node)) >= self.stall]
        self.offers[node] = True
        self.silent = np.maximum(self.silent - 1, 0)

    def _advance(self, taken: BoolArray, last: BoolArray) -> None:
        """Go on to the next beat where one was taken."""
        self.offers &= ~taken
        self.index[taken] += 1
        node = np.flatnonzero(taken & ~last)
        pauses = self.index[node] == self.pause[self.packet[node]]
        self.silent[node[pauses]] = self.timeout + SILENCE
        ends = taken & last
        self.index[ends] = 0
        self.packet[ends] += 1

    def receive(self, flits: Flits, cycle: int) -> None:
        """Take what came out into the interfaces, and check the beats that users take."""
        receiver = self.interfaces.receiver
        valid, beats = receiver.front()
        ready = self.exists & ((cycle < self.reads_until) | (cycle >= self.reads_again))
        if self.stall:
            ready &= self.rng.random(len(ready)) >= self.stall
        user = receiver.source << 1 | beats.error
        self._given["ready"] = ready.astype(np.int64)
        self._seen |= {
            "valid": valid.astype(np.int64),
            "last": beats.last.astype(np.int64),
            **self._keep(beats),
            "user": user,
            "data": beats.data,
        }
        self.returned = receiver.credit
        if self.traffic.network.single_flit:
            self.returned = np.flatnonzero(self.exists)
        node = np.flatnonzero(valid & ready)
        self._check(node, Beats._make(column[node] for column in beats), cycle)
        stream = flits.port_index // self.place_width * self.classes + flits.channel
        sent = self._taken, self._beats, self._given["dest"], self.credited
        self.interfaces.step(Edge(*sent, flits, stream, valid, ready))
        self.credited = np.zeros_like(self.credited)

    @property
    def place_width(self) -> int:
        """Return the ports of a node."""
        return self.traffic.network.topology.degree + 1

    def _check(self, node: IntArray, beats: Beats, cycle: int) -> None:
        """Check and count what users take in this cycle."""
        t, packet = self.traffic, beats.tag
        index = self.received[packet]
        due = self.beats(packet, index)
        wrong = self.interfaces.receiver.source[node] != t.source[packet]
        due_at = t.destination[packet] * self.classes + t.message_class[packet]
        wrong |= (node != due_at) | ~self.known[packet]
        cut = self.closed[packet] & beats.last & beats.error  # the beat that closes a packet
        same = (beats.data == due.data) & (beats.last == due.last) & (beats.error == due.error)
        wrong |= ~(same & (beats.last_byte == due.last_byte)) & ~cut
        self._note(wrong, cycle, node // self.classes, packet, part="beat", index=index)
        self.received[packet] += 1
        self.delivered[packet[beats.last]] = cycle
        self.received_flits += len(node)

    def give_back(self) -> IntArray:
        """Return the interfaces that give a credit back in this cycle; after `receive`.

        Where packets have one flit: those that take one two cycles later, all.
        """
        return self.returned

    def stop(self) -> None:
        self.end = np.minimum(self.end, self.packet + ((self.index > 0) | self.offers))
        begun = np.arange(len(self.expected)) < self.end[self.traffic.terminal_channel]
        self.expected &= begun

    @property
    def empty(self) -> bool:
        sent = bool((self.packet >= self.end).all())
        return sent and self.interfaces.idle and self.all_delivered and self._all_closed

    @property
    def _all_closed(self) -> bool:
        """Return whether every packet that was closed has come out, too."""
        return bool((self.delivered[self.closed] >= 0).all())

"""What OS-Link terminals do in a model: programs behind links of their own, and interfaces."""

from collections import deque

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.flit import Flits
from fingerpost.golden.link.os_link import OsLink
from fingerpost.golden.link.parameters import ERRORS, OsLinkParameters
from fingerpost.golden.terminal.axi_receiver import AxiReceiver
from fingerpost.golden.terminal.axi_sender import AxiSender
from fingerpost.golden.terminal.base import TerminalModel
from fingerpost.golden.terminal.beat import AxiLayout
from fingerpost.golden.terminal.message import (
    FLAWS,
    LONGEST,
    MESSAGE_COUNTERS,
    Received,
    receive,
    send,
)
from fingerpost.golden.terminal.message_receiver import MessageReceiver
from fingerpost.golden.terminal.message_sender import MessageSender
from fingerpost.golden.terminal.programs import Programs
from fingerpost.golden.traffic import BAD_HEADER, NO_HEAD, NO_TAIL, POISONED, Traffic

SHORT = 256
"""A limit of the length up to which messages beyond it are sent; others take too long."""

DEAF = 200
"""Bit times beyond a time-out for which a program takes nothing: its port has room for some."""

WRONG = ERRORS.index("err_over") + 1
"""The errors of a port before it, and it, are flaws."""


class OsLinkTerminalModel(TerminalModel):
    """Programs that send the packets of a `Traffic` as messages, and check what they receive.

    A message has as many beats as its packet has flits. A malformed one is to no terminal, or
    longer than the limit; or its sender gives it up in the middle; or its receiver takes nothing
    for long in the middle of it. The last two are only done where there is a time-out.

    Parameters
    ----------
    traffic : Traffic
    link : OsLinkParameters
        Of the ports of the terminals, and of those of the programs.
    longest, timeout : int
        Those of the interfaces; `timeout` in bit times.
    stall : float
        Probability of a pause before each byte, of senders and of receivers.
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
        link: OsLinkParameters,
        longest: int,
        timeout: int,
        stall: float = 0.0,
        surplus: int = 0,
    ) -> None:
        if surplus:
            raise ValueError(f"OS-Link terminals need a surplus of 0, not {surplus}")
        network = traffic.network
        n = network.topology.nodes
        super().__init__(traffic)
        self.longest, self.link = longest, link
        self.layout = layout = AxiLayout.of(network)
        self.clocks, self.timeout = link.clocks_per_bit, timeout * link.clocks_per_bit
        self.place = np.arange(n) * (network.topology.degree + 1) + network.topology.local
        self.degree = network.topology.degree
        self.port = OsLink(n, link)
        self.programs = Programs(n, link, timeout=self.timeout, stall=stall, seed=traffic.seed + 1)
        self.messages = MessageSender(n, layout=layout, longest=longest, timeout=self.timeout)
        self.answers = MessageReceiver(n, layout=layout, timeout=self.timeout)
        self.sender = AxiSender(n, credits=network.terminal_depth, timeout=0, layout=layout)
        self.receiver = AxiReceiver(n, depth=network.buffer_depth, flit=network.flit, layout=layout)
        self.flaws = np.zeros(n, np.int64)

        packets = len(traffic.source)
        self.packet = np.searchsorted(traffic.source, np.arange(n))  # the next one of each node
        self.end = np.append(self.packet[1:], packets)
        self.going: list[deque[int]] = [deque() for _ in range(n)]  # whose first bytes are sent
        self.front = np.full(n, -1)
        self.heard = [bytearray() for _ in range(n)]
        self.coming: list[deque[int]] = [deque() for _ in range(n)]  # whose messages these are
        self.credited = np.zeros(n, np.int64)
        self.closed, self.cut = np.zeros((2, packets), np.bool_)
        self._packets()
        self.returned = np.empty(0, np.int64)

    def _packets(self) -> None:
        """Make of the kinds of packets what can be wrong with one here."""
        t, network = self.traffic, self.traffic.network
        named = np.concatenate([np.arange(1 << self.layout.number), [LONGEST, 1 << 15]])
        strangers = np.setdiff1d(named, network.topology.terminals)
        self.stranger = t.kind == BAD_HEADER
        some = strangers[t.salt % max(len(strangers), 1)] if len(strangers) else t.destination
        self.dest = np.where(self.stranger, some, t.destination)
        header = network.routing.encode(t.source, t.destination)
        self.head = self.layout.head.join(header=header, source=t.source)
        self.known = np.isin(np.arange(1 << self.layout.number), network.topology.terminals)
        self.too_long = (t.kind == NO_HEAD) & (self.longest <= SHORT)
        self.expected = ~self.stranger & ~self.too_long
        kinds = (NO_TAIL, POISONED) if self.timeout else ()
        self.given_up = np.isin(t.kind, kinds) & (t.salt % 2 == 0)
        self.stalls = np.isin(t.kind, kinds) & (t.salt % 2 == 1)
        payload = self.layout.bytes * (t.length - 1) + 1 + t.salt % self.layout.bytes
        size = np.clip(payload - 2, 0, self.longest)
        self.size = np.where(self.too_long, self.longest + 1 + t.salt % 8, size)
        stop_at = 1 + (t.salt >> 8) % (self.size + 3)
        self.stop_at, self.deaf_at = np.where(self.given_up, stop_at, 0), (t.salt >> 8) % 8

    def data(self, packet: int) -> bytes:
        """Return what the message of a packet holds."""
        t, width = self.traffic, self.layout.bytes
        salt = int(t.salt[packet])
        if self.too_long[packet]:
            length = self.longest + 1 + salt % 8
        else:
            payload = width * (int(t.length[packet]) - 1) + 1 + salt % width
            length = min(max(payload - 2, 0), self.longest)
        mixed = (salt ^ np.arange(length) * 0x9E3779B97F4A7C1) * 0x2545F491 >> 17
        return mixed.astype(np.uint8).tobytes()

    def credit(self, nodes: IntArray) -> None:
        self.credited[nodes] = 1

    def send(self, cycle: int) -> Flits:
        """Return what the interfaces send in this cycle; programs go on with their messages."""
        sender, messages, port = self.sender, self.messages, self.port
        self._offer(cycle)
        flits = sender.flits(self.place)
        counters = {"refused": sender, "expired": messages, "lost": self.answers, "flaws": self}
        self._given = {"wire": self.programs.wires.astype(np.int64)}
        self._seen = {
            "wire": port.link_out.astype(np.int64),
            **{c.name: getattr(counters[c.name], c.name) for c in MESSAGE_COUNTERS},
        }
        offers, beats, ready = messages.full, messages.beats(), sender.ready
        known = ~messages.stranger & self.known[messages.dest & len(self.known) - 1]
        head = self.head[np.maximum(beats.tag, 0)]
        sender.step(offers, beats, head, known, self.credited)
        self.takes = messages.ready
        begins = self.takes & port.rx_valid & (messages.place == 0)
        messages.step(port.rx_data, port.rx_valid, ready, self.front)
        for node in np.flatnonzero(begins).tolist():
            self.going[node].popleft()
            self.front[node] = self.going[node][0] if self.going[node] else -1
        self._give_up(cycle)
        self.credited = np.zeros_like(self.credited)
        return flits

    def _offer(self, cycle: int) -> None:
        """Let programs begin the messages that are due."""
        busy = self.programs.talks | self.programs.silent
        waiting = np.flatnonzero(~busy & (self.packet < self.end))
        for node in waiting[self.traffic.time[self.packet[waiting]] <= cycle].tolist():
            packet = int(self.packet[node])
            message = send(int(self.dest[packet]), self.data(packet))
            salt = int(self.traffic.salt[packet]) >> 8
            stop_at = 1 + salt % (len(message) - 1) if self.given_up[packet] else 0
            self.programs.begin(node, message, stop_at=stop_at)

    def _give_up(self, cycle: int) -> None:
        """Let programs whose message was given up go on to the next one."""
        for node in np.flatnonzero(self.messages.expires).tolist():
            if not self.programs.silent[node]:
                self._fault(f"cycle {cycle}, node {node}: given up, though its program was not")
                continue
            packet = int(self.packet[node])
            self.closed[packet] = self.messages.closes[node] and self.expected[packet]
            self.expected[packet] = False
            self.programs.silent[node] = False
            self.packet[node] += 1

    def receive(self, flits: Flits, cycle: int) -> None:
        """Take what came out into the interfaces, and check the messages that programs take."""
        receiver, answers, port = self.receiver, self.answers, self.port
        valid, beats = receiver.front()
        byte, offers = answers.bytes(valid, beats, receiver.source)
        ready, carried = answers.step(valid, beats, receiver.source, port.tx_ready)
        self._follow()
        self.received_flits += int(carried.sum())
        self.returned = receiver.credit
        receiver.step(flits, flits.port_index // (self.degree + 1), ready)
        wrong = (port.errors & (1 << WRONG) - 1) > 0
        self.flaws = np.minimum(self.flaws + wrong, FLAWS.most)

        there = self.programs.wires
        said = self.programs.step(port.link_out)
        for node in said.began:
            self.going[node].append(int(self.packet[node]))
            self.front[node] = self.going[node][0]
        self.packet[said.ended] += 1
        for node, heard in said.heard:
            self._hear(node, heard, cycle)
        port.step(there, byte, offers, self.takes)

    def _follow(self) -> None:
        """Follow whose messages are written, cut or lost."""
        answers = self.answers
        for node in np.flatnonzero(answers.begins).tolist():
            self.coming[node].append(int(answers.tag[node]))
        for node in np.flatnonzero(answers.cuts).tolist():
            packet = self.coming[node][-1]
            self.cut[packet], self.expected[packet] = True, False
        lost = answers.tag[answers.loses]
        self.expected[lost] = False
        self.closed[lost[~self.cut[lost]]] = False

    def _hear(self, node: int, byte: int, cycle: int) -> None:
        """Take a byte of a program, and check a message that is complete."""
        said = self.heard[node]
        said.append(byte)
        message = receive(bytes(said))
        if not self.coming[node]:
            self._fault(f"cycle {cycle}, node {node}: a byte of no message")
        elif message:
            said.clear()
            self._check(node, self.coming[node].popleft(), message, cycle)
        elif self.stalls[packet := self.coming[node][0]]:
            salt = int(self.traffic.salt[packet])
            if len(said) == 1 + (salt >> 8) % 8:
                self.programs.deaf[node] = self.timeout + DEAF * self.clocks

    def _check(self, node: int, packet: int, message: Received, cycle: int) -> None:
        """Check a message that came out at a node; those that were cut end with zeros."""
        t, due = self.traffic, self.data(packet)
        self.delivered[packet] = cycle
        good = message.source == t.source[packet] and node == t.destination[packet]
        same = message.data == due
        if self.closed[packet] or self.cut[packet]:
            pairs = zip(message.data, due, strict=False)
            begun = next((i for i, (a, b) in enumerate(pairs) if a != b), len(due))
            good = message.status == 1 and not any(message.data[begun:])
        elif not (good and same and message.status == 0 and self.expected[packet]):
            good = False
        if not good:
            self._fault(
                f"cycle {cycle}, node {node}: message {packet}, from {t.source[packet]} to "
                f"{t.destination[packet]}, out of place or not as it was sent"
            )

    def _fault(self, what: str) -> None:
        if len(self.faults) < 10:
            self.faults.append(what)

    def give_back(self) -> IntArray:
        return self.returned

    def stop(self) -> None:
        busy = self.programs.talks | self.programs.silent
        self.end = np.minimum(self.end, self.packet + busy)
        begun = np.arange(len(self.expected)) < self.end[self.traffic.source]
        self.expected &= begun

    @property
    def empty(self) -> bool:
        sent = bool((self.packet >= self.end).all()) and not self.programs.silent.any()
        sent = sent and bool(self.messages.idle.all()) and not any(self.going)
        passed = not (self.sender.held.any() or self.receiver.level.any())
        received = bool(self.answers.idle.all()) and not any(self.coming)
        both = self.closed | self.cut
        ended = bool((self.delivered[both] >= 0).all()) and not len(self.receiver.credit)
        return sent and passed and received and ended and self.all_delivered

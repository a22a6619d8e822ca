"""What makes bytes of flits and back as what is mutated: routers and peers do as they like."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np
from amaranth import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.link.cells import STATUS, CellReceiver, CellSender
from fingerpost.golden.network.network import Network, build
from fingerpost.hdl.lib.flit import LinkSignature
from fingerpost.hdl.link import cell_link
from fingerpost.testbench.packing import Columns
from mutation.lanes import InLanes, Lanes
from mutation.subject import Turn

LANES = 32

LONG = 1500
"""Clocks of a turn."""

Sent = tuple[IntArray, IntArray, BoolArray, BoolArray, IntArray]
"""Flits: lane, channel, head, tail, data."""

ROUNDS = 2


class Cells(wiring.Component):
    """The two ends of cells at one port of a router.

    Parameters
    ----------
    channels, depth, flit_width : int

    Members
    -------
    outgoing : ``In(LinkSignature)``         What the router sends.
    incoming : ``Out(LinkSignature)``        What it gets.
    sent : ``Out(stream.Signature(8))``      The bytes of the one, 0 if there is none.
    received : ``In(stream.Signature(8))``   The bytes of the other.
    bad_packet, bad_cell : ``Out(1)``        As of `CellReceiver`.
    """

    outgoing: Any
    incoming: Any
    sent: Any
    received: Any
    bad_packet: Signal
    bad_cell: Signal

    def __init__(self, *, channels: int, depth: int, flit_width: int) -> None:
        self.channels, self.depth, self.flit_width = channels, depth, flit_width
        link = LinkSignature(channels=channels, flit_width=flit_width)
        super().__init__(
            {
                "outgoing": In(link),
                "incoming": Out(link),
                "sent": Out(stream.Signature(8)),
                "received": In(stream.Signature(8)),
                "bad_packet": Out(1),
                "bad_cell": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Join both with the ports."""
        m = Module()
        shape = {"channels": self.channels, "flit_width": self.flit_width}
        m.submodules.sender = sender = cell_link.CellSender(depth=self.depth, **shape)
        m.submodules.receiver = receiver = cell_link.CellReceiver(**shape)
        connect(m, wiring.flipped(self.received), receiver.bytes)
        m.d.comb += [
            self.sent.valid.eq(sender.bytes.valid),
            self.sent.payload.eq(sender.bytes.payload & sender.bytes.valid.replicate(8)),
            sender.bytes.ready.eq(self.sent.ready),
            sender.link.valid.eq(self.outgoing.valid),
            sender.link.flit.eq(self.outgoing.flit),
            self.outgoing.credit.eq(receiver.credit),
            sender.credit.eq(self.incoming.credit),
            self.incoming.valid.eq(receiver.link.valid),
            self.incoming.flit.eq(receiver.link.flit),
            self.bad_packet.eq(receiver.bad_packet),
            self.bad_cell.eq(receiver.bad_cell),
        ]
        return m


class Mood(NamedTuple):
    """What goes wrong in a turn, as chances.

    Attributes
    ----------
    head : float
        Of a flit whose mark as a head is wrong.
    odd : float
        Of a byte that comes and is another.
    """

    head: float = 0.0
    odd: float = 0.0


TURNS = Mood(), Mood(head=0.1), Mood(odd=0.01), Mood(head=0.1, odd=0.03), Mood(odd=0.3)


class Router:
    """What a router sends: flits as far as there is room for them, and credits.

    Parameters
    ----------
    sender : CellSender
    channels, depth, flit_width : int
    odd : float
        The chance of a wrong mark as a head.
    rng : Generator
    """

    def __init__(
        self,
        sender: CellSender,
        *,
        channels: int,
        depth: int,
        flit_width: int,
        odd: float,
        rng: np.random.Generator,
    ) -> None:
        self.sender, self.channels, self.depth, self.rng = sender, channels, depth, rng
        self.flit_width, self.odd, self.lanes = flit_width, odd, len(sender.queues)
        self.inside = np.zeros((self.lanes, channels), np.bool_)
        self.busy = rng.choice([1.0, 0.2, 0.02], self.lanes)
        self.owing = rng.choice([0.5, 0.1, 0.01], self.lanes)

    def flits(self) -> Sent:
        """Return what it sends in this clock.

        Of each channel as many flits at most can be on their way as the far end has room for.
        """
        rng, queues = self.rng, self.sender.queues
        wanted = np.flatnonzero(rng.random(self.lanes) < self.busy)
        channel = rng.integers(self.channels, size=len(wanted))
        room = [
            sum(flit[0] == v for flit in queues[lane]) < self.depth
            for lane, v in zip(wanted.tolist(), channel.tolist(), strict=True)
        ]
        lane, channel = wanted[room], channel[room]
        head = ~self.inside[lane, channel] ^ (rng.random(len(lane)) < self.odd)
        tail = rng.random(len(lane)) < 0.5
        self.inside[lane, channel] = ~tail
        data = rng.integers(1 << self.flit_width, size=len(lane))
        good = tail & (rng.random(len(lane)) < 0.8)
        low = self.flit_width - STATUS
        # Of a packet that is bad any bit of its status may be set.
        one = 1 << rng.integers(low, self.flit_width, size=len(lane))
        data = np.where(tail, data & ((1 << low) - 1) | np.where(good, 0, one), data)
        return lane, channel, head, tail, data

    def credits(self) -> tuple[IntArray, IntArray]:
        """Return the lanes and channels of which it gives back credits."""
        some = self.rng.random((self.lanes, self.channels)) < self.owing[:, None]
        lane, channel = np.nonzero(some & (self.sender.owed < self.depth))
        return lane, channel


class Ends:
    """Golden ends after a reset: each receives the bytes of a peer; what it sends is dropped.

    Parameters
    ----------
    network : Network
    mood : Mood
    seed : int
    """

    def __init__(self, network: Network, mood: Mood, seed: int) -> None:
        self.network, self.mood, self.rng = network, mood, np.random.default_rng(seed)
        flit = {"channels": network.virtual_channels, "flit_width": network.flit_width}
        depth = network.buffer_depth
        self.sender, self.peer = (CellSender(LANES, depth=depth, **flit) for _ in range(2))
        self.receiver = CellReceiver(LANES, **flit)
        self.routers = [
            Router(sender, depth=depth, odd=mood.head, rng=self.rng, **flit)
            for sender in (self.sender, self.peer)
        ]
        self.takes, self.gives = self.rng.choice([1.0, 0.3, 0.03], (2, LANES))

    def run(self, cycles: int) -> tuple[list[Columns], list[Columns]]:
        """Go through so many clocks; return what is given, and what must be seen."""
        expected, given = zip(*((self._seen(), self._step()) for _ in range(cycles)), strict=True)
        return list(given), list(expected)

    def _seen(self) -> Columns:
        sender, receiver = self.sender, self.receiver
        weights = 1 << np.arange(self.network.virtual_channels)
        return {
            "valid": np.where(receiver.arrived, 1 << receiver.channel, 0),
            "data": receiver.head | receiver.tail << 1 | receiver.flit << 2,
            "outgoing__credit": receiver.credits @ weights,
            "sent__valid": sender.valid.astype(np.int64),
            "sent__payload": np.where(sender.valid, sender.byte, 0),
            "received__ready": np.ones(LANES, np.int64),
            "bad_packet": receiver.bad_packet.astype(np.int64),
            "bad_cell": receiver.bad_cell.astype(np.int64),
        }

    def _step(self) -> Columns:
        """Go through a clock edge; return what goes in."""
        rng, sender, peer = self.rng, self.sender, self.peer
        (flits, credits), (others, back) = (
            (router.flits(), router.credits()) for router in self.routers
        )
        ready = rng.random(LANES) < self.takes
        comes = peer.valid & (rng.random(LANES) < self.gives)
        byte = self._bytes()
        sender.step(flits, credits, ready)
        peer.step(others, back, comes)
        self.receiver.step(byte, comes)
        return {
            **self._given(flits, credits),
            "sent__ready": ready.astype(np.int64),
            "received__valid": comes.astype(np.int64),
            "received__payload": byte,
        }

    def _bytes(self) -> IntArray:
        """Return the bytes that peers have: now and then others, with one bit wrong or with all."""
        rng = self.rng
        struck = rng.random(LANES) < self.mood.odd
        bit = 1 << rng.integers(8, size=LANES)
        wrong = np.where(rng.random(LANES) < 0.5, bit, rng.integers(256, size=LANES))
        byte: IntArray = np.where(struck, self.peer.byte ^ wrong, self.peer.byte)
        return byte

    def _given(self, flits: Sent, credits: tuple[IntArray, IntArray]) -> Columns:
        names = "outgoing__valid", "outgoing__flit", "incoming__credit"
        given: dict[str, IntArray] = {name: np.zeros(LANES, np.int64) for name in names}
        lane, channel, head, tail, data = flits
        given["outgoing__valid"][lane] = 1 << channel
        given["outgoing__flit"][lane] = head | tail << 1 | data << 2
        np.add.at(given["incoming__credit"], credits[0], 1 << credits[1])
        return given


@dataclass(frozen=True)
class LinkEnds(InLanes):
    """What makes bytes of flits and credits at OS-Links, and back.

    Attributes
    ----------
    description : mapping
        A network across OS-Links, as `fingerpost.golden.network.network.build` takes it.
    """

    name: str
    description: Mapping[str, Any]
    within: str = field(default=r"^(sender|receiver)\b", init=False)
    module: str = field(default="cells", init=False)
    of = "cells: "
    count = 150
    bench = "link"
    lanes = LANES
    names: ClassVar = {"incoming__valid": "valid", "incoming__flit": "data"}

    def component(self) -> wiring.Component:
        """Return both ends."""
        network = build(self.description)
        return Cells(
            channels=network.virtual_channels,
            depth=network.buffer_depth,
            flit_width=network.flit_width,
        )

    def _turns(self, lanes: Lanes) -> Iterator[Turn]:
        network = build(self.description)
        for seed in range(ROUNDS * len(TURNS)):
            yield lanes.words(*Ends(network, TURNS[seed % len(TURNS)], seed).run(LONG))

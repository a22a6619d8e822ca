"""AXI4-Stream terminals as what is mutated: users and routers do as they like."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from amaranth import Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.flit import Flits
from fingerpost.golden.network.network import Network, build
from fingerpost.golden.terminal.axi_receiver import AxiReceiver
from fingerpost.golden.terminal.axi_sender import AxiSender, Beats
from fingerpost.golden.terminal.beat import AXI_COUNTERS, AxiLayout
from fingerpost.hdl.bus.axi_stream import AxiStreamSignature
from fingerpost.hdl.lib.flit import LinkSignature
from fingerpost.hdl.terminal import axi_receiver, axi_sender
from fingerpost.testbench.packing import Columns
from mutation.equivalent import equivalent
from mutation.lanes import InLanes, Lanes
from mutation.mutated import Mutated
from mutation.subject import Turn

__all__ = ["AxiTerminals", "Streams", "Users"]

LANES = 32

LONG = 1000, 1000, 1000, 1000, 2000, 15000
"""Clocks of each of `TURNS`."""

ROUNDS = 2

BUSY = 1.0, 0.5, 0.1
"""Chances of a beat, of a flit, of a credit, and that a beat is taken, in a cycle."""

ENDS = 0.3
"""The chance that a beat or a flit is the last of its packet."""


class Streams(wiring.Component):
    """Sender and receiver side by side, both with `buffer_depth` credits.

    What is sent is 0 while nothing is.

    Parameters
    ----------
    network : Network
    timeout : int

    Members
    -------
    s_axis, head, known, refused, expired   Those of `fingerpost.hdl.terminal.axi_sender.AxiSender`.
    inject : ``Out(LinkSignature)``         What it sends.
    eject : ``In(LinkSignature)``           What `hdl.terminal.axi_receiver.AxiReceiver` gets.
    m_axis : ``Out(AxiStreamSignature)``    What it makes of that.
    """

    s_axis: Any
    head: Signal
    known: Signal
    inject: Any
    eject: Any
    m_axis: Any
    refused: Signal
    expired: Signal

    def __init__(self, network: Network, timeout: int) -> None:
        self.network, self.timeout = network, timeout
        self.layout = layout = AxiLayout.of(network)
        link = LinkSignature(channels=1, flit_width=network.flit_width)
        super().__init__(
            {
                "s_axis": In(AxiStreamSignature(layout.bytes, user=1)),
                "m_axis": Out(AxiStreamSignature(layout.bytes, user=layout.number + 1)),
                "head": In(layout.head.width),
                "known": In(1),
                "inject": Out(link),
                "eject": In(link),
                **{counter.name: Out(counter.width) for counter in AXI_COUNTERS},
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Join both with the ports."""
        m = Module()
        network, wide = self.network, self.network.flit_width
        m.submodules.axi_sender = sender = axi_sender.AxiSender(
            self.layout, flit_width=wide, credits=network.buffer_depth, timeout=self.timeout
        )
        m.submodules.axi_receiver = receiver = axi_receiver.AxiReceiver(
            self.layout, flit_width=wide, depth=network.buffer_depth
        )
        wiring.connect(m, wiring.flipped(self.s_axis), sender.stream)
        wiring.connect(m, wiring.flipped(self.eject), receiver.eject)
        flit = Value.cast(sender.inject.flit)
        m.d.comb += [
            sender.head.eq(self.head),
            sender.known.eq(self.known),
            sender.inject.credit.eq(self.inject.credit),
            self.inject.valid.eq(sender.inject.valid),
            Value.cast(self.inject.flit).eq(flit & sender.inject.valid.replicate(len(flit))),
            receiver.stream.tready.eq(self.m_axis.tready),
            self.m_axis.tvalid.eq(receiver.stream.tvalid),
            *(getattr(self, c.name).eq(getattr(sender, c.name)) for c in AXI_COUNTERS),
        ]
        for name in ("tdata", "tkeep", "tlast", "tuser"):
            signal = getattr(receiver.stream, name)
            valid = receiver.stream.tvalid.replicate(len(signal))
            m.d.comb += getattr(self.m_axis, name).eq(signal & valid)
        return m


class Mood(NamedTuple):
    """What goes wrong in a turn, as chances.

    Attributes
    ----------
    strange : float
        Of a packet to no terminal.
    silent : float
        Probability that a user pauses before a beat for longer than the time-out.
    """

    strange: float = 0.0
    silent: float = 0.0


TURNS = (
    Mood(),
    Mood(strange=0.3),
    Mood(silent=0.1),
    Mood(strange=0.5, silent=0.02),
    Mood(strange=0.9),
    Mood(silent=0.9),
)
"""In the last two there are more errors than can be counted."""


class Users:
    """Golden interfaces after a reset: each between a user and a router that do as they like.

    Parameters
    ----------
    network : Network
    mood : Mood
    timeout, seed : int
    """

    def __init__(self, network: Network, mood: Mood, *, timeout: int, seed: int) -> None:
        self.network, self.mood, self.timeout = network, mood, timeout
        self.rng = rng = np.random.default_rng(seed)
        self.layout = layout = AxiLayout.of(network)
        self.depth = network.buffer_depth
        self.sender = AxiSender(LANES, credits=self.depth, timeout=timeout, layout=layout)
        self.receiver = AxiReceiver(LANES, depth=self.depth, flit=network.flit, layout=layout)
        self.offers, self.wakes = np.zeros(LANES, np.bool_), np.zeros(LANES, np.int64)
        self.due = np.zeros(LANES, np.int64)  # credits that the router has to give back
        self.inside = np.zeros(LANES, np.bool_)
        self.room = np.full(LANES, self.depth)
        self.busy, self.comes, self.back, self.takes = rng.choice(BUSY, (4, LANES))
        self.now, self.beat = 0, self._beat()

    def run(self, cycles: int) -> tuple[list[Columns], list[Columns]]:
        """Go through so many clocks; return what is given, and what must be seen."""
        expected, given = zip(*((self._seen(), self._step()) for _ in range(cycles)), strict=True)
        return list(given), list(expected)

    def _beat(self) -> dict[str, Any]:
        """Draw a beat of each user, with what the table says of its tdest."""
        rng, layout = self.rng, self.layout
        return {
            "s_axis__tdata": rng.integers(1 << layout.data_width, size=LANES),
            "s_axis__tlast": self._chance(ENDS),
            "s_axis__tkeep": rng.integers(1, 1 << layout.bytes, size=LANES),
            "s_axis__tuser": self._chance(0.5),
            "known": ~self._chance(self.mood.strange),
            "head": rng.integers(1 << layout.head.width, size=LANES),
        }

    def _chance(self, some: float | np.ndarray[Any, Any]) -> BoolArray:
        return self.rng.random(LANES) < some

    def _seen(self) -> Columns:
        sender, receiver = self.sender, self.receiver
        flits = sender.flits(np.arange(LANES))
        self.sent = np.zeros(LANES, np.bool_)
        self.sent[flits.port_index] = True
        flit = np.zeros(LANES, np.int64)
        flit[flits.port_index] = flits.head | flits.tail << 1 | flits.data << 2
        valid, beats = receiver.front()
        keep = (2 << beats.last_byte) - 1
        credit = np.zeros(LANES, np.int64)
        credit[receiver.credit] = 1
        user = receiver.source << 1 | beats.error
        what = {"tdata": beats.data, "tkeep": keep, "tlast": beats.last, "tuser": user}
        return {
            "s_axis__tready": sender.ready.astype(np.int64),
            "inject__valid": self.sent.astype(np.int64),
            "inject__flit": flit,
            "eject__credit": credit,
            "m_axis__tvalid": valid.astype(np.int64),
            **{f"m_axis__{name}": np.where(valid, column, 0) for name, column in what.items()},
            **{counter.name: getattr(sender, counter.name) for counter in AXI_COUNTERS},
        }

    def _step(self) -> Columns:
        """Go through a clock edge; return what goes in."""
        self.offers |= (self.wakes <= self.now) & self._chance(self.busy)
        self.due += self.sent
        credit = (self.due > 0) & self._chance(self.back)
        self.due -= credit
        flits, given = self._flits()
        ready = self._chance(self.takes)
        given |= self.beat | {
            "s_axis__tvalid": self.offers,
            "inject__credit": credit,
            "m_axis__tready": ready,
        }
        columns = {name: column.astype(np.int64).copy() for name, column in given.items()}
        self._clock(credit, flits, ready)
        return columns

    def _clock(self, credit: BoolArray, flits: Flits, ready: BoolArray) -> None:
        beat = self.beat
        highest = np.floor(np.log2(beat["s_axis__tkeep"])).astype(np.int64)
        beats = Beats(
            beat["s_axis__tdata"],
            beat["s_axis__tlast"],
            highest,
            beat["s_axis__tuser"],
            np.zeros(LANES, np.int64),
        )
        taken = self.offers & self.sender.ready
        self.sender.step(self.offers, beats, beat["head"], beat["known"], credit.astype(np.int64))
        self.room[self.receiver.credit] += 1
        self.receiver.step(flits, flits.port_index, ready)
        silent = taken & self._chance(self.mood.silent)
        late = self.rng.integers(-2, 8, size=int(silent.sum()))
        self.wakes[silent] = self.now + self.timeout + late
        self.offers &= ~taken
        self.beat = {name: np.where(taken, new, beat[name]) for name, new in self._beat().items()}
        self.now += 1

    def _flits(self) -> tuple[Flits, dict[str, IntArray | BoolArray]]:
        """Return what the router sends: as far as there is room, packets with a head of its own."""
        comes = (self.room > 0) & self._chance(self.comes)
        head, tail = ~self.inside, self._chance(ENDS) & self.inside
        self.room -= comes
        self.inside = np.where(comes, ~tail, self.inside)
        data = self.rng.integers(1 << self.network.flit_width, size=LANES)
        at = np.flatnonzero(comes)
        none = np.zeros_like(at)
        flits = Flits(at, none, head[at], tail[at], data[at], none)
        return flits, {"eject__valid": comes, "eject__flit": head | tail << 1 | data << 2}


@dataclass(frozen=True)
class AxiTerminals(InLanes):
    """The interfaces of AXI4-Stream terminals.

    Attributes
    ----------
    description : mapping
        A network with such terminals, as `fingerpost.golden.network.network.build` takes it.
    timeout : int
    """

    name: str
    description: Mapping[str, Any]
    timeout: int
    within: str = field(default=r"^axi_", init=False)
    module: str = field(default="streams", init=False)
    of = "AXI4-Stream: "
    count = 200
    lanes = LANES

    def component(self) -> wiring.Component:
        """Return both interfaces."""
        return Streams(build(self.description), self.timeout)

    def _turns(self, lanes: Lanes) -> Iterator[Turn]:
        network = build(self.description)
        for seed in range(ROUNDS * len(TURNS)):
            mood, long = TURNS[seed % len(TURNS)], LONG[seed % len(TURNS)]
            users = Users(network, mood, timeout=self.timeout, seed=seed)
            yield lanes.words(*users.run(long))

    def equivalent(self, mutated: Mutated, number: int, cache: Path) -> bool | None:
        """Return whether a mutant is the same, whatever users do, and routers that keep credits."""
        depth = build(self.description).buffer_depth
        return equivalent(mutated.verilog, self.module, number, depth=depth, cache=cache)

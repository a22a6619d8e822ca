"""Terminals with flow control as what is mutated: users do as they like, and packets arrive."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from amaranth.lib import wiring

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.flit import Flits
from fingerpost.golden.header import Layout
from fingerpost.golden.terminal.axi_interfaces import FlowInterfaces
from fingerpost.golden.terminal.axi_sender import Beats
from fingerpost.golden.terminal.beat import AXI_COUNTERS
from fingerpost.golden.terminal.flow_layout import FlowControl, FlowLayout
from fingerpost.golden.terminal.flow_receiver import FlowReceiver
from fingerpost.golden.terminal.flow_sender import FlowSender
from fingerpost.testbench.compiled.plan import Words
from fingerpost.testbench.packing import Columns
from mutation.equivalent import equivalent
from mutation.flow_streams import FlowStreams
from mutation.lanes import Lanes
from mutation.mutated import Mutated
from mutation.subject import Subject
from mutation.trial import Trial

__all__ = ["FlowTerminals", "Peers"]

DATA_WIDTH, CREDITS = 16, 3


class Mood(NamedTuple):
    """What users of a turn do, as chances.

    Attributes
    ----------
    strange : float
        Of a packet to no terminal.
    ends : float
        That a beat is the last of its packet.
    deaf : float
        Of a user that takes no beat.
    near : float
        Of a packet to one of two nodes.
    """

    strange: float = 0.05
    ends: float = 0.3
    deaf: float = 0.0
    near: float = 0.3


TURNS = (
    Mood(), Mood(ends=0.7), Mood(ends=0.1), Mood(deaf=0.3), Mood(near=1.0), Mood(near=0.0),
    Mood(ends=1.0, near=1.0), Mood(strange=0.9, ends=0.9),
)  # fmt: skip
"""In the last there are more errors than can be counted."""

LONG = 1200, 1200, 1200, 1200, 1200, 1200, 1200, 4000
"""Clocks of each."""

ROUNDS = 2

BUSY = 1.0, 0.5, 0.1
"""Chances of a beat, of a flit, of a credit, and that a beat is taken, in a cycle."""


class Peers:
    """Golden terminals after a reset, which send packets to each other.

    A packet arrives at random times, when it was sent whole: those of a pair in order, or in any.

    Parameters
    ----------
    flow : FlowControl
    mood : Mood
    seed : int
    """

    def __init__(self, flow: FlowControl, mood: Mood, *, seed: int) -> None:
        self.flow, self.mood, self.n = flow, mood, flow.peers
        self.rng = rng = np.random.default_rng(seed)
        self.layout = layout = layout_of(flow)
        self.flit = Layout.sequence(data=(flit_width(layout), "a flit"))
        sender = FlowSender(
            self.n, flow, credits=CREDITS, layout=layout, lookup=lambda _, to: (to, to < self.n)
        )
        self.both = FlowInterfaces(
            sender, FlowReceiver(self.n, flow, flit=self.flit, layout=layout)
        )
        self.offers, self.first = np.zeros(self.n, np.bool_), np.ones(self.n, np.bool_)
        self.due = np.zeros(self.n, np.int64)  # credits that the router has to give back
        self.sending: list[list[tuple[int, int, int]]] = [[] for _ in range(self.n)]
        self.coming: list[list[list[tuple[int, int, int]]]] = [[] for _ in range(self.n)]
        self.busy, self.comes, self.back, self.takes = rng.choice(BUSY, (4, self.n))
        self.takes[self._chance(mood.deaf)] = 0
        self.beat = self._beat()

    def run(self, cycles: int) -> tuple[list[Columns], list[Columns]]:
        """Go through so many clocks; return what is given, and what must be seen."""
        expected, given = zip(*((self._seen(), self._step()) for _ in range(cycles)), strict=True)
        return list(given), list(expected)

    def _chance(self, some: float | np.ndarray[Any, Any]) -> BoolArray:
        return self.rng.random(self.n) < some

    def _beat(self) -> dict[str, Any]:
        """Draw a beat of each user."""
        rng, layout, mood = self.rng, self.layout, self.mood
        near, far = rng.integers(2, size=self.n), rng.integers(self.n, size=self.n)
        known = np.where(self._chance(mood.near), near, far)
        unknown = rng.integers(self.n, 1 << layout.number, size=self.n)
        return {
            "s_axis__tdata": rng.integers(1 << layout.data_width, size=self.n),
            "s_axis__tlast": self._chance(mood.ends),
            "s_axis__tkeep": rng.integers(1, 1 << layout.bytes, size=self.n),
            "s_axis__tuser": self._chance(0.5),
            "dest": np.where(self._chance(mood.strange), unknown, known),
        }

    def _seen(self) -> Columns:
        sender, receiver = self.both.sender, self.both.receiver
        flits = sender.flits(np.arange(self.n))
        self.sent = np.zeros(self.n, np.bool_)
        self.sent[flits.port_index] = True
        flit = np.zeros(self.n, np.int64)
        flit[flits.port_index] = flits.head | flits.tail << 1 | flits.data << 2
        self._forward(flits)
        self.valid, beats = receiver.front()
        user = receiver.source << 1 | beats.error
        keep = (2 << beats.last_byte) - 1
        credit = np.zeros(self.n, np.int64)
        credit[receiver.credit] = 1
        what = {"tdata": beats.data, "tkeep": keep, "tlast": beats.last, "tuser": user}
        return {
            "s_axis__tready": sender.ready.astype(np.int64),
            "inject__valid": self.sent.astype(np.int64),
            "inject__flit": flit,
            "eject__credit": credit,
            "m_axis__tvalid": self.valid.astype(np.int64),
            **{f"m_axis__{name}": np.where(self.valid, col, 0) for name, col in what.items()},
            **{counter.name: getattr(sender, counter.name) for counter in AXI_COUNTERS},
        }

    def _forward(self, flits: Flits) -> None:
        """Take what is sent, and let whole packets come to their destinations."""
        columns = (flits.port_index, flits.head, flits.tail, flits.data)
        for at, head, tail, data in zip(*(column.tolist() for column in columns), strict=True):
            self.sending[at].append((head, tail, data))
            if tail:
                to = int(self.layout.head.cut("header", self.sending[at][0][2]))
                waiting = self.coming[to]
                begun = bool(waiting) and not waiting[0][0][0]
                ordered = self.flow.ordered
                place = len(waiting) if ordered else self.rng.integers(begun, len(waiting) + 1)
                waiting.insert(int(place), self.sending[at])
                self.sending[at] = []

    def _arrivals(self) -> tuple[Flits, dict[str, IntArray | BoolArray]]:
        """Return what arrives in this cycle."""
        some = self._chance(self.comes)
        at = np.array([i for i in range(self.n) if some[i] and self.coming[i]], np.int64)
        rows = [self.coming[i][0].pop(0) for i in at.tolist()]
        for i in at.tolist():
            if not self.coming[i][0]:
                del self.coming[i][0]
        head, tail, data = np.array(rows, np.int64).reshape(-1, 3).T
        none = np.zeros_like(at)
        flits = Flits(at, none, head > 0, tail > 0, data, none)
        valid, flit = np.zeros(self.n, np.bool_), self.rng.integers(1 << 20, size=self.n)
        valid[at], flit[at] = True, head | tail << 1 | data << 2
        return flits, {"eject__valid": valid, "eject__flit": flit}

    def _step(self) -> Columns:
        """Go through a clock edge; return what goes in."""
        self.offers |= self._chance(self.busy)
        self.due += self.sent
        credit = (self.due > 0) & self._chance(self.back)
        self.due -= credit
        flits, given = self._arrivals()
        ready = self._chance(self.takes)
        given |= self.beat | {
            "s_axis__tvalid": self.offers, "inject__credit": credit, "m_axis__tready": ready,
            "source": np.arange(self.n),
        }  # fmt: skip
        columns = {name: column.astype(np.int64).copy() for name, column in given.items()}
        beat = self.beat
        highest = np.floor(np.log2(beat["s_axis__tkeep"])).astype(np.int64)
        beats = Beats(
            beat["s_axis__tdata"], beat["s_axis__tlast"], highest, beat["s_axis__tuser"],
            np.zeros(self.n, np.int64),
        )  # fmt: skip
        taken = self.offers & self.both.sender.ready
        self.both.step(
            taken, beats, beat["dest"], credit.astype(np.int64), flits, flits.port_index,
            self.valid, ready,
        )  # fmt: skip
        self.offers &= ~taken
        self.beat = {name: np.where(taken, new, beat[name]) for name, new in self._beat().items()}
        return columns


def layout_of(flow: FlowControl) -> FlowLayout:
    """Return the layouts of flits."""
    header = (flow.peers - 1).bit_length()
    return FlowLayout(
        data_width=DATA_WIDTH, nodes=flow.peers, header=header, packet_limit=flow.packet_limit
    )


def flit_width(layout: FlowLayout) -> int:
    """Return the bits of a flit."""
    return max(layout.head.width, layout.body.width)


@dataclass(frozen=True)
class FlowTerminals(Subject):
    """The interface of AXI4-Stream terminals with flow control.

    Attributes
    ----------
    flow : FlowControl
    """

    name: str
    flow: FlowControl
    within: str = field(default=r"^flow\b", init=False)
    module: str = field(default="flow_streams", init=False)
    of = "flow control: "
    count = 300

    def component(self) -> wiring.Component:
        """Return the interface."""
        layout = layout_of(self.flow)
        return FlowStreams(layout, self.flow, flit_width=flit_width(layout), credits=CREDITS)

    def trials(self, mutated: Mutated, cache: Path) -> Sequence[Trial]:
        """Return the terminals of a network side by side, with all that golden says of them."""
        lanes = Lanes(mutated, self.module, count=self.flow.peers, names={})
        return [lanes.trial("terminal", self._turns(lanes), cache)]

    def _turns(self, lanes: Lanes) -> Iterator[tuple[Words, Words]]:
        for seed in range(ROUNDS * len(TURNS)):
            mood, long = TURNS[seed % len(TURNS)], LONG[seed % len(TURNS)]
            yield lanes.words(*Peers(self.flow, mood, seed=seed).run(long))

    def equivalent(self, mutated: Mutated, number: int, cache: Path) -> bool | None:
        """Return whether a mutant is the same, whatever users do, and whatever arrives."""
        return equivalent(mutated.verilog, self.module, number, cache=cache)

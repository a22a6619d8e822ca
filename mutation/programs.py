"""OS-Link terminals as what is mutated: programs and networks do as they like."""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

import numpy as np
from amaranth import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from fingerpost.golden.arrays import BoolArray
from fingerpost.golden.terminal.axi_sender import Beats
from fingerpost.golden.terminal.beat import AxiLayout
from fingerpost.golden.terminal.message import EXPIRED, LOST
from fingerpost.golden.terminal.message_receiver import MessageReceiver
from fingerpost.golden.terminal.message_sender import MessageSender
from fingerpost.hdl.bus.axi_stream import AxiStreamSignature
from fingerpost.hdl.terminal import message_receiver, message_sender
from fingerpost.testbench.packing import Columns
from mutation.lanes import InLanes, Lanes
from mutation.subject import Turn

__all__ = ["MessageTerminals", "Messages", "Programs"]

Item = TypeVar("Item")

Beat = tuple[int, int, int, int]
"""Data, last, last byte, error."""

LANES = 24

LAYOUT = AxiLayout(data_width=24, nodes=10, header=8)

LONGEST = 260
"""Bytes of data, for which a length needs both of its bytes."""

HUGE = 1 << 13
"""Bytes of data that no message may have, so that a count of them reaches its high bits."""

VAIN = 0.05
"""The chance that a packet that is odd says a length of one bit, whatever it has."""

BUSY = 1.0, 0.5, 0.15
"""Chances of a byte, of a beat, and that they are taken, in a clock."""


class Messages(wiring.Component):
    """Sender and receiver side by side. What is offered is 0 while nothing is.

    What goes in passes a register: so no input reaches an output within a clock, where `tready` of
    the receiver follows from the `ready` of its bytes.

    Parameters
    ----------
    layout : AxiLayout
    longest, timeout : int

    Members
    -------
    sent, beats, tdest, stranger, expired   Those of `MessageSender`: its bytes, and its stream.
    stream, received, lost                  Those of `MessageReceiver`: its stream, and its bytes.
    """

    sent: Any
    beats: Any
    tdest: Signal
    stranger: Signal
    expired: Signal
    stream: Any
    received: Any
    lost: Signal

    def __init__(self, layout: AxiLayout, *, longest: int, timeout: int) -> None:
        self.layout, self.longest, self.timeout = layout, longest, timeout
        super().__init__(
            {
                "sent": In(stream.Signature(8)),
                "beats": Out(AxiStreamSignature(layout.bytes, user=1)),
                "tdest": Out(layout.number),
                "stranger": Out(1),
                "stream": In(AxiStreamSignature(layout.bytes, user=layout.number + 1)),
                "received": Out(stream.Signature(8)),
                EXPIRED.name: Out(EXPIRED.width),
                LOST.name: Out(LOST.width),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Join both with the ports."""
        m = Module()
        m.submodules.message_sender = sender = message_sender.MessageSender(
            self.layout, longest=self.longest, timeout=self.timeout
        )
        m.submodules.message_receiver = receiver = message_receiver.MessageReceiver(
            self.layout, timeout=self.timeout
        )
        beats, out = sender.stream, receiver.bytes
        m.d.sync += [
            sender.bytes.valid.eq(self.sent.valid),
            sender.bytes.payload.eq(self.sent.payload),
            beats.tready.eq(self.beats.tready),
            out.ready.eq(self.received.ready),
            *(
                getattr(receiver.stream, name).eq(getattr(self.stream, name))
                for name in ("tvalid", "tdata", "tkeep", "tlast", "tuser")
            ),
        ]
        offered = [(self.beats, beats, name) for name in ("tdata", "tkeep", "tlast", "tuser")]
        m.d.comb += [
            self.sent.ready.eq(sender.bytes.ready),
            self.beats.tvalid.eq(beats.tvalid),
            *(
                getattr(port, name).eq(_while(beats.tvalid, getattr(inner, name)))
                for port, inner, name in offered
            ),
            self.tdest.eq(_while(beats.tvalid, sender.tdest)),
            self.stranger.eq(_while(beats.tvalid, sender.stranger)),
            self.expired.eq(sender.expired),
            self.stream.tready.eq(receiver.stream.tready),
            self.received.valid.eq(out.valid),
            self.received.payload.eq(_while(out.valid, out.payload)),
            self.lost.eq(receiver.lost),
        ]
        return m


def _while(valid: Signal, signal: Signal) -> Any:
    return signal & valid.replicate(len(signal))


class Mood(NamedTuple):
    """What goes wrong in a turn, as chances.

    Attributes
    ----------
    silent : float
        Of a program that falls silent before a byte, for about the time-out.
    deaf : float
        Of one that takes no byte for longer than that, in a clock.
    odd : float
        Probability of a message that is too long or has no destination, and of a packet that is
        bad, or longer or shorter than its length.
    long : float
        Of a message of some hundred bytes.
    huge : float
        Of one of some thousand, which is too long, too.
    """

    silent: float = 0.0
    deaf: float = 0.0
    odd: float = 0.0
    long: float = 0.0
    huge: float = 0.0


TURNS = (
    (Mood(), 1000),
    (Mood(odd=0.3), 1500),
    (Mood(silent=0.05, deaf=0.02, odd=0.1), 2000),
    (Mood(long=0.3, odd=0.2), 4000),
    (Mood(silent=0.5, deaf=0.2), 12000),
    (Mood(huge=1.0), 13000),
)
"""And for how many clocks. In the last but one there are more errors than can be counted."""


class Programs:
    """Golden ends of messages after a reset: each between a program and a network.

    Parameters
    ----------
    mood : Mood
    timeout, seed : int
    """

    def __init__(self, mood: Mood, *, timeout: int, seed: int) -> None:
        self.mood, self.timeout, self.rng = mood, timeout, np.random.default_rng(seed)
        self.sender = MessageSender(LANES, layout=LAYOUT, longest=LONGEST, timeout=timeout)
        self.receiver = MessageReceiver(LANES, layout=LAYOUT, timeout=timeout)
        self.bytes: list[deque[int]] = [deque() for _ in range(LANES)]
        self.beats: list[deque[Beat]] = [deque() for _ in range(LANES)]
        self.source = self.rng.integers(10, size=LANES)
        self.offers, self.comes, self.takes, self.drinks = np.zeros((4, LANES), np.bool_)
        self.wakes, self.hears, self.now = np.zeros(LANES), np.zeros(LANES), 0
        self.busy = self.rng.choice(BUSY, (4, LANES))

    def run(self, cycles: int) -> tuple[list[Columns], list[Columns]]:
        """Go through so many clocks; return what is given, and what must be seen a clock later."""
        given, seen = zip(*(self._step() for _ in range(cycles)), strict=True)
        after_reset = {name: np.zeros_like(column) for name, column in seen[0].items()}
        after_reset["sent__ready"] += 1
        return list(given), [after_reset, *seen[:-1]]

    def _step(self) -> tuple[Columns, Columns]:
        rng, mood = self.rng, self.mood
        chance = rng.random((4, LANES)) < self.busy
        self.offers |= chance[0] & (self.wakes <= self.now)
        self.comes |= chance[1]
        deaf = rng.random(LANES) < mood.deaf
        self.hears[deaf] = self.now + rng.integers(2 * self.timeout, size=int(deaf.sum()))
        takes, drinks = chance[2], chance[3] & (self.hears <= self.now)
        byte = self._fronts(self.bytes, self._message)
        data, last, last_byte, error = np.array(self._fronts(self.beats, self._packet)).T
        come = Beats(data, last > 0, last_byte, error > 0, np.zeros(LANES, np.int64))
        shown = self._shown(come, drinks)
        given = {
            "sent__valid": self.offers,
            "sent__payload": np.array(byte),
            "beats__tready": takes,
            "stream__tvalid": self.comes,
            "stream__tdata": data,
            "stream__tkeep": (2 << last_byte) - 1,
            "stream__tlast": last,
            "stream__tuser": self.source << 1 | error,
            "received__ready": drinks,
        }
        columns = {name: column.astype(np.int64).copy() for name, column in given.items()}
        taken = self.offers & self.sender.ready
        self.sender.step(np.array(byte), self.offers, takes, np.zeros(LANES, np.int64))
        ready, _ = self.receiver.step(self.comes, come, self.source, drinks)
        shown["stream__tready"] = ready.astype(np.int64)
        self._onward(taken, self.comes & ready)
        self.now += 1
        return columns, shown

    def _shown(self, come: Beats, drinks: BoolArray) -> Columns:
        """Return what is seen while this goes in."""
        sender, receiver = self.sender, self.receiver
        beats, full = sender.beats(), sender.full
        what = {
            "beats__tdata": beats.data,
            "beats__tkeep": (2 << beats.last_byte) - 1,
            "beats__tlast": beats.last,
            "beats__tuser": beats.error,
            "tdest": sender.dest & ((1 << LAYOUT.number) - 1),
            "stranger": sender.stranger,
        }
        payload, offers = receiver.bytes(self.comes, come, self.source)
        return {
            "sent__ready": sender.ready.astype(np.int64),
            "beats__tvalid": full.astype(np.int64),
            **{name: np.where(full, column, 0).astype(np.int64) for name, column in what.items()},
            EXPIRED.name: sender.expired.copy(),
            "received__valid": offers.astype(np.int64),
            "received__payload": np.where(offers, payload, 0).astype(np.int64),
            LOST.name: receiver.lost.copy(),
        }

    def _onward(self, taken: BoolArray, gone: BoolArray) -> None:
        """Go on to the next byte and to the next beat."""
        for lane in np.flatnonzero(taken):
            self.bytes[lane].popleft()
        for lane in np.flatnonzero(gone):
            self.beats[lane].popleft()
        silent = taken & (self.rng.random(LANES) < self.mood.silent)
        late = self.rng.integers(-3, 6, size=int(silent.sum()))
        self.wakes[silent] = self.now + self.timeout + late
        self.offers &= ~taken
        self.comes &= ~gone

    def _fronts(self, queues: list[deque[Item]], more: Callable[[int], list[Item]]) -> list[Item]:
        """Return the first of each queue; what follows is made where it is empty."""
        for lane, queue in enumerate(queues):
            if not queue:
                queue.extend(more(lane))
        return [queue[0] for queue in queues]

    def _length(self) -> int:
        if self.rng.random() < self.mood.huge:
            return HUGE + int(self.rng.integers(300))
        long = self.rng.random() < self.mood.long
        return int(self.rng.integers(LONGEST - 20, LONGEST + 1) if long else self.rng.integers(9))

    def _message(self, lane: int) -> list[int]:
        """Return the bytes of a message."""
        rng, length, dest = self.rng, self._length(), int(self.rng.integers(10))
        if rng.random() < self.mood.odd:
            dest |= 1 << int(rng.integers(16))
        if rng.random() < self.mood.odd * self.mood.long:
            length = LONGEST + int(rng.integers(1, 40))
        said = [dest & 255, dest >> 8, length & 255, length >> 8]
        return [*said, *rng.integers(256, size=length).tolist()]

    def _packet(self, lane: int) -> list[Beat]:
        """Return the beats of a packet."""
        rng, length = self.rng, self._length()
        self.source[lane] = rng.integers(16)
        odd = rng.random() < self.mood.odd
        there = max(0, length + int(rng.integers(-4, 5))) if odd else length
        data = rng.integers(256, size=there).tolist()
        if odd and rng.random() < VAIN:
            length = 1 << int(rng.integers(16))
        held = [length & 255, length >> 8, *data]
        width, beats = LAYOUT.bytes, []
        for at in range(0, len(held), width):
            some = held[at : at + width]
            data = sum(byte << 8 * place for place, byte in enumerate(some))
            last = at + width >= len(held)
            error = int(last and odd and rng.random() < 0.5)
            beats.append((data, int(last), len(some) - 1, error))
        return beats


@dataclass(frozen=True)
class MessageTerminals(InLanes):
    """What makes packets of messages, and messages of packets.

    Attributes
    ----------
    timeout : int
    """

    name: str
    timeout: int
    within: str = field(default=r"^message_", init=False)
    module: str = field(default="messages", init=False)
    of = "OS-Link terminal: "
    count = 200
    lanes = LANES

    def component(self) -> wiring.Component:
        """Return both ends."""
        return Messages(LAYOUT, longest=LONGEST, timeout=self.timeout)

    def _turns(self, lanes: Lanes) -> Iterator[Turn]:
        for seed, (mood, long) in enumerate(TURNS):
            yield lanes.words(*Programs(mood, timeout=self.timeout, seed=seed).run(long))

"""The waveforms of docs/design/os-link-internals.md, bit by bit; lock-step has the hardware's."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.link import OsLinkParameters
from fingerpost.golden.link.packets import Packets, decode
from fingerpost.golden.link.ports import OsLink
from tests.golden.link.windows import check_windows

CLOCKS = 4, 5, 8, 16

DATA = {
    # start, flag, d0 .. d7, stop
    0x00: "11000000000",
    0xFF: "11111111110",
    0x5C: "11001110100",  # databook figure 1.5
    0x01: "11100000000",
    0x80: "11000000010",
}
ACK = "10"

FIRST = 40
"""Bits before anything comes: 32 without a packet after the reset, 12 of low before it listens."""

BITS = 70


def levels(n: int, bits: str) -> list[int]:
    """Return a waveform, a level for each clock."""
    return [int(bit) for bit in bits for _ in range(n)]


def golden(
    n: int, byte: int | None, link_in: Sequence[int], stop: Any = "checked"
) -> tuple[list[int], list[int]]:
    """Return the wire and the bytes received, clock by clock, of a port that has a byte to send."""
    port = OsLink(1, OsLinkParameters(n, stop=stop))
    wire, received = [], []
    offers = byte is not None
    for level in link_in:
        if port.rx_valid[0]:
            received.append(int(port.rx_data[0]))
        takes = offers and bool(port.tx_ready[0])
        port.step(
            np.array([level == 1]), np.array([byte or 0]), np.array([offers]), np.array([True])
        )
        offers &= not takes
        wire.append(int(port.link_out[0]))
    return wire, received


@pytest.mark.parametrize("n", CLOCKS)
@pytest.mark.parametrize("byte", DATA)
def test_byte_on_the_wire(n: int, byte: int) -> None:
    wire, _ = golden(n, byte, [0] * BITS * n)
    start = wire.index(1)
    # T1: no packet for 32 bits after the reset, then at once.
    assert 32 * n <= start + 1 <= 32 * n + 2
    assert wire[start : start + 11 * n] == levels(n, DATA[byte])
    assert not any(wire[start + 11 * n :])  # never acknowledged: idle is low


@pytest.mark.parametrize("n", CLOCKS)
@pytest.mark.parametrize("byte", DATA)
def test_byte_is_received_and_acknowledged(n: int, byte: int) -> None:
    line = levels(n, "0" * FIRST + DATA[byte])
    line += [0] * (BITS * n - len(line))
    wire, received = golden(n, None, line)
    assert received == [byte]
    start = wire.index(1)
    assert wire[start : start + 2 * n] == levels(n, ACK)
    assert sum(wire) == n  # one acknowledge, and nothing else
    # Section 3: a = (N + floor((N-1)/2) + 4)/N bits from pin to pin; 2 clocks more at most. The
    # edge is at the clock in which the line is first given as high.
    late = start + 1 - FIRST * n
    assert n + (n - 1) // 2 + 4 <= late <= n + (n - 1) // 2 + 6


@pytest.mark.parametrize("n", CLOCKS)
def test_packets_without_a_gap(n: int) -> None:
    """T4: D-A, A-D and D-D are always received; R7: acknowledges for nothing are ignored."""
    line = levels(n, "0" * FIRST + DATA[0xFF] + ACK + DATA[0x5C] + DATA[0x80] + ACK + ACK)
    line += [0] * (20 * n)
    wire, received = golden(n, None, line)
    assert received == [0xFF, 0x5C, 0x80]
    assert sum(wire) == 3 * n  # three acknowledges


@pytest.mark.parametrize("n", CLOCKS)
def test_stop_bit_and_glitches(n: int) -> None:
    """R6: a byte with a high stop bit is dropped, the next after a low counts; R2: a glitch not."""
    line = levels(n, "0" * FIRST + "11" + "01010101" + "1" + "0" + DATA[0x5C])
    # A bit after the glitch: a receiver still in it takes the byte for its second bit.
    line += [1] + [0] * (n - 1) + levels(n, DATA[0x01]) + [0] * 10 * n
    assert golden(n, None, line)[1] == [0x5C, 0x01]


@pytest.mark.parametrize("n", CLOCKS)
def test_not_armed_before_12_bits_of_low(n: int) -> None:
    line = levels(n, "1" + "0" * 9 + DATA[0x5C] + "0" * 13 + DATA[0x80]) + [0] * 40 * n
    assert golden(n, None, line)[1] == [0x80]


@pytest.mark.parametrize("n", CLOCKS)
def test_stop_bit_that_never_comes(n: int) -> None:
    """R9: the byte is heard, and acknowledged once, and what is high behind it is no packet."""
    line = levels(n, "0" * FIRST + "11" + "00111011" + "1111" + "0" * 4 + DATA[0x01])
    line += [0] * (20 * n)
    wire, received = golden(n, None, line, "ignored")
    assert received == [0xDC, 0x01]
    assert sum(wire) == 2 * n


FloatArray = NDArray[np.float64]
Element = TypeVar("Element", bound=np.generic)

DEPTH = 64
"""Transitions that a wire may hold: one for each bit time of its delay, at most."""


class Timing:
    """The clocks of pairs of ports and the wires from them, in periods of the nominal clock.

    Ports p and p + lanes are a pair. What is given is broadcast to (2, lanes): the first ports of
    all pairs, and the second ones. All arrays have an element for each port.

    Attributes
    ----------
    period, start : array of float
        The time from one clock edge to the next, and the time of the first.
    jitter : array of float
        An edge comes so much earlier or later at most, each one by chance.
    delay : array of float
        How late the wire's transitions arrive.
    skew : array of float
        How much later rising edges arrive than falling ones; earlier, if it is negative.
    """

    def __init__(
        self,
        lanes: int,
        *,
        period: ArrayLike = 1.0,
        start: ArrayLike = 0.0,
        jitter: ArrayLike = 0.0,
        delay: ArrayLike = 0.0,
        skew: ArrayLike = 0.0,
    ) -> None:
        self.lanes = lanes
        self.period, self.start, self.jitter, self.delay, self.skew = (
            np.broadcast_to(np.asarray(x, np.float64), (2, lanes)).ravel().copy()
            for x in (period, start, jitter, delay, skew)
        )


@dataclass
class Faults:
    """What happens to wires, by the port that drives them, and when."""

    stuck: tuple[FloatArray, BoolArray] | None = None
    """Shape (array of float, array of bool), , optional. From this time on this level is read; a
    cut wire reads low."""

    def at(self, time: FloatArray, level: BoolArray) -> BoolArray:
        """Return what is read instead of a level."""
        if self.stuck is not None:
            level = np.where(time >= self.stuck[0], self.stuck[1], level)
        return level


class Wires:
    """The wires from ports, with the transitions that are under way."""

    def __init__(self, timing: Timing, faults: Faults | None = None) -> None:
        self.timing, self.faults = timing, faults or Faults()
        ports = 2 * timing.lanes
        self.arrivals = np.full((ports, DEPTH), math.inf)
        self.sent, self.arrived = np.zeros((2, ports), np.int64)
        self.next = np.full(ports, math.inf)

    def send(self, wires: IntArray, time: FloatArray, rising: BoolArray) -> None:
        """Let some wires change at their near ends.

        Raises
        ------
        ValueError
            If more transitions are under way on a wire than it keeps.
        """
        skew = self.timing.skew[wires]
        late = np.where(rising, np.maximum(skew, 0), np.maximum(-skew, 0))
        self.arrivals[wires, self.sent[wires] % DEPTH] = time + self.timing.delay[wires] + late
        self.sent[wires] += 1
        if (self.sent - self.arrived).max() > DEPTH:
            raise ValueError(f"Wires needs at most {DEPTH} transitions under way, not more")
        self._look(wires)

    def _look(self, wires: IntArray) -> None:
        place = self.arrived[wires]
        waiting = place < self.sent[wires]
        self.next[wires] = np.where(waiting, self.arrivals[wires, place % DEPTH], math.inf)

    def read(self, time: FloatArray) -> BoolArray:
        """Return the levels at the far ends; a wire is never asked about the past.

        A transition that arrives at this very time is not seen yet, as by a flip-flop.
        """
        while True:
            (due,) = np.nonzero(self.next < time)
            if not len(due):
                return self.faults.at(time, self.arrived % 2 == 1)
            self.arrived[due] += 1
            self._look(due)


class Pairs:
    """Pairs of ports that exchange bytes; port p + lanes is the other end of port p.

    All arrays have an element for each port, lists of times and bytes a row. Change what a port
    shall do at any time before `run`.

    Parameters
    ----------
    parameters : OsLinkParameters
    timing : Timing
    clocks : float
        How long they will run in all, in nominal clocks.
    faults : Faults, optional
    seed : int
    most : int
        How many bytes each port has to send.

    Attributes
    ----------
    link : OsLink
        The ports.
    data : array of int
        The bytes to send.
    valid, ready : array of float
        The chance in each clock that there is a byte to send (which then stays), or that one would
        be taken.
    ask : array of float
        Times at which ports ask for a break, in order.
    reset : (array of float, array of float)
        The time from which, and until which, a port is in reset.
    echo : array of bool
        Ports that send what they receive, and nothing of their own.
    accepted, delivered : array of int
        How many bytes it took to send, and delivered.
    received : array of int
        The bytes that it delivered.
    accept_time, deliver_time : array of float
        When it took and delivered each.
    done : array of int
        Number of acknowledges that it reported.
    breaks : list of (array of int, array of float)
        The ports to which a break came, and when.
    errors : array of int
        What it ever found wrong, a bit for each of `ERRORS`.
    """

    def __init__(
        self,
        parameters: OsLinkParameters,
        timing: Timing,
        clocks: float,
        *,
        faults: Faults | None = None,
        seed: int = 0,
        most: int = 64,
    ) -> None:
        self.parameters, self.timing = parameters, timing
        self.rng = np.random.default_rng(seed)
        self.lanes, self.ports = timing.lanes, 2 * timing.lanes
        ports = self.ports
        self.link = OsLink(ports, parameters)
        self.wires = Wires(timing, faults)
        self.data = self.rng.integers(256, size=(ports, most))
        self.valid, self.ready = np.ones((2, ports))
        self.ask = np.full((ports, 1), math.inf)
        self.reset = np.full((2, ports), -math.inf)
        self.echo = np.zeros(ports, np.bool_)
        self.accepted, self.delivered, self.done, self.errors, self.asked = np.zeros(
            (5, ports), np.int64
        )
        self.received = np.zeros((ports, most), np.int64)
        self.accept_time, self.deliver_time = np.full((2, ports, most), math.inf)
        self.breaks: list[tuple[IntArray, FloatArray]] = []
        self.ticks = np.zeros(ports, np.int64)
        self.waves = np.zeros((int(clocks / timing.period.min()) + 9, ports), np.bool_)
        self._offered = np.zeros(ports, np.bool_)
        self._level = np.zeros(ports, np.bool_)
        self.edge = self._edge(0)
        self.after = self._edge(1)

    def _edge(self, ahead: int) -> FloatArray:
        at = self.timing.start + (self.ticks + ahead) * self.timing.period
        if self.timing.jitter.any():
            at = at + self.timing.jitter * self.rng.uniform(-1, 1, self.ports)
        return at

    def other(self, array: NDArray[Element]) -> NDArray[Element]:
        """Return an array with the elements of the other ends."""
        return np.concatenate((array[self.lanes :], array[: self.lanes]))

    def run(self, until: float) -> None:
        """Let all clocks tick up to a time."""
        while self.edge.min() < until:
            self._step()

    def _step(self) -> None:
        """Let every clock tick once that does not run ahead of the other end's.

        What a port takes from its wire does not matter before the next edge (R1). So all may step
        first, and then look at the wires on which that has put new transitions.
        """
        link, edge = self.link, self.edge
        ticks: BoolArray = edge <= self.other(self.after)
        offered = self._offered | (self.rng.random(self.ports) < self.valid)
        offered &= self.accepted < self.data.shape[1]
        ready = self.rng.random(self.ports) < self.ready
        place = np.minimum(self.accepted, self.data.shape[1] - 1)
        byte = self.data[np.arange(self.ports), place]
        if self.echo.any():
            offered = np.where(self.echo, link.rx_valid, offered)
            ready = np.where(self.echo, link.tx_ready, ready)
            byte = np.where(self.echo, link.rx_data, byte)
        wish = self.ask[np.arange(self.ports), np.minimum(self.asked, self.ask.shape[1] - 1)]
        asks = ticks & (wish <= edge) & (self.asked < self.ask.shape[1])
        resets = ticks & (self.reset[0] <= edge) & (edge < self.reset[1])
        works = ticks & ~resets

        takes, gives = works & offered & link.tx_ready, works & ready & link.rx_valid
        self._log(takes, gives, works)
        self._offered = np.where(ticks, offered & ~takes, self._offered)
        self.asked += asks

        link.step(np.zeros(self.ports, np.bool_), byte, offered, ready, asks, ticks)
        if resets.any():
            link.restart(resets)
        (changed,) = np.nonzero(ticks & (link.link_out != self._level))
        if len(changed):
            self._level = link.link_out.copy()
            self.wires.send(changed, edge[changed], self._level[changed])
        self.waves[self.ticks[ticks], np.nonzero(ticks)[0]] = link.link_out[ticks]
        seen = self.other(self.wires.read(self.other(np.where(ticks, edge, -math.inf))))
        link.receiver["metastable"][ticks] = seen[ticks]

        self.ticks += ticks
        self.edge = np.where(ticks, self.after, edge)
        self.after = np.where(ticks, self._edge(1), self.after)

    def _log(self, takes: BoolArray, gives: BoolArray, works: BoolArray) -> None:
        """Note what the coming edge does."""
        link, edge = self.link, self.edge
        (p,) = np.nonzero(takes)
        self.accept_time[p, self.accepted[p]] = edge[p]
        self.accepted[p] += 1
        (p,) = np.nonzero(gives)
        fits = p[self.delivered[p] < self.received.shape[1]]
        self.received[fits, self.delivered[fits]] = link.rx_data[fits]
        self.deliver_time[fits, self.delivered[fits]] = edge[fits]
        self.delivered[p] += 1
        self.done += works & link.tx_done
        self.errors |= np.where(works, link.errors, 0)
        (p,) = np.nonzero(works & link.link_break)
        if len(p):
            self.breaks.append((p, edge[p]))

    def packets(self, begin: IntArray | None = None) -> Packets:
        """Return what was on the wires, decoded without the receivers."""
        length = int(self.ticks.max())
        return decode(self.waves[:length], self.ticks, self.parameters.clocks_per_bit, begin)

    def time(self, packets: Packets) -> FloatArray:
        """Return when packets start, in nominal clocks, leaving jitter aside."""
        timing = self.timing
        return timing.start[packets.wire] + packets.start * timing.period[packets.wire]

    def check(self, *, complete: bool = True) -> Packets:
        """Check the wires (`check_windows`), and return their packets."""
        packets = self.packets()
        # Two bits, less what clocks may be off; an answer needs the second bit and two flip-flops.
        least = 1.4 * self.parameters.clocks_per_bit
        check_windows(packets, self.time(packets), self.ports, least, complete=complete)
        return packets

    def wrong(self) -> BoolArray:
        """Return which ports delivered other bytes than were sent, or in another order."""
        sent = self.other(self.data)
        there = np.arange(sent.shape[1]) < self.delivered[:, None]
        odd: BoolArray = ((sent != self.received) & there).any(axis=1)
        return odd | (self.delivered > self.other(self.accepted))

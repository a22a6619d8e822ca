"""Rates, latencies and margins of docs/design/os-link-internals.md, over all clock phases."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from fingerpost.golden.arrays import BoolArray
from fingerpost.golden.link.packets import ACK, DATA
from fingerpost.golden.link.parameters import HOLD, QUIET, OsLinkParameters
from fingerpost.golden.link.ports import OsLink
from tests.golden.link.test_waveforms import FloatArray, Pairs, Timing
from tests.networks import only

CLOCKS = 4, 5, 8, 16
REFERENCE = {4: 2.25, 5: 2.2, 8: 1.875, 16: 1.6875}
"""a = t = (N + floor((N-1)/2) + 4)/N bits: section 3."""

LATE = {5: 13.4, 8: 12.75, 16: 12.4}
"""Section 4: bits from byte to byte, with late acknowledges or one place."""


@pytest.mark.parametrize("n", CLOCKS)
def test_one_way_bytes_follow_without_a_gap(n: int) -> None:
    found = rates(OsLinkParameters(n))
    np.testing.assert_allclose(found.period, 11.0)
    # The acknowledge of a byte that need not wait tells a; test limit: 2 clocks more.
    assert REFERENCE[n] - 1 / n < found.acknowledge.max() <= REFERENCE[n] + 1e-9


@pytest.mark.parametrize("n", CLOCKS)
def test_both_ways(n: int) -> None:
    period = rates(OsLinkParameters(n), both=True).period
    assert period.min() >= 13.0
    assert period.max() <= (13.3 if n < 8 else 13.0 + 1e-9)


@pytest.mark.parametrize("n", only([5], [5, 8, 16]))
@pytest.mark.parametrize("kind", [{"acknowledge": "late"}, {"fifo": 1}])
def test_late_acknowledges(n: int, kind: dict[str, object]) -> None:
    found = rates(OsLinkParameters(n, **kind))  # type: ignore[arg-type]
    # Which is a + t: each depends on the phase by a clock.
    assert found.period.mean() == pytest.approx(LATE[n], abs=0.21)
    assert found.period.max() <= LATE[n] + 1 / n + 0.05
    assert REFERENCE[n] - 1 / n < found.resume.max() <= REFERENCE[n] + 1e-9
    # The byte is known at the stop bit, and one clock later taken from its place.
    stop = (10 * n + (n - 1) // 2 + 4 + ("fifo" in kind)) / n
    assert found.acknowledge.max() == pytest.approx(stop, abs=1e-9)


@pytest.mark.parametrize("bits", only([1.75, 4.0], [1.75, 4.0, 0.4, 3.3, 8.0]))
def test_delay_of_the_wire(bits: float) -> None:
    one = rates(OsLinkParameters(5), delay=bits).period
    both = rates(OsLinkParameters(5), delay=bits, both=True).period
    assert one.max() <= max(11, 4.4 + 2 * bits) + 1e-9
    assert one.mean() >= max(11, 4.4 + 2 * bits) - 0.4
    assert 13.2 + bits - 0.4 <= both.mean() <= both.max() <= 13.2 + bits + 1e-9


@pytest.mark.parametrize("n", only([4], [4, 16]))
def test_slots(n: int) -> None:
    np.testing.assert_allclose(rates(OsLinkParameters(n, slot=12)).period, 12.0)
    # Here acknowledges take a slot each, too.
    period = rates(OsLinkParameters(n, slot=12), both=True).period
    np.testing.assert_allclose(period, 24.0)


@pytest.mark.parametrize("n", CLOCKS)
def test_relayed_byte(n: int) -> None:
    # s = (10N + floor((N-1)/2) + 4)/N, without anything in between: section 4.
    assert relayed(OsLinkParameters(n)) == pytest.approx((10 * n + (n - 1) // 2 + 4) / n)


@pytest.mark.regress
@pytest.mark.parametrize("slot", [0, 12, 10, 11, 20])
def test_a_peer_without_a_pause_does_not_silence_the_other(slot: int) -> None:
    # Two ports on one clock; the second has nothing to send until the first is under way.
    link = OsLink(2, OsLinkParameters(4, slot=slot))
    taken, every = np.zeros(2, np.int64), np.ones(2, np.bool_)
    for clock in range(12_000):
        offers = np.array([True, clock > 3000])
        taken += link.tx_ready & offers
        link.step(link.link_out[::-1], np.array([0x55, 0xAA]), offers, every)
    assert taken[1] > 0.7 * (9000 / 12_000) * taken[0] / 2
    assert not link.errors.any()


STEPS = np.array([-0.02, 0.02])
"""Beside a limit, in bits: good on this side, bad on the other."""


def port(n: int, stop: str) -> OsLinkParameters:
    return OsLinkParameters(n, stop=stop)  # type: ignore[arg-type]


@pytest.mark.parametrize("n", CLOCKS)
def test_stop_bit_that_is_shorter(n: int) -> None:
    # Its sample is up to floor((N-1)/2) + 1 clocks behind its start. Where it is ignored, it is
    # enough if one clock sees the line low.
    sampled, one = ((n - 1) // 2 + 1) / n, 1 / n
    assert hears(port(n, "checked"), stop=sampled - STEPS).tolist() == [True, False]
    assert hears(port(n, "ignored"), stop=one - STEPS).tolist() == [True, False]


@pytest.mark.parametrize("stop", ["checked", "ignored"])
@pytest.mark.parametrize("n", CLOCKS)
def test_edges_that_are_later_than_others(n: int, stop: str) -> None:
    # The first sample of a bit is floor((N-1)/2) clocks behind its start, the last one clock more.
    before, behind = (n - 1) // 2 / n, 1 - ((n - 1) // 2 + 1) / n
    # A rise that is late moves all samples; the next falls come too early for them, and reverse.
    assert hears(port(n, stop), skew=behind + STEPS).tolist() == [True, False]
    assert hears(port(n, stop), skew=-before - STEPS).tolist() == [True, False]


@pytest.mark.parametrize("n", CLOCKS)
def test_pulses_on_a_quiet_line(n: int) -> None:
    # R2: bit 0 is sampled floor((N-1)/2) clocks behind the rise.
    assert ignores(port(n, "checked"), (n - 1) // 2 / n + STEPS).tolist() == [True, False]


WARM = 2
"""Bytes before the measurement."""

BYTES = 0x00, 0xFF, 0x80, 0x7F, 0x01, 0xFE, 0x55, 0xAA, 0xFF, 0xFF, 0x00, 0x00, 0x5C
"""What is sent: every level before and after every other, and the longest runs."""

LEAD = QUIET + 2.0
"""Bits of quiet line before the first packet, so that the receiver listens."""


@dataclass(frozen=True)
class Rates:
    """What was measured, in bit times; an element for each wire with bytes."""

    period: FloatArray
    """From byte to byte, the mean over an even number."""
    acknowledge: FloatArray
    resume: FloatArray
    """The longest times from a byte to its acknowledge, and from that to the next byte: a and t
    where the next byte waits for it."""


def rates(
    parameters: OsLinkParameters,
    *,
    both: bool = False,
    delay: float = 0.0,
    phases: int = 32,
    packets: int = 8,
) -> Rates:
    """Let ports send as fast as they can, one way or both, on wires with a delay in bits.

    The clocks of the ports of a pair are equal, but for their phases: all of them.
    """
    n = parameters.clocks_per_bit
    most = packets + WARM + 2
    start = np.stack([np.zeros(phases), np.arange(phases) / phases])
    timing = Timing(phases, start=start, delay=delay * n)
    slowest = max(14, 2 * parameters.slot) + 2 * delay
    clocks = (HOLD + 2 + most * slowest) * n
    pairs = Pairs(parameters, timing, clocks, most=most)
    senders = np.arange(2 * phases if both else phases)
    pairs.valid[len(senders) :] = 0
    pairs.run(clocks)
    found = pairs.check()
    time = pairs.time(found) / n

    def starts(wires: NDArray[np.int64], kind: int) -> FloatArray:
        return np.stack([time[(found.wire == w) & (found.kind == kind)] for w in wires])

    bytes_, answers = starts(senders, DATA), starts((senders + phases) % (2 * phases), ACK)
    return Rates(
        (bytes_[:, WARM + packets] - bytes_[:, WARM]) / packets,
        (answers - bytes_)[:, WARM:].max(axis=1),
        (bytes_[:, 1:] - answers[:, :-1])[:, WARM:].max(axis=1),
    )


def relayed(parameters: OsLinkParameters, *, phases: int = 32) -> float:
    """Return the bit times from a byte's leading edge to that of the same byte, sent on.

    Port phases + i sends on what it receives, back to where it came from, with no logic at all.
    """
    n = parameters.clocks_per_bit
    start = np.stack([np.zeros(phases), np.arange(phases) / phases])
    clocks = (HOLD + 60) * n
    pairs = Pairs(parameters, Timing(phases, start=start), clocks, most=1)
    pairs.valid[phases:] = 0
    pairs.echo = np.arange(2 * phases) >= phases
    pairs.run(clocks)
    found = pairs.check()
    first = np.stack(
        [pairs.time(found)[(found.wire == w) & (found.kind == DATA)] for w in range(2 * phases)]
    )
    return float((first[phases:] - first[:phases]).max()) / n


def passes(
    parameters: OsLinkParameters,
    offset: FloatArray,
    *,
    phases: int = 32,
    jitter: float = 0.0,
    skew: float = 0.0,
    packets: int = 12,
    seed: int = 0,
) -> BoolArray:
    """Tell for each clock offset whether all bytes arrive, both ways, whatever the phase.

    Parameters
    ----------
    offset : array of float
        By how much the clock of the second port of a pair is slower, as a fraction.
    jitter, skew : float
        In nominal clocks, see `Timing`.
    """
    n, lanes = parameters.clocks_per_bit, len(offset) * phases
    slower = np.repeat(offset, phases)
    timing = Timing(
        lanes,
        period=np.stack([np.ones(lanes), 1 + slower]),
        start=np.stack([np.zeros(lanes), np.tile(np.arange(phases) / phases, len(offset))]),
        jitter=jitter,
        skew=skew,
    )
    clocks = (HOLD + 15 * packets) * n * (1 + float(np.abs(offset).max()))
    pairs = Pairs(parameters, timing, clocks, most=packets, seed=seed)
    pairs.run(clocks)
    bad = (pairs.errors != 0) | pairs.wrong() | (pairs.delivered != packets)
    if not bad.any():
        pairs.check()
    good: BoolArray = ~bad.reshape(2, len(offset), phases).any(axis=(0, 2))
    return good


def hears(
    parameters: OsLinkParameters,
    *,
    offset: float = 0.0,
    skew: ArrayLike = 0.0,
    stop: ArrayLike = 1.0,
    sent: Sequence[int] = BYTES,
    phases: int = 64,
) -> BoolArray:
    """Tell for each kind of line whether all bytes are heard, and nothing else, at every phase.

    Parameters
    ----------
    parameters : OsLinkParameters
        Of the port that listens.
    offset : float
        By how much its clock is slower than that of the sender, as a fraction.
    skew : array of float
        Bits by which rising edges are later than falling ones; earlier, if it is negative.
    stop : array of float
        Bits of the stop bit; the next packet begins behind it.
    sent : sequence of int
        The bytes, without a pause between them.
    """
    lines = np.broadcast_arrays(np.asarray(skew, np.float64), np.asarray(stop, np.float64))
    edges = [
        _edges(sent, float(late), float(low))
        for late, low in zip(*(line.ravel() for line in lines), strict=True)
    ]
    return _heard(parameters, edges, offset, phases, sent)


def ignores(parameters: OsLinkParameters, width: ArrayLike, *, phases: int = 64) -> BoolArray:
    """Tell for each width of a pulse on a quiet line, in bits, whether it is never taken for more.

    A byte 8 bits behind it must be heard.
    """
    sent = (0x5C,)
    rises, falls = _edges(sent, 0.0, 1.0)
    edges = [
        (np.append(LEAD, rises + 8.0), np.append(LEAD + each, falls + 8.0))
        for each in np.ravel(np.asarray(width, np.float64)).tolist()
    ]
    return _heard(parameters, edges, 0.0, phases, sent)


def _edges(sent: Sequence[int], skew: float, stop: float) -> tuple[FloatArray, FloatArray]:
    """Return when the line rises and falls, in bits of the sender."""
    rises: list[float] = []
    falls: list[float] = []
    start = LEAD
    for byte in sent:
        levels = [0, 1, 1, *(byte >> k & 1 for k in range(8)), 0]
        for bit, (before, level) in enumerate(pairwise(levels)):
            if level != before:
                (rises if level else falls).append(start + bit)
        start += 10 + stop
    return np.array(rises) + max(skew, 0.0), np.array(falls) + max(-skew, 0.0)


def _heard(
    parameters: OsLinkParameters,
    lines: Sequence[tuple[FloatArray, FloatArray]],
    offset: float,
    phases: int,
    sent: Sequence[int],
) -> BoolArray:
    """Tell for each line, given when it rises and falls, whether just these bytes are heard."""
    n = parameters.clocks_per_bit
    clocks = int((max(falls.max() for _, falls in lines) + 14) * n)
    times = np.arange(clocks) * (1 + offset) + np.arange(phases)[:, None] / phases
    # Counts of edges give the level, because skew may remove a short low altogether.
    levels = [
        np.searchsorted(rises * n, times) > np.searchsorted(falls * n, times)
        for rises, falls in lines
    ]
    wire = np.concatenate(levels)
    lanes = len(wire)
    link, none, every = OsLink(lanes, parameters), np.zeros(lanes, np.int64), np.full(lanes, True)
    # One place more, for bytes that are too many.
    seen, count = np.zeros((lanes, len(sent) + 1), np.int64), np.zeros(lanes, np.int64)
    wrong = np.zeros(lanes, np.bool_)
    for clock in range(clocks):
        link.step(wire[:, clock], none, ~every, every)
        wrong |= link.err_ack | link.err_frame
        (got,) = np.nonzero(link.byte)
        seen[got, np.minimum(count[got], len(sent))] = link.receiver["data"][got]
        count[got] += 1
    right = ~wrong & (count == len(sent)) & (seen[:, :-1] == sent).all(axis=1)
    found: BoolArray = np.all(right.reshape(len(lines), phases), axis=1)
    return found

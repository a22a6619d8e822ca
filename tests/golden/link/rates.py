"""Rates of pairs of ports, and what a receiver stands of a wire, over all phases of the clocks.

docs/design/os-link-internals.md has the figures.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fingerpost.golden.arrays import BoolArray
from fingerpost.golden.link.packets import ACK, DATA
from fingerpost.golden.link.parameters import HOLD, QUIET, OsLinkParameters
from fingerpost.golden.link.ports import OsLink
from tests.golden.link.wire import FloatArray, Pairs, Timing

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

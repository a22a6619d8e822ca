"""What a receiver stands of a wire: drawn in continuous time, heard by the clocked model."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fingerpost.golden.arrays import BoolArray
from fingerpost.golden.link.parameters import QUIET, OsLinkParameters
from fingerpost.golden.link.receiver import Receiver

FloatArray = NDArray[np.float64]

BYTES = 0x00, 0xFF, 0x80, 0x7F, 0x01, 0xFE, 0x55, 0xAA, 0xFF, 0xFF, 0x00, 0x00, 0x5C
"""What is sent: every level before and after every other, and the longest runs."""

LEAD = QUIET + 2.0
"""Bits of quiet line before the first packet, so that the receiver listens."""


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
    receiver = Receiver(lanes, parameters)
    # One place more, for bytes that are too many.
    seen, count = np.zeros((lanes, len(sent) + 1), np.int64), np.zeros(lanes, np.int64)
    wrong = np.zeros(lanes, np.bool_)
    for clock in range(clocks):
        receiver.step(wire[:, clock])
        wrong |= receiver.acknowledge | receiver.bad_stop
        (got,) = np.nonzero(receiver.byte)
        seen[got, np.minimum(count[got], len(sent))] = receiver.data[got]
        count[got] += 1
    right = ~wrong & (count == len(sent)) & (seen[:, :-1] == sent).all(axis=1)
    found: BoolArray = np.all(right.reshape(len(lines), phases), axis=1)
    return found

"""How fast pairs of ports are, measured on their wires: docs/design/os-link-internals.md."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import BoolArray
from fingerpost.golden.link.packets import ACK, DATA
from fingerpost.golden.link.parameters import HOLD, OsLinkParameters
from fingerpost.golden.link.wire import Pairs, Timing

FloatArray = NDArray[np.float64]

WARM = 2
"""Bytes before the measurement."""


@dataclass(frozen=True)
class Rates:
    """What was measured, in bit times; an element for each wire with bytes.

    Attributes
    ----------
    period : array of float
        From byte to byte, the mean over an even number.
    acknowledge, resume : array of float
        The longest times from a byte to its acknowledge, and from that to the next byte: a and t
        where the next byte waits for it.
    """

    period: FloatArray
    acknowledge: FloatArray
    resume: FloatArray


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

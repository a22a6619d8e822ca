"""What is on the wires of OS-Links, decoded from their waveforms alone.

No port is involved: a wire is a row of levels, one for each clock of its transmitter.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import BoolArray, IntArray

ACK, DATA, BREAK = range(3)
"""The kinds of packets."""

LENGTHS = np.array([2, 11, 28])
"""Bits of a packet of each kind."""


class WireError(ValueError):
    """A wire that no port may drive so."""


class Packets(NamedTuple):
    """Packets by wire and time."""

    wire: IntArray
    start: IntArray
    """Where and in which clock of the transmitter the packet starts."""
    kind: IntArray
    """`ACK`, `DATA` or `BREAK`."""
    value: IntArray
    """The byte, if it is one."""

    def of(self, wire: int, kind: int) -> IntArray:
        """Return where the packets of one kind start on a wire."""
        found: IntArray = self.start[(self.wire == wire) & (self.kind == kind)]
        return found


def decode(
    waves: BoolArray, lengths: IntArray, clocks_per_bit: int, begin: IntArray | None = None
) -> Packets:
    """Decode wires of (clocks, wires), all levels of a bit being the same.

    Parameters
    ----------
    waves : array of bool
    lengths : array of int
        The clocks that each wire has; a packet that goes on after them is left out.
    clocks_per_bit : int
    begin : array of int, optional
        The clock from which on a wire is looked at.

    Raises
    ------
    WireError
        If a transition is not on the boundary of a bit, or bits make no packet.
    """
    n, (clocks, wires) = clocks_per_bit, waves.shape
    span = int(LENGTHS.max()) * n
    padded = np.zeros((clocks + span, wires), np.bool_)
    padded[:clocks] = waves
    # The first clock from each on in which the wire is high.
    high = np.where(padded, np.arange(len(padded), dtype=np.int32)[:, None], len(padded) - span)
    high = np.minimum.accumulate(high[::-1], axis=0)[::-1]
    at = np.zeros(wires, np.int64) if begin is None else begin.astype(np.int64)
    found: list[NDArray[np.int64]] = []
    wire = np.arange(wires)
    while len(wire):
        start = high[np.minimum(at[wire], clocks), wire].astype(np.int64)
        bits = padded[start[:, None] + np.arange(span), wire[:, None]].reshape(-1, 28, n)
        level = bits[:, :, 0]
        kind = np.where(~level[:, 1], ACK, np.where(level[:, 10], BREAK, DATA))
        whole = start + LENGTHS[kind] * n <= lengths[wire]
        wire, start, bits, level, kind = (x[whole] for x in (wire, start, bits, level, kind))
        inside = np.arange(28) < LENGTHS[kind][:, None]
        torn = (bits != level[:, :, None]).any(axis=2) & inside
        wrong = (kind == BREAK) & (~level[:, :16].all(axis=1) | level[:, 16:].any(axis=1))
        for bad, what in ((torn.any(axis=1), "a level changes inside a bit"), (wrong, "no packet")):
            if bad.any():
                i = int(bad.argmax())
                raise WireError(f"Wire {wire[i]}, packet at clock {start[i]}: {what}")
        value = np.where(kind == DATA, level[:, 2:10] @ (1 << np.arange(8)), 0)
        found.append(np.stack([wire, start, kind, value]))
        at[wire] = start + LENGTHS[kind] * n
    table = np.concatenate(found, axis=1) if found else np.zeros((4, 0), np.int64)
    return Packets(*table[:, np.lexsort((table[1], table[0]))])

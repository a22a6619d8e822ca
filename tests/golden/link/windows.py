"""Whether packets on the wires of OS-Links keep to the rule of one outstanding byte."""

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.link.packets import ACK, Packets, WireError


def check_windows(
    packets: Packets, time: NDArray[np.float64], wires: int, least: float, *, complete: bool
) -> None:
    """Check that every byte is acknowledged once, and that no second one is sent before.

    Packets start at `time`, in any unit. Of the wires, w and w + wires / 2 join the same two ports.
    From a packet to what it allows it is `least` at least: none is known before its second bit.
    If the run is `complete`, the last bytes must be acknowledged too.
    """
    answers = packets.kind == ACK
    # A byte and its acknowledge are on different wires; both get the number of the byte's.
    exchange = np.where(answers, (packets.wire + wires // 2) % wires, packets.wire)
    order = np.lexsort((time, exchange))
    exchange, time, answers = exchange[order], time[order], answers[order]
    first = np.diff(exchange, prepend=-1) != 0
    last = np.diff(exchange, append=wires) != 0
    wrong = np.where(first, answers, answers == np.roll(answers, 1))
    early = ~first & (np.diff(time, prepend=0.0) < least)
    for bad, what in (
        (wrong & answers, "an acknowledge without an outstanding byte"),
        (wrong & ~answers, "a byte before the last one is acknowledged"),
        (early, "an answer before its cause is known"),
        (last & ~answers & complete, "a byte without acknowledge"),
    ):
        if bad.any():
            i = int(bad.argmax())
            raise WireError(f"Bytes of wire {exchange[i]}, at {time[i]:.2f}: {what}")

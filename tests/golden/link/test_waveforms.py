"""The waveforms of docs/design/os-link-internals.md, bit by bit; lock-step has the hardware's."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from fingerpost.golden.link import OsLinkParameters
from fingerpost.golden.link.ports import OsLink

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

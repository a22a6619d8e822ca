"""The waveforms of docs/design/os-link-internals.md, bit by bit: of golden, and of the hardware."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from amaranth.sim import Simulator

from fingerpost.golden.link import OsLink, OsLinkParameters
from fingerpost.hdl.link import OsLink as Hardware
from fingerpost.testbench.context import Context

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


def hardware(
    n: int, byte: int | None, link_in: Sequence[int], stop: Any = "checked"
) -> tuple[list[int], list[int]]:
    """Do the same with the hardware."""
    port = Hardware(OsLinkParameters(n, stop=stop))
    wire: list[int] = []
    received: list[int] = []

    async def bench(ctx: Context) -> None:
        offers = byte is not None
        ctx.set(port.rx.ready, 1)
        ctx.set(port.tx.payload, byte or 0)
        for level in link_in:
            ctx.set(port.tx.valid, offers)
            ctx.set(port.link_in, level)
            if ctx.get(port.rx.valid):
                received.append(ctx.get(port.rx.payload))
            takes = offers and ctx.get(port.tx.ready)
            await ctx.tick()
            offers = bool(offers and not takes)
            wire.append(ctx.get(port.link_out))

    simulator = Simulator(port)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return wire, received


BOTH = pytest.mark.parametrize("port", [golden, hardware])


@BOTH
@pytest.mark.parametrize("n", CLOCKS)
@pytest.mark.parametrize("byte", DATA)
def test_byte_on_the_wire(n: int, byte: int, port) -> None:  # type: ignore[no-untyped-def]
    wire, _ = port(n, byte, [0] * BITS * n)
    start = wire.index(1)
    # T1: no packet for 32 bits after the reset, then at once.
    assert 32 * n <= start + 1 <= 32 * n + 2
    assert wire[start : start + 11 * n] == levels(n, DATA[byte])
    assert not any(wire[start + 11 * n :])  # never acknowledged: idle is low


@BOTH
@pytest.mark.parametrize("n", CLOCKS)
@pytest.mark.parametrize("byte", DATA)
def test_byte_is_received_and_acknowledged(n: int, byte: int, port) -> None:  # type: ignore[no-untyped-def]
    line = levels(n, "0" * FIRST + DATA[byte])
    line += [0] * (BITS * n - len(line))
    wire, received = port(n, None, line)
    assert received == [byte]
    start = wire.index(1)
    assert wire[start : start + 2 * n] == levels(n, ACK)
    assert sum(wire) == n  # one acknowledge, and nothing else
    # Section 3: a = (N + floor((N-1)/2) + 4)/N bits from pin to pin; 2 clocks more at most. The
    # edge is at the clock in which the line is first given as high.
    late = start + 1 - FIRST * n
    assert n + (n - 1) // 2 + 4 <= late <= n + (n - 1) // 2 + 6


@BOTH
@pytest.mark.parametrize("n", CLOCKS)
def test_packets_without_a_gap(n: int, port) -> None:  # type: ignore[no-untyped-def]
    """T4: D-A, A-D and D-D are always received; R7: acknowledges for nothing are ignored."""
    line = levels(n, "0" * FIRST + DATA[0xFF] + ACK + DATA[0x5C] + DATA[0x80] + ACK + ACK)
    line += [0] * (20 * n)
    wire, received = port(n, None, line)
    assert received == [0xFF, 0x5C, 0x80]
    assert sum(wire) == 3 * n  # three acknowledges


@BOTH
@pytest.mark.parametrize("n", CLOCKS)
def test_stop_bit_and_glitches(n: int, port) -> None:  # type: ignore[no-untyped-def]
    """R6: a byte with a high stop bit is dropped, the next after a low counts; R2: a glitch not."""
    line = levels(n, "0" * FIRST + "11" + "01010101" + "1" + "0" + DATA[0x5C])
    # A bit after the glitch: a receiver still in it takes the byte for its second bit.
    line += [1] + [0] * (n - 1) + levels(n, DATA[0x01]) + [0] * 10 * n
    assert port(n, None, line)[1] == [0x5C, 0x01]


@BOTH
@pytest.mark.parametrize("n", CLOCKS)
def test_not_armed_before_12_bits_of_low(n: int, port) -> None:  # type: ignore[no-untyped-def]
    line = levels(n, "1" + "0" * 9 + DATA[0x5C] + "0" * 13 + DATA[0x80]) + [0] * 40 * n
    assert port(n, None, line)[1] == [0x80]


@BOTH
@pytest.mark.parametrize("n", CLOCKS)
def test_stop_bits_of_one_clock(n: int, port) -> None:  # type: ignore[no-untyped-def]
    """R9: with ignored stop bits the line must be low once; with checked ones bytes are lost."""
    line = levels(n, "0" * FIRST)
    for byte in (0xFF, 0x00, 0x5C):
        line += [*levels(n, DATA[byte][:10]), 0]
    line += [0] * (20 * n)
    _, received = port(n, None, line, "ignored")
    assert received == [0xFF, 0x00, 0x5C]
    _, received = port(n, None, line, "checked")
    assert received != [0xFF, 0x00, 0x5C]


@BOTH
@pytest.mark.parametrize("n", CLOCKS)
def test_stop_bit_that_never_comes(n: int, port) -> None:  # type: ignore[no-untyped-def]
    """R9: the byte is heard, and acknowledged once, and what is high behind it is no packet."""
    line = levels(n, "0" * FIRST + "11" + "00111011" + "1111" + "0" * 4 + DATA[0x01])
    line += [0] * (20 * n)
    wire, received = port(n, None, line, "ignored")
    assert received == [0xDC, 0x01]
    assert sum(wire) == 2 * n

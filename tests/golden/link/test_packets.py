"""The decoder of wires, on waveforms written by hand: it must refuse what no port may send."""

import re

import numpy as np
import pytest

from fingerpost.golden.link.packets import (
    ACK,
    BREAK,
    DATA,
    Packets,
    WireError,
    check_windows,
    decode,
)

N = 4
BYTE = "11001110100"  # 0x5C, docs/design/os-link-internals.md


def waves(*wires: str, clocks: int = N) -> tuple[np.ndarray, np.ndarray]:
    lengths = np.array([len(wire) * clocks for wire in wires])
    found = np.zeros((lengths.max(), len(wires)), np.bool_)
    for i, wire in enumerate(wires):
        found[: lengths[i], i] = np.repeat([bit == "1" for bit in wire], clocks)
    return found, lengths


def test_packets_of_every_kind() -> None:
    line = "000" + BYTE + "10" + "10" + "0" + "1" * 16 + "0" * 12 + "1111111111" + "0"
    found = decode(*waves(line, "0" * 9), N)
    assert found.wire.tolist() == [0] * 5
    assert found.kind.tolist() == [DATA, ACK, ACK, BREAK, DATA]
    assert found.start.tolist() == [x * N for x in (3, 14, 16, 19, 47)]
    assert found.value.tolist() == [0x5C, 0, 0, 0, 0xFF]


def test_a_packet_need_not_start_on_a_bit() -> None:
    found, lengths = waves("0" + BYTE + "000")
    assert decode(np.roll(found, 1, axis=0), lengths, N).start.tolist() == [N + 1]


def test_a_packet_that_is_not_over_is_left_out() -> None:
    assert len(decode(*waves("0" + BYTE[:-1]), N).wire) == 0
    assert len(decode(*waves("0" + BYTE), N).wire) == 1


@pytest.mark.parametrize("clock", range(11 * N))
def test_refuses_a_glitch_anywhere_in_a_byte(clock: int) -> None:
    found, lengths = waves("00" + BYTE + "0" * 20)
    found[2 * N + clock, 0] ^= True
    # At the very start it is a packet that is later, and shifted; anywhere else a torn bit.
    with pytest.raises(WireError, match=r"^Wire 0, packet at clock \d+: "):
        decode(found, lengths, N)


def test_refuses_a_break_of_another_length() -> None:
    for line in ("1" * 15 + "0" * 13, "1" * 17 + "0" * 11, "1" * 16 + "0" * 10 + "100"):
        with pytest.raises(WireError, match=r"^Wire 0, packet at clock 0: no packet$"):
            decode(*waves(line), N)


def events(*given: tuple[int, float, int]) -> tuple[Packets, np.ndarray]:
    """Return packets of (wire, time, kind)."""
    wire, time, kind = (np.array(x) for x in zip(*given, strict=True))
    return Packets(wire, np.zeros_like(wire), kind, np.zeros_like(wire)), time


def test_windows() -> None:
    good = ((0, 0.0, DATA), (1, 2.0, ACK), (0, 4.0, DATA), (1, 5.0, DATA), (0, 9.0, ACK))
    check_windows(*events(*good, (1, 6.0, ACK)), 2, 1.0, complete=True)
    check_windows(*events(*good), 2, 1.0, complete=False)
    for more, message in (
        ((), "Bytes of wire 0, at 4.00: a byte without acknowledge"),
        (
            ((1, 6.0, ACK), (1, 7.0, ACK)),
            "Bytes of wire 0, at 7.00: an acknowledge without an outstanding byte",
        ),
        (
            ((0, 5.5, DATA), (1, 7.0, ACK)),
            "Bytes of wire 0, at 5.50: a byte before the last one is acknowledged",
        ),
        (((1, 4.5, ACK),), "Bytes of wire 0, at 4.50: an answer before its cause is known"),
    ):
        with pytest.raises(WireError, match=f"^{re.escape(message)}$"):
            check_windows(*events(*good, *more), 2, 1.0, complete=True)


def test_the_first_packet_is_a_byte() -> None:
    with pytest.raises(WireError, match="an acknowledge without an outstanding byte"):
        check_windows(*events((1, 0.0, ACK), (0, 3.0, DATA)), 2, 1.0, complete=False)

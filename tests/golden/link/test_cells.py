"""Cells, frames and packets on the wire: bytes written out by hand, CRCs bit by bit."""

import re
from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.engine.links import cell_start
from fingerpost.golden.jit.plain import view
from fingerpost.golden.link import cells
from fingerpost.golden.link.cells import crc16, frame, packet
from fingerpost.golden.link.packets import ACK, BREAK, DATA, Packets, WireError, decode
from fingerpost.golden.link.parameters import OsLinkParameters
from tests.golden.link.windows import check_windows


def bitwise(data: Iterable[int]) -> int:
    """Return the CRC-16 of bytes, a bit at a time: polynomial 0x1021, all ones at the start."""
    crc = 0xFFFF
    for byte in data:
        for bit in reversed(range(8)):
            feedback = (crc >> 15) ^ (byte >> bit & 1)
            crc = (crc << 1 & 0xFFFF) ^ (0x1021 if feedback else 0)
    return crc


Flit = tuple[int, int, int, int]
"""Channel, head, tail, data."""


def sent(flits: list[Flit], credits: list[int] | None = None) -> list[int]:
    """Return the bytes that a sender makes of flits, and of masks of credits there before."""
    link, credits = OneLink(channels=3, depth=4, flit_width=32), credits or []
    found: list[int] = []
    for clock in range(8 * len(flits) + 8 * len(credits) + 8):
        if link.sender.valid:
            found.append(link.sender.byte)
        flit = flits[clock] if clock < len(flits) else None
        link.send(flit, credits[clock] if clock < len(credits) else 0, ready=True)
    return found


def received(data: list[int]) -> tuple[list[Flit], list[int], int, int]:
    """Return flits, masks of credits, bad packets and bad cells that a receiver makes of bytes."""
    link, flits, credits, packets, cells = OneLink(channels=3, depth=4, flit_width=32), [], [], 0, 0
    for byte in [*data, None, None]:
        link.receive(byte or 0, byte is not None)
        if link.arrived:
            flits.append(link.arrived)
        if link.receiver.credits:
            credits.append(link.receiver.credits)
        packets += link.bad_packet
        cells += link.receiver.bad_cell
    return flits, credits, packets, cells


def test_crc_is_the_published_one() -> None:
    links, crc = OneLink(channels=1, depth=1, flit_width=32).config.links, 0xFFFF
    for byte in b"123456789":
        crc = crc16(crc, byte, links)
    assert crc == 0x29B1 == bitwise(b"123456789")


HEAD = (2, 1, 0, 0x44332211)
"""The first flit of a packet on channel 2."""

TAIL = (2, 0, 1, 0x6655)
"""Its last one: two bytes, and a status of 0."""

# 1, head, tail, channel 2 in bits 3 to 5
COVERED = [0b010_0_1_1, 0x11, 0x22, 0x33, 0x44, 0b010_1_0_1, 0x55, 0x66]
CRC = bitwise(COVERED)
BYTES = [*COVERED, CRC & 0xFF, CRC >> 8]


def test_a_packet_byte_by_byte() -> None:
    assert sent([HEAD, TAIL]) == BYTES
    assert received(BYTES) == ([HEAD, TAIL], [], 0, 0)


def test_a_packet_of_one_flit() -> None:
    crc = bitwise([0b000_1_1_1, 0xCD, 0xAB])
    data = [0b000_1_1_1, 0xCD, 0xAB, crc & 0xFF, crc >> 8]
    assert sent([(0, 1, 1, 0xABCD)]) == data
    assert received(data) == ([(0, 1, 1, 0xABCD)], [], 0, 0)


def test_a_status_is_sent_as_the_complement_of_the_crc_and_stays() -> None:
    wrong = CRC ^ 0xFFFF
    data = [*BYTES[:-2], wrong & 0xFF, wrong >> 8]
    assert sent([HEAD, (2, 0, 1, 0x00016655)]) == data
    assert received(data) == ([HEAD, (2, 0, 1, 0xFFFF6655)], [], 1, 0)


def with_a_wrong_bit(at: int) -> list[list[int]]:
    """Return the bytes once for each bit of one of them, which is wrong."""
    return [[byte ^ (i == at) << bit for i, byte in enumerate(BYTES)] for bit in range(8)]


@pytest.mark.parametrize("at", [0, 5])
def test_a_wrong_bit_in_the_first_byte_of_a_cell_makes_no_good_packet(at: int) -> None:
    for data in with_a_wrong_bit(at):
        flits, _, packets, cells = received([*data, *BYTES])
        good = [flit for flit in flits if flit[2] and not flit[3] >> 16]
        # At most the packet behind the one that was hit, and the hit is told.
        assert len(good) <= 1
        assert packets + cells > 0
        assert flits[-2:] == [HEAD, TAIL] or not good


@pytest.mark.parametrize("at", [*range(1, 5), *range(6, 10)])
def test_every_wrong_bit_of_a_packet_is_seen(at: int) -> None:
    for data in with_a_wrong_bit(at):
        flits, credits, packets, cells = received(data)
        assert (len(flits), credits, packets, cells) == (2, [], 1, 0)
        assert flits[1][3] >> 16 == 0xFFFF


def test_packets_on_two_channels_have_their_own_crcs() -> None:
    other = [(1, 1, 0, 0xDDCCBBAA), (1, 0, 1, 0x0201)]
    crc = bitwise([0b001_0_1_1, 0xAA, 0xBB, 0xCC, 0xDD, 0b001_1_0_1, 0x01, 0x02])
    assert sent([HEAD, other[0], TAIL, other[1]]) == [
        *BYTES[:5], 0b001_0_1_1, 0xAA, 0xBB, 0xCC, 0xDD,
        *BYTES[5:], 0b001_1_0_1, 0x01, 0x02, crc & 0xFF, crc >> 8,
    ]  # fmt: skip


def test_credits_of_several_channels_share_a_byte_and_go_first() -> None:
    # Bit 0 says that they are credits; those of the second clock wait for the byte of the first.
    data = sent([HEAD, TAIL], credits=[0b101, 0b001])
    assert [byte for byte in data if not byte & 1][:2] == [0b0001010, 0b0000010]
    assert len(data) == len(BYTES) + 2
    assert received([0b0001010, 0b0000010]) == ([], [0b101, 0b001], 0, 0)


@pytest.mark.parametrize(
    "byte", [0b01_000_1_1_1, 0b10_000_1_1_1, 0b011_1_1_1, 0, 0b1_0000, 0b1001_0]
)
def test_a_byte_that_begins_no_cell_is_told_and_dropped(byte: int) -> None:
    assert received([byte, *BYTES]) == ([HEAD, TAIL], [], 0, 1)


def test_bytes_wait_for_the_link() -> None:
    link = OneLink(channels=1, depth=4, flit_width=24)
    for clock in range(5):
        link.send((0, 1, 1, 0x42) if clock == 0 else None, 0, ready=False)
    assert (link.sender.valid, link.sender.byte) == (True, 0b111)


# Frames of bytes as packets of such flits.


def test_a_frame_is_route_length_payload_zeros_and_status() -> None:
    # 9 bits of header are two bytes of ROUTE, the lower one first.
    assert packet(0x105, 9, b"\xaa\xbb", 32) == [0xAA020105, 0x000000BB]
    assert packet(0x105, 9, b"\xaa", 32) == [0xAA010105, 0]  # no room for the status in the first
    assert packet(0x5, 7, b"", 32) == [0x00000005]
    assert packet(0x5, 7, b"\x11", 40) == [0x00_00_11_01_05]


@given(
    header_width=st.integers(1, 24),
    size=st.integers(5, 7),
    payload=st.binary(max_size=255),
    data=st.data(),
)
def test_what_is_packed_comes_out(
    header_width: int, size: int, payload: bytes, data: st.DataObject
) -> None:
    header = data.draw(st.integers(0, (1 << header_width) - 1))
    flits = packet(header, header_width, payload, 8 * size)
    assert flits[0] & ((1 << header_width) - 1) == header
    assert flits[-1] >> 8 * size - 16 == 0
    assert len(flits) == -(-((header_width + 7) // 8 + 1 + len(payload) + 2) // size)
    status = data.draw(st.integers(0, 0xFFFF))
    flits[-1] |= status << 8 * size - 16
    assert frame(flits, header_width, 8 * size) == (payload, status)


def test_a_frame_has_at_most_255_bytes() -> None:
    with pytest.raises(ValueError, match=r"^Frame needs a payload of at most 255 bytes, not 256$"):
        packet(0, 8, bytes(256), 32)


def test_a_length_that_was_hit_is_seen() -> None:
    message = "Frame of 8 bytes cannot have 5 of payload"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        frame([0x00000500, 0], 8, 32)


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


def test_refuses_a_glitch_anywhere_in_a_byte() -> None:
    for clock in range(11 * N):
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


class OneLink:
    """A sender and a receiver that nothing joins.

    Attributes
    ----------
    sender, receiver : records
        See `fingerpost.golden.link.cells`.
    """

    def __init__(self, *, channels: int, depth: int, flit_width: int) -> None:
        shape = {"channels": channels, "depth": depth, "flit_width": flit_width}
        links, state = cell_start(OsLinkParameters(), 1, 1, **shape)
        self.config: Any = SimpleNamespace(channels=channels, links=view(links))
        self.state = view(_first(state))
        self.sender, self.receiver = self.state.sender[0], self.state.receiver[0]
        self._written = 0

    def send(self, flit: Flit | None, credits: int, *, ready: bool) -> None:
        """Go through a clock edge of the sender.

        `credits` are the channels of those that a router gives back, as a mask; `ready`: the
        OS-Link takes the byte.
        """
        if flit is not None:
            row = self.state.row[self._written % self.config.links.rows]
            row.channel, row.head, row.tail, row.data = flit
            self._written += 1
            self.sender.pushed = True
        self.sender.returned = credits
        cells.step_sender(0, ready, self.config, self.state)
        if self.sender.gone:  # it has arrived
            self.sender.gone, self.sender.read = 0, (self.sender.read + 1) % self.config.links.rows

    def receive(self, byte: int, valid: bool) -> None:
        """Go through a clock edge of the receiver, with a byte if `valid`."""
        cells.step_receiver(0, byte, valid, self.config, self.state)

    @property
    def arrived(self) -> Flit | None:
        """Return the flit that arrives in this clock."""
        r = self.receiver
        data = cells.arrived_data(0, self.config, self.state)
        return (r.channel, int(r.head), int(r.tail), data) if r.arrived else None

    @property
    def bad_packet(self) -> bool:
        """Return whether the tail that arrives is of a packet in which something was wrong."""
        return cells.is_bad_packet(0, self.config, self.state)


def _first(part: Any) -> Any:
    """Return the arrays of the only run."""
    return type(part)(*map(_first, part)) if isinstance(part, tuple) else part[0]

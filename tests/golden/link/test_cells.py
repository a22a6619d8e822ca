"""Cells by the text of fingerpost.golden.link.cells: bytes written out by hand, CRCs bit by bit."""

from collections.abc import Iterable

import pytest

from fingerpost.golden.link.cells import crc16
from tests.golden.link.one_link import Flit, OneLink


def bitwise(data: Iterable[int]) -> int:
    """Return the CRC-16 of bytes, a bit at a time: polynomial 0x1021, all ones at the start."""
    crc = 0xFFFF
    for byte in data:
        for bit in reversed(range(8)):
            feedback = (crc >> 15) ^ (byte >> bit & 1)
            crc = (crc << 1 & 0xFFFF) ^ (0x1021 if feedback else 0)
    return crc


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


@pytest.mark.parametrize("at", [0, 5])
@pytest.mark.parametrize("bit", range(8))
def test_a_wrong_bit_in_the_first_byte_of_a_cell_makes_no_good_packet(at: int, bit: int) -> None:
    data = [byte ^ (i == at) << bit for i, byte in enumerate(BYTES)]
    flits, _, packets, cells = received([*data, *BYTES])
    good = [flit for flit in flits if flit[2] and not flit[3] >> 16]
    # At most the packet behind the one that was hit, and the hit is told.
    assert len(good) <= 1
    assert packets + cells > 0
    assert flits[-2:] == [HEAD, TAIL] or not good


@pytest.mark.parametrize("at", [*range(1, 5), *range(6, 10)])
@pytest.mark.parametrize("bit", range(8))
def test_every_wrong_bit_of_a_packet_is_seen(at: int, bit: int) -> None:
    data = [byte ^ (i == at) << bit for i, byte in enumerate(BYTES)]
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


@pytest.mark.parametrize("bit", range(8))
def test_a_packet_of_one_flit_whose_first_byte_is_hit_is_not_good(bit: int) -> None:
    data = sent([(0, 1, 1, 0xABCD)])
    flits, _, packets, cells = received([data[0] ^ 1 << bit, *data[1:]])
    assert not [flit for flit in flits if flit[2] and not flit[3] >> 16]
    # Without its tail bit it is a packet that goes on, which the next one makes bad.
    assert packets + cells > 0 or flits[0][2] == 0

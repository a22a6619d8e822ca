import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.link.frame_packet import frame, packet


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

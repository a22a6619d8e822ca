import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.link.frame import (
    Frame,
    FrameReader,
    FrameRelay,
    FrameWriter,
    Token,
    crc,
    decode,
    encode,
    frames,
)


def divided(data: bytes) -> int:
    """Return the CRC by long division of polynomials, a bit at a time."""
    remainder = 0xFFFF
    for bit in (byte >> place & 1 for byte in data for place in range(7, -1, -1)):
        remainder ^= bit << 15
        remainder = (remainder << 1 & 0xFFFF) ^ (0x1021 if remainder >> 15 else 0)
    return remainder


ROUTES = st.binary(min_size=1, max_size=3)


def test_crc_is_the_published_one() -> None:
    assert crc(b"123456789") == 0x29B1
    assert crc(b"") == 0xFFFF
    assert crc(b"A") == 0xB915  # a single byte, for which others give this value too


@given(st.binary(max_size=300))
def test_crc_is_the_remainder_of_a_division(data: bytes) -> None:
    assert crc(data) == divided(data)


def test_frame_is_laid_out_as_specified() -> None:
    # The check value, found in a frame: 123456 is ROUTE, 7 is LEN (0x37 = 55), then the payload.
    frame = encode(b"123456", b"89" + bytes(53))
    assert frame[:9] == b"123456789"
    assert len(frame) == 6 + 1 + 55 + 2
    low, high = frame[-2:]
    assert divided(frame[:-2]) == low + 256 * high
    assert encode(b"\x12\x34", b"")[:3] == b"\x12\x34\x00"
    assert len(encode(b"\x00\x00", bytes(16))) == 21  # docs/design/os-link-internals.md: 16/21


@pytest.mark.parametrize("length", [0, 1, 2, 254, 255])
@pytest.mark.parametrize("route_bytes", [1, 2, 3])
def test_every_length_comes_back(length: int, route_bytes: int) -> None:
    rng = random.Random(length)
    route, payload = rng.randbytes(route_bytes), rng.randbytes(length)
    frame = encode(route, payload)
    assert len(frame) == route_bytes + 1 + length + 2
    assert decode(frame, route_bytes) == [Frame(route, payload)]


@given(ROUTES.flatmap(lambda r: st.lists(st.tuples(st.just(r), st.binary(max_size=40)))))
def test_frames_come_back_from_a_sequence(sent: list[tuple[bytes, bytes]]) -> None:
    data = b"".join(encode(*each) for each in sent)
    assert decode(data, len(sent[0][0]) if sent else 1) == [Frame(*each) for each in sent]


@given(ROUTES, st.binary(max_size=40), st.data())
def test_no_burst_of_up_to_16_bits_passes(
    route: bytes, payload: bytes, draw: st.DataObject
) -> None:
    """A CRC of 16 bits finds every burst of at most 16; LEN is left alone, as it moves the CRC."""
    frame = encode(route, payload)
    # On the way through the division a byte goes high bit first, the CRC's low byte last.
    line = frame[:-2] + frame[:-3:-1]
    number = int.from_bytes(line, "big")
    burst = draw.draw(st.integers(1, 0xFFFF))
    place = draw.draw(st.integers(0, 8 * len(line) - 16))
    hit = (number ^ burst << place).to_bytes(len(line), "big")
    if hit[len(route)] == len(payload):
        (got,) = decode(hit[:-2] + hit[:-3:-1], len(route))
        assert not got.good


def test_poison_is_the_complement_and_never_good() -> None:
    good, bad = encode(b"\x01", b"xyz"), encode(b"\x01", b"xyz", poison=True)
    assert bad[:-2] == good[:-2]
    assert [a ^ b for a, b in zip(good[-2:], bad[-2:], strict=True)] == [0xFF, 0xFF]
    assert decode(bad, 1) == [Frame(b"\x01", b"xyz", good=False)]


def spoilt(frame: bytes, place: int, bit: int) -> bytes:
    return bytes(byte ^ (1 << bit) * (at == place) for at, byte in enumerate(frame))


@pytest.mark.parametrize("rewrite", [bytes, lambda route: bytes(255 - byte for byte in route)])
def test_bad_frame_stays_bad_through_relays_whatever_the_bit(rewrite: object) -> None:
    frame = encode(b"\x05\x06", b"payload")
    for place in (p for p in range(len(frame)) if p != 2):
        for bit in range(8):
            data = spoilt(frame, place, bit)
            for _ in range(4):
                relay = FrameRelay(2, rewrite=rewrite)  # type: ignore[arg-type]
                data = b"".join(relay.push(byte) for byte in data)
                assert len(data) == len(frame)
                covered, came = data[:-2], int.from_bytes(data[-2:], "little")
                assert came == divided(covered) ^ 0xFFFF  # poison, at every hop
                assert [got.good for got in decode(data, 2)] == [False]


def test_relay_rewrites_route_and_renews_the_crc() -> None:
    relay = FrameRelay(2, rewrite=lambda route: bytes([route[0] - 1, route[1]]))
    data = b"".join(relay.push(byte) for byte in encode(b"\x05\x06", b"on") * 2)
    assert data == encode(b"\x04\x06", b"on") * 2


def test_relay_sends_a_byte_when_it_is_there_and_the_crc_at_the_end() -> None:
    frame = encode(b"\x05\x06", b"on")
    relay = FrameRelay(2)
    assert [len(relay.push(byte)) for byte in frame] == [0, 2, 1, 1, 1, 0, 2]


def test_store_and_forward_sends_whole_frames_and_drops_bad_ones() -> None:
    good, bad = encode(b"\x05\x06", b"on"), encode(b"\x05\x06", b"on", poison=True)
    relay = FrameRelay(2, store=True)
    sent = [relay.push(byte) for byte in good + bad + good]
    assert [(at, data) for at, data in enumerate(sent) if data] == [(6, good), (20, good)]


def test_lost_counts_frames_that_are_neither_good_nor_poison() -> None:
    reader = FrameReader(1)
    for data in (encode(b"\x01", b"ab"), encode(b"\x01", b"ab", poison=True)):
        for byte in data:
            reader.push(byte)
    assert reader.lost == 0
    for byte in spoilt(encode(b"\x01", b"ab"), 2, 0):
        reader.push(byte)
    assert reader.lost == 1


def test_reader_fills_what_a_reset_cuts_off() -> None:
    """R + 1 + LEN bytes and a bad end, wherever it was cut; then a good frame."""
    frame = encode(b"\x05\x06", b"abc")
    for begun in range(len(frame) + 1):
        reader = FrameReader(2)
        tokens = [token for byte in frame[:begun] for token in reader.push(byte)]
        tokens += reader.reset()
        tokens += [token for byte in frame for token in reader.push(byte)]
        got = list(frames(tokens, 2))
        if begun in {0, len(frame)}:
            assert got == [Frame(b"\x05\x06", b"abc")] * (2 if begun else 1)
            continue
        length = 3 if begun > 2 else 0
        kept = frame[: min(begun, 6)] + bytes(max(0, 2 + 1 + length - begun))
        assert got == [Frame(kept[:2], kept[3:], good=False), Frame(b"\x05\x06", b"abc")]
        assert reader.lost == 0  # where frames start is known


def test_writer_gives_up_a_frame_and_begins_the_next() -> None:
    tokens = [Token(byte) for byte in b"\x07\x02ab"] + [Token(last=True)]
    for before in range(len(tokens) + 1):
        writer = FrameWriter()
        sent = b"".join(writer.push(token) for token in tokens[:before])
        writer.reset()
        rest = b"".join(writer.push(token) for token in tokens[before:])
        whole = encode(b"\x07", b"ab")
        assert (sent, rest) == ((b"", whole) if before == 0 else (whole[:before], b"")) or (
            before == len(tokens) and (sent, rest) == (whole, b"")
        )
        assert b"".join(writer.push(token) for token in tokens) == whole


def test_reader_finds_back_by_itself_but_only_by_chance() -> None:
    """A hit LEN: bytes of other frames are taken for payload, and all that is good is true."""
    rng = random.Random(1)
    sent = [(b"\x01\x02", rng.randbytes(rng.randrange(20))) for _ in range(400)]
    encoded = [encode(*each) for each in sent]
    data = b"".join([spoilt(encoded[0], 2, 4), *encoded[1:]])
    got = decode(data, 2)
    good = [frame for frame in got if frame.good]
    assert not got[0].good
    # Whatever passes was sent, in this order, and the end of the sequence comes through.
    assert good == [Frame(*each) for each in sent[-len(good) :]]
    assert 0 < len(good) < 390  # what looks like LEN there is 128 on average: it takes long


@pytest.mark.parametrize("route_bytes", [0, -1])
def test_refuses_an_empty_route(route_bytes: int) -> None:
    message = f"Frame needs a ROUTE of at least 1 byte, not {route_bytes}"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        FrameReader(route_bytes)


def test_refuses_a_long_payload() -> None:
    message = r"^Frame needs a payload of at most 255 bytes, not 256$"
    with pytest.raises(ValueError, match=message):
        encode(b"\x00", bytes(256))

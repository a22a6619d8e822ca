import random
import re

import pytest
from amaranth import Elaboratable, Module

from fingerpost.golden.link.frame import Frame, Token, decode, encode, frames
from fingerpost.golden.link.frame import FrameReader as GoldenReader
from fingerpost.golden.link.frame import FrameRelay as GoldenRelay
from fingerpost.hdl.link.frame import FrameReader, FrameWriter
from fingerpost.hdl.link.frame_relay import FrameRelay, FrameStore
from fingerpost.testbench.context import Context
from tests.hdl.link.frame_bench import as_token, transfers

STALLS = [(0.0, 0.0), (0.5, 0.0), (0.0, 0.5), (0.3, 0.7)]
CUT = {"store": False, "rewrite": False}
KINDS = [CUT, {"store": True, "rewrite": False}, {"store": False, "rewrite": True}]
KINDS.append({"store": True, "rewrite": True})


class Rewriting(Elaboratable):
    """A relay that inverts ROUTE, if it can."""

    def __init__(self, route_bytes: int, **kind: bool) -> None:
        self.relay = FrameRelay(route_bytes, **kind)
        self.i, self.o, self.lost = self.relay.i, self.relay.o, self.relay.lost

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.relay = relay = self.relay
        if relay.rewrite:
            m.d.comb += relay.route_out.eq(~relay.route_in)  # type: ignore[attr-defined]
        return m


def inverted(route: bytes) -> bytes:
    return bytes(255 - byte for byte in route)


def sequence(seed: int, route_bytes: int, lengths: list[int], spoil: float = 0.3) -> bytes:
    """Return frames back to back: whole, poison, or with one bit wrong, but not in LEN."""
    rng = random.Random(seed)
    data = b""
    for length in lengths:
        route, payload = rng.randbytes(route_bytes), rng.randbytes(length)
        frame = bytearray(encode(route, payload, poison=rng.random() < spoil))
        place = rng.randrange(len(frame))
        if rng.random() < spoil and place != route_bytes:
            frame[place] ^= 1 << rng.randrange(8)
        data += frame
    return data


@pytest.mark.parametrize("stalls", STALLS)
@pytest.mark.parametrize("route_bytes", [1, 2, 3])
def test_reader_is_its_twin(route_bytes: int, stalls: tuple[float, float]) -> None:
    lengths = [0, 1, 0, 0, 5, 17, 2, 255, 0, 9]
    data = sequence(route_bytes, route_bytes, lengths)
    twin = GoldenReader(route_bytes)
    expected = [token for byte in data for token in twin.push(byte)]
    assert sum(token.last for token in expected) == len(lengths)
    lost = 0
    reader = FrameReader(route_bytes)

    def count(ctx: Context, _clock: int) -> None:
        nonlocal lost
        lost += ctx.get(reader.lost)

    seen, _ = transfers(reader, data, expected=len(expected), stalls=stalls, resets=count)
    assert [as_token(each) for each in seen] == expected
    assert lost == twin.lost > 0


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: "-".join(k for k in kind if kind[k]))
@pytest.mark.parametrize("route_bytes", [1, 2, 3])
def test_relay_is_its_twin(route_bytes: int, kind: dict[str, bool]) -> None:
    data = sequence(route_bytes + 10, route_bytes, [0, 1, 30, 0, 3, 255, 0, 2, 2, 8])
    for seed, stalls in enumerate(STALLS if route_bytes == 2 else STALLS[3:]):
        twin = GoldenRelay(
            route_bytes, store=kind["store"], rewrite=inverted if kind["rewrite"] else bytes
        )
        expected = b"".join(twin.push(byte) for byte in data)
        relay = Rewriting(route_bytes, **kind)
        seen, _ = transfers(relay, data, expected=len(expected), stalls=stalls, seed=seed)
        assert bytes(seen) == expected
        good = [frame for frame in decode(data, route_bytes) if frame.good]
        passed = [frame for frame in decode(bytes(seen), route_bytes) if frame.good]
        assert 2 <= len(good) < 10
        assert [frame.payload for frame in passed] == [frame.payload for frame in good]


@pytest.mark.parametrize("length", [0, 1, 255])
def test_bad_frame_stays_bad_through_three_relays(length: int) -> None:
    good, bad = (encode(b"\x01\x02", bytes(length), poison=poison) for poison in (False, True))
    hit = bytes([bad[0] ^ 4]) + good[1:]
    data = good + hit + good + bad + good
    for _ in range(3):
        seen, _ = transfers(FrameRelay(2), data, expected=len(data))
        data = bytes(seen)
        assert [frame.good for frame in decode(data, 2)] == [True, False, True, False, True]
    assert data == good + encode(hit[:2], bytes(length), poison=True) + good + bad + good


def test_byte_passes_in_its_clock_and_the_crc_a_byte_later() -> None:
    data = encode(b"\x01\x02", b"abc")
    _, clocks = transfers(FrameRelay(2), data, expected=len(data))
    # The new CRC waits for the second byte of the old one and goes out in the clock after it.
    assert clocks == len(data) + 2


def test_store_holds_two_frames_of_the_longest_kind() -> None:
    """The next frame comes in, whole, before the first byte of the one before is taken."""
    frame = encode(b"\x01\x02", bytes(range(250)))
    taken = 0
    store = FrameStore()

    def hold(ctx: Context, clock: int) -> None:
        nonlocal taken
        ctx.set(store.o.ready, clock > 600)
        taken += clock <= 600 and bool(ctx.get(store.i.ready & store.i.valid))

    reader = GoldenReader(2)
    tokens = [token for byte in frame * 3 for token in reader.push(byte)]
    items = [{"data": t.data, "last": t.last, "bad": t.bad} for t in tokens]
    seen, _ = transfers(store, items, expected=len(items), resets=hold)
    assert taken == 511
    assert [as_token(each) for each in seen] == tokens


def test_reader_fills_what_a_reset_cuts_off() -> None:
    """The reset comes when all bytes are taken: then the twin tells what must come."""
    frame = encode(b"\x05\x06", b"abc")
    for begun in range(len(frame) + 1):
        twin, reader = GoldenReader(2), FrameReader(2)
        expected = [token for byte in frame[:begun] for token in twin.push(byte)]
        expected += twin.reset()
        # What follows starts with the byte that would make the CRC right.
        follows = encode(frame[-1:] + b"\x06", b"abc")
        expected += [token for byte in follows for token in twin.push(byte)]
        lost = 0

        def reset(ctx: Context, clock: int, reader=reader, begun=begun) -> None:  # type: ignore
            nonlocal lost
            lost += ctx.get(reader.lost)
            at = begun + (begun == len(frame))  # a token is given before
            ctx.set(reader.reset, clock == at)

        seen, _ = transfers(reader, frame[:begun] + follows, expected=len(expected), resets=reset)
        assert [as_token(each) for each in seen] == expected
        assert lost == 0


def test_reader_keeps_its_word_whenever_resets_come() -> None:
    """Every frame has R + 1 + LEN bytes and one end; good ones were sent, as they are."""
    found = [good_and_bad_with_resets(seed) for seed in range(6)]
    assert sum(good for good, _ in found) >= 50
    assert sum(bad for _, bad in found) >= 20


def good_and_bad_with_resets(seed: int) -> tuple[int, int]:
    rng = random.Random(seed)
    sent = [(rng.randbytes(2), rng.randbytes(rng.randrange(6))) for _ in range(60)]
    data = b"".join(encode(*each) for each in sent)
    reader = FrameReader(2)

    def reset(ctx: Context, _clock: int) -> None:
        ctx.set(reader.reset, rng.random() < 0.01)

    seen, _ = transfers(reader, data, expected=0, stalls=(0.2, 0.2), seed=seed, resets=reset)
    tokens = [as_token(each) for each in seen]
    while tokens and not tokens[-1].last:
        tokens.pop()
    begun = 0
    for at, token in enumerate(tokens):
        if token.last:
            frame = tokens[begun:at]
            assert len(frame) == 2 + 1 + frame[2].data
            begun = at + 1
    got = list(frames(tokens, 2))
    good = [(frame.route, frame.payload) for frame in got if frame.good]
    rest = iter(sent)
    assert all(frame in rest for frame in good)  # in the order they were sent
    return len(good), len(got) - len(good)


@pytest.mark.parametrize("at", range(9))
def test_writer_gives_up_a_frame_and_begins_the_next(at: int) -> None:
    """A reset before clock `at` of 7 in which a byte goes out, then one frame more."""
    whole = encode(b"\x07", b"abc")
    items = [{"data": byte} for byte in whole[:-2]] + [{"last": 1}]
    writer = FrameWriter()

    def reset(ctx: Context, clock: int) -> None:
        ctx.set(writer.reset, clock == at)

    between = at in {0, 7}
    kept = len(whole) if between else min(at, 7)
    again = at == 8  # the second frame has sent a byte: it is given up
    expected = whole[:kept] + whole if not again else whole + whole[:1]
    seen, _ = transfers(writer, items * 2, expected=len(expected), resets=reset)
    assert bytes(seen) == expected


def test_poison_is_decided_once_whatever_a_reset_does() -> None:
    """A break on the way in, between the two bytes of the CRC: both are of one kind."""
    frame = encode(b"\x01\x02", b"ab")
    for at in range(12):
        relay = FrameRelay(2)

        def reset(ctx: Context, clock: int, relay=relay, at=at) -> None:  # type: ignore
            ctx.set(relay.i_reset, clock == at)

        # What follows the break starts with a frame.
        seen, _ = transfers(relay, frame, expected=0, resets=reset, stalls=(0.0, 0.3), seed=at)
        for got in decode(bytes(seen), 2):
            assert got in (
                Frame(b"\x01\x02", b"ab"),
                Frame(got.route, got.payload, good=False),
            )
        twin = GoldenReader(2)
        for byte in seen:
            twin.push(byte)
        assert twin.lost == 0


@pytest.mark.parametrize("route_bytes", [0, -1])
def test_refuses_an_empty_route(route_bytes: int) -> None:
    message = f"Frame needs a ROUTE of at least 1 byte, not {route_bytes}"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        FrameRelay(route_bytes)


@pytest.mark.parametrize("depth", [0, 1, 3, 500])
def test_refuses_a_store_that_is_no_ring(depth: int) -> None:
    message = f"FrameStore needs a depth that is a power of two, not {depth}"
    with pytest.raises(ValueError, match=f"^{message}$"):
        FrameStore(depth)


def test_bad_len_spoils_nothing_but_frames() -> None:
    """A LEN that is hit, larger or smaller: no frame that was not sent passes for good."""
    rng = random.Random(5)
    sent = [encode(b"\x01", rng.randbytes(rng.randrange(8))) for _ in range(150)]
    for bit in range(8):
        hit = bytearray(sent[0])
        hit[1] ^= 1 << bit
        data = bytes(hit) + b"".join(sent[1:])
        twin = GoldenReader(1)
        expected = [token for byte in data for token in twin.push(byte)]
        seen, _ = transfers(FrameReader(1), data, expected=len(expected))
        tokens: list[Token] = [as_token(each) for each in seen]
        assert tokens == expected
        good = [encode(f.route, f.payload) for f in frames(tokens, 1) if f.good]
        rest = iter(sent)
        assert all(frame in rest for frame in good)
        assert len(good) < len(sent)

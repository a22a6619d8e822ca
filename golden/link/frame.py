"""Frames of bytes over links that know no end of a message; the twin of fingerpost.hdl.link.frame.

A frame is ROUTE, LEN, PAYLOAD and a CRC, low byte first. These models know
no clock: the same bytes go in and come out as in hardware, whenever that is.
"""

from binascii import crc_hqx
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

__all__ = [
    "CRC_BYTES",
    "LONGEST",
    "Frame",
    "FrameReader",
    "FrameRelay",
    "FrameWriter",
    "Token",
    "crc",
    "decode",
    "encode",
    "frames",
]

Rewrite = Callable[[bytes], bytes]

CRC_BYTES = 2

LONGEST = 255
"""Bytes of payload that LEN can tell."""


def crc(data: bytes) -> int:
    """Return the CRC-16 of the bytes: 0x1021, starts as 0xFFFF, nothing reflected."""
    return crc_hqx(data, 0xFFFF)


def encode(route: bytes, payload: bytes, *, poison: bool = False) -> bytes:
    """Return a frame.

    Parameters
    ----------
    poison : bool
        Give it the complement of its CRC: the frame was bad where it came from.

    Raises
    ------
    ValueError
        If the payload is too long.
    """
    if len(payload) > LONGEST:
        raise ValueError(f"Frame needs a payload of at most {LONGEST} bytes, not {len(payload)}")
    covered = route + bytes([len(payload)]) + payload
    return covered + (crc(covered) ^ (0xFFFF * poison)).to_bytes(CRC_BYTES, "little")


@dataclass(frozen=True)
class Frame:
    """A frame that has come to its end.

    Attributes
    ----------
    route, payload : bytes
    good : bool
        Its CRC fits.
    """

    route: bytes
    payload: bytes
    good: bool = True


@dataclass(frozen=True)
class Token:
    """What a reader gives: a byte of the frame, or its end.

    Attributes
    ----------
    data : int
        A byte of ROUTE, LEN or PAYLOAD; 0 at the end.
    last : bool
        The frame is over.
    bad : bool
        It did not come as it was sent.
    """

    data: int = 0
    last: bool = False
    bad: bool = False


class FrameReader:
    """Bytes to frames, one byte at a time.

    A frame that was begun is always R + 1 + LEN bytes and an end, come what may: what is behind a
    reader never has to find out where frames start.

    Parameters
    ----------
    route_bytes : int
        The length of ROUTE, 1 or more.

    Attributes
    ----------
    lost : int
        Frames whose CRC was neither right nor the complement of that. Perhaps LEN was wrong, and
        what seems to be the next frame starts somewhere else.

    Raises
    ------
    ValueError
        If ROUTE has no byte.
    """

    def __init__(self, route_bytes: int) -> None:
        if route_bytes < 1:
            raise ValueError(f"Frame needs a ROUTE of at least 1 byte, not {route_bytes!r}")
        self.route_bytes, self.lost = route_bytes, 0
        self.frame = bytearray()

    @property
    def covered(self) -> int | None:
        """Return the bytes before the CRC, as far as known."""
        known = len(self.frame) > self.route_bytes
        return self.route_bytes + 1 + self.frame[self.route_bytes] if known else None

    def push(self, byte: int) -> list[Token]:
        """Take a byte, return what comes out."""
        self.frame.append(byte)
        covered = self.covered
        if covered is None or len(self.frame) <= covered:
            return [Token(byte)]
        if len(self.frame) < covered + CRC_BYTES:
            return []
        came = int.from_bytes(self.frame[covered:], "little")
        wrong = came ^ crc(bytes(self.frame[:covered]))
        self.lost += wrong not in {0, 0xFFFF}
        self.frame.clear()
        return [Token(last=True, bad=wrong != 0)]

    def reset(self) -> list[Token]:
        """Take the next byte for the first of a frame; fill one that was begun with zeros."""
        if not self.frame:
            return []
        begun = len(self.frame)
        covered = self.covered or self.route_bytes + 1
        self.frame.clear()
        return [Token()] * (covered - begun) + [Token(last=True, bad=True)]


class FrameWriter:
    """Frames to bytes, with a new CRC, or poison instead."""

    def __init__(self) -> None:
        self.frame = bytearray()
        self.drops = False

    def push(self, token: Token) -> bytes:
        """Take what a reader gives, return what comes out."""
        if not token.last:
            self.frame.append(token.data)
            return b"" if self.drops else bytes([token.data])
        due = crc(bytes(self.frame)) ^ (0xFFFF * token.bad)
        dropped, self.drops = self.drops, False
        self.frame.clear()
        return b"" if dropped else due.to_bytes(CRC_BYTES, "little")

    def reset(self) -> None:
        """Send nothing more of a frame that was begun: the next byte is the first of a frame."""
        self.drops = bool(self.frame)


class FrameRelay:
    """Bytes in, bytes out: a reader, what may become of ROUTE, and a writer.

    Parameters
    ----------
    route_bytes : int
    store : bool
        Send a frame when all of it is there, and only if it is good.
    rewrite : callable, optional
        What becomes of ROUTE, of the same length.
    """

    def __init__(self, route_bytes: int, *, store: bool = False, rewrite: Rewrite = bytes) -> None:
        self.reader, self.writer = FrameReader(route_bytes), FrameWriter()
        self.store, self.rewrite = store, rewrite
        self.frame: list[Token] = []

    def push(self, byte: int) -> bytes:
        """Take a byte, return what comes out."""
        return self._pass(self.reader.push(byte))

    def reset(self) -> bytes:
        """Give up what came in of a frame, as a reader does; return what comes out."""
        return self._pass(self.reader.reset())

    def _pass(self, tokens: list[Token]) -> bytes:
        sent = b""
        for token in tokens:
            self.frame.append(token)
            count, route_bytes = len(self.frame), self.reader.route_bytes
            if count == route_bytes:
                route = self.rewrite(bytes(each.data for each in self.frame))
                self.frame = [Token(each) for each in route]
            if token.last:
                whole = self.frame if self.store else [token]
                self.frame = []
                gone = whole if not (self.store and token.bad) else []
            elif count < route_bytes or self.store:
                continue
            else:
                gone = self.frame if count == route_bytes else [token]
            sent += b"".join(self.writer.push(each) for each in gone)
        return sent


def decode(data: Iterable[int], route_bytes: int) -> list[Frame]:
    """Return the frames that end in a sequence of bytes, bad ones too."""
    reader = FrameReader(route_bytes)
    return list(frames((token for byte in data for token in reader.push(byte)), route_bytes))


def frames(tokens: Iterable[Token], route_bytes: int) -> Iterator[Frame]:
    """Return the frames that end in what a reader gives."""
    data = bytearray()
    for token in tokens:
        if token.last:
            route, payload = bytes(data[:route_bytes]), bytes(data[route_bytes + 1 :])
            yield Frame(route, payload, good=not token.bad)
            data.clear()
        else:
            data.append(token.data)

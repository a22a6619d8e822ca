"""Messages: what a program writes to the OS-Link of a terminal, and what it reads there."""

from fingerpost.golden.counters import Counter
from fingerpost.golden.terminal.beat import REFUSED

MOST_NODES = 1 << 16
"""A number of a node has two bytes."""

LONGEST = (1 << 16) - 1
"""Bytes of data in a message: their count has two bytes."""

EXPIRED = Counter("expired", 8, "messages of terminal v abandoned by the time-out")
LOST = Counter("lost", 8, "messages for terminal v dropped or truncated by the time-out")
FLAWS = Counter("flaws", 8, "errors on the link of terminal v")
MESSAGE_COUNTERS = REFUSED, EXPIRED, LOST, FLAWS

FORMAT = {
    "sent": "destination (2 bytes), length (2 bytes), data (length bytes)",
    "received": "source (2 bytes), length (2 bytes), data (length bytes), status (1 byte)",
    "numbers": "the lower byte first",
    "status": "0, or 1 if the message is bad: cut, or damaged on its way",
}
"""What is on the wires of a terminal, in words."""


LENGTH, DATA = 2, 4
"""The places in a message at which its length begins, and its data."""

SOURCE_LOW, SOURCE_HIGH, LENGTH_LOW, LENGTH_HIGH, BODY, STATUS = range(6)
"""What byte of a message comes next."""


def send(destination: int, data: bytes) -> bytes:
    """Return the bytes that a terminal sends.

    Examples
    --------
    >>> send(12, b"hi").hex(" ")
    '0c 00 02 00 68 69'
    """
    return destination.to_bytes(2, "little") + len(data).to_bytes(2, "little") + data

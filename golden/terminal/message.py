"""Messages: what a program writes to the OS-Link of a terminal, and what it reads there.

Messages become packets: their length and data are beats, their destination is tdest. One beat is
gathered; no byte is taken while it waits. A message of which nothing comes for `timeout` clocks is
given up: if some of it has gone, the packet is closed with an error mark and a byte 0, and what
comes then is a new message.

Packets become messages: the source, the length and data that they hold, and a status. A message
always has as many bytes as its length says: zeros stand for what does not come, and what is too
much is dropped. Its status is 1 then, as where the packet has an error mark.

A terminal that takes no byte for `timeout` clocks is `dead` until it takes one: what comes for it
is dropped and counted, and of a message of which it has some the rest is zeros.
"""

from typing import Any

from fingerpost.golden.counters import Counter
from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.router.records import record
from fingerpost.golden.terminal.beat import REFUSED
from fingerpost.golden.terminal.state import OsLinkConfig

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


MESSAGE_SENDER = record(
    int64="data",
    int32="place dest left filled quiet expired tag",
    bool="too_long full last bad begun closing expires closes",
)
"""The place of the next byte in its message, and the beat that is gathered, if it is `full`.

`expired` counts the messages that were given up, up to what the counter holds. `expires` and
`closes`: in the clock before a message was given up, and some of it had gone.
"""

MOST_EXPIRED = EXPIRED.most


@compiled
def is_ready(sender: Any) -> bool:
    """Return whether a byte would be taken."""
    return not sender.full and not sender.closing


@compiled
def is_stranger(sender: Any, config: OsLinkConfig) -> bool:
    """Return whether the packet has no destination, whatever the table has for `dest`."""
    return sender.too_long or sender.dest >> config.number > 0  # type: ignore[no-any-return]


@compiled
def step_message_sender(
    sender: Any, byte: int, valid: bool, ready: bool, tag: int, config: OsLinkConfig
) -> None:
    """Go through a clock edge.

    Parameters
    ----------
    byte, valid : int, bool
        A byte, if there is one.
    ready : bool
        tready.
    tag : int
        Of the message that the byte is of.
    """
    place, full = sender.place, sender.full
    waits = place != 0 and not valid
    expires = waits and config.timeout > 0 and sender.quiet == config.timeout
    takes, leaves = valid and is_ready(sender), full and ready
    sender.expires, sender.closes = expires, expires and sender.begun
    closes = sender.closing and not full
    length = sender.left & 0xFF | byte << 8
    final = takes and ((place == DATA - 1 and length == 0) or (place == DATA and sender.left == 1))
    carried = takes and place >= LENGTH
    fills = carried and (final or sender.filled == config.fields.bytes - 1)
    if config.timeout > 0:
        sender.quiet = min(sender.quiet + 1, config.timeout) if waits and not expires else 0
    if expires:
        sender.expired = min(sender.expired + 1, MOST_EXPIRED)
    if takes:
        _count(sender, byte, length, tag, config)
        sender.place = 0 if final else min(place + 1, DATA)
    if expires:
        sender.place = 0
    _gather(sender, byte, carried, fills, closes, leaves or (expires and not full))
    if fills or closes:
        sender.last, sender.bad = final or closes, closes
    sender.full = fills or closes or (full and not leaves)
    sender.begun = (sender.begun or fills) and not final and not closes
    sender.closing = sender.closes or (sender.closing and not closes)


@compiled
def _count(sender: Any, byte: int, length: int, tag: int, config: OsLinkConfig) -> None:
    """Take a byte of the destination or the length, or count one of the data."""
    place = sender.place
    if place == 0:
        sender.dest, sender.tag = byte, tag
    elif place == 1:
        sender.dest = sender.dest | byte << 8
    if place < LENGTH:
        sender.too_long = False
    elif place == LENGTH:
        sender.left = byte
    elif place == DATA - 1:
        sender.left, sender.too_long = length, length > config.longest
    else:
        sender.left -= 1


@compiled
def _gather(sender: Any, byte: int, carried: bool, fills: bool, closes: bool, drops: bool) -> None:
    """Go on with the beat that is gathered, or that closes a packet."""
    filled = sender.filled
    if closes:
        sender.data, sender.filled = 0, 1
        return
    if carried:
        before = sender.data if filled > 0 else 0
        sender.data = before | byte << 8 * filled
    sender.filled = 0 if drops else filled + (1 if carried else 0)


MESSAGE_RECEIVER = record(
    int32="state offset left quiet lost tag",
    bool="over bad dropping dead begins cuts loses carried",
)
"""What byte comes next, and which of the beat; the bytes of data that are left.

`lost` counts the packets that were dropped or cut, up to what the counter holds. In the clock
before: `begins`: the first byte of a message was taken; `cuts`: the message was cut; `loses`: the
last beat of a packet was dropped; `tag` is of the packet in these; `carried`: a beat was taken that
is of a message.
"""

MOST_LOST = LOST.most


@compiled
def offered_byte(receiver: Any, valid: bool, beat: Any, source: int) -> tuple[int, bool]:
    """Return the byte of this clock, and whether there is one."""
    drops = receiver.dropping or receiver.dead
    if receiver.state == STATUS:
        return (1 if receiver.bad else 0), receiver.over
    offers = receiver.over or (valid and not drops)
    if receiver.over:
        return 0, offers
    if receiver.state <= SOURCE_HIGH:
        return (source if receiver.state == SOURCE_LOW else source >> 8) & 0xFF, offers
    return beat.data >> 8 * receiver.offset & 0xFF, offers


@compiled
def step_message_receiver(
    receiver: Any, valid: bool, beat: Any, source: int, ready: bool, config: OsLinkConfig
) -> bool:
    """Go through a clock edge; return tready.

    Parameters
    ----------
    valid, beat, source : bool, record, int
        What comes of the stream.
    ready : bool
        A byte would be taken now.
    """
    byte, offers = offered_byte(receiver, valid, beat, source)
    state, over, offset = receiver.state, receiver.over, receiver.offset
    drops = receiver.dropping or receiver.dead
    taken, stuck = offers and ready, offers and not ready
    inside = LENGTH_LOW <= state <= BODY
    sweeps = state == STATUS and not over
    eats = inside and taken and not over
    consumes = eats and offset == beat.last_byte
    tready = consumes or sweeps or drops
    gone = tready and valid
    late = config.timeout > 0 and receiver.quiet == config.timeout
    fires = stuck and late and not receiver.dead
    cut = fires and state != SOURCE_LOW and not over
    if config.timeout > 0:
        receiver.quiet = min(receiver.quiet + 1, config.timeout) if stuck else 0
    receiver.begins, receiver.cuts = taken and state == SOURCE_LOW, cut
    receiver.loses, receiver.carried = gone and drops and beat.last, gone and not drops
    receiver.tag = beat.tag
    receiver.dead = fires or (receiver.dead and not ready)
    if receiver.loses:
        receiver.lost = min(receiver.lost + 1, MOST_LOST)
    if gone and drops:
        receiver.dropping = not beat.last

    swept = sweeps and valid
    ends = (consumes or swept) and beat.last
    wrong = (ends and beat.error) or cut or swept or (inside and over and taken)
    new = taken and state == STATUS
    receiver.over = (over or ends or cut) and not new
    receiver.bad = (receiver.bad or wrong) and state != SOURCE_LOW and not new
    receiver.offset = 0 if consumes or cut or sweeps else offset + (1 if eats else 0)
    if taken:
        _go_on(receiver, byte)
    return tready


@compiled
def _go_on(receiver: Any, byte: int) -> None:
    """Go on to the next byte of a message."""
    state = receiver.state
    if state == LENGTH_LOW:
        receiver.left = byte
    elif state == LENGTH_HIGH:
        receiver.left = receiver.left | byte << 8
    elif state == BODY:
        receiver.left -= 1
    if state == STATUS:
        receiver.state = SOURCE_LOW
    elif state < LENGTH_HIGH:
        receiver.state = state + 1
    else:
        receiver.state = STATUS if receiver.left == 0 else BODY

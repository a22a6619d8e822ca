"""From bytes to AXI4-Stream beats, at OS-Link terminals.

Messages become packets: their length and data are beats, their destination is tdest. One beat is
gathered; no byte is taken while it waits. A message of which nothing comes for `timeout` clocks is
given up: if some of it has gone, the packet is closed with an error mark and a byte 0, and what
comes then is a new message.
"""

from typing import Any

from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.router.records import record
from fingerpost.golden.terminal.message import DATA, EXPIRED, LENGTH
from fingerpost.golden.terminal.state import OsLinkConfig

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

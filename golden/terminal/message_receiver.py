"""From AXI4-Stream beats to bytes, at OS-Link terminals.

Packets become messages: the source, the length and data that they hold, and a status. A message
always has as many bytes as its length says: zeros stand for what does not come, and what is too
much is dropped. Its status is 1 then, as where the packet has an error mark.

A terminal that takes no byte for `timeout` clocks is `dead` until it takes one: what comes for it
is dropped and counted, and of a message of which it has some the rest is zeros.
"""

from typing import Any

from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.router.records import record
from fingerpost.golden.terminal.message import (
    BODY,
    LENGTH_HIGH,
    LENGTH_LOW,
    LOST,
    SOURCE_HIGH,
    SOURCE_LOW,
    STATUS,
)
from fingerpost.golden.terminal.state import OsLinkConfig

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

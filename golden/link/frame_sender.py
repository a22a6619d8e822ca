"""The sender of a stream link, the twin of fingerpost.hdl.link.frame_sender.

Totals have no modulus here, and a CRC is a number that stands for the words it covers.
"""

from typing import Any

from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.router.records import record

WORD = record(
    int64="crc", int32="flit sequence acknowledged freed", int16="channel", bool="valid end damaged"
)
"""A word on a link: the number of a flit, or the end of a frame; see `golden.link.frames`."""

FRAME_SENDER = record(
    int64="crc",
    int32="written read sent acknowledged flits turn",
    bool="some again fetched is_flit closed late",
)
"""`written` flits have been kept; `read` of them have been read, or will be again, and
`acknowledged` have arrived. `some`: there is one to read. `flits` of the frame have been read.
`fetched`: one is in the first register behind the memory; `is_flit`: in the second, the last of the
`sent` ones. `closed`: the word before was the end of a frame with flits. `late`: none has been
acknowledged since the last tick, when some waited."""

SENDER_CHANNEL = record(int32="granted freed", int16="owed grant")
"""`granted` flits the router may have sent, of which `freed` have left the end of the link; it has
sent `owed` without a credit for them. `grant`: there is one in this cycle."""


@compiled
def step_sender(end: int, pushed: int, accepted: int, tick: bool, config: Any, links: Any) -> None:
    """Go through a clock edge; `pushed` is the channel of the flit from the router, or -1."""
    sender, word, held = links.sender[end], links.word[end], links.held[end]
    _send(end, sender, word, accepted, config, links)
    read, more = sender.read, held.right and held.acknowledged != sender.acknowledged
    waits, again = read != sender.acknowledged, sender.again
    fetch = (sender.some and sender.flits != config.flits and not again) and not sender.closed
    sender.closed = sender.fetched and not fetch
    sender.is_flit, sender.fetched, sender.sent = sender.fetched, fetch, read
    sender.flits = sender.flits + 1 if fetch else 0
    if fetch:
        sender.read = read + 1
    elif again:
        sender.read, sender.again = sender.acknowledged, False
    sender.some = pushed >= 0 or (sender.read != sender.written and not again)
    if tick:
        if sender.late and waits:
            sender.again = True
        sender.late = waits
    if more:
        sender.late = False
    if held.right:
        sender.acknowledged = held.acknowledged
    if pushed >= 0:
        sender.written += 1
    _grant(end, pushed, config, links)


@compiled
def _send(end: int, sender: Any, word: Any, accepted: int, config: Any, links: Any) -> None:
    """Make the next word: the flit that was read, or the end of a frame."""
    word.valid, word.end = True, not sender.is_flit
    if sender.is_flit:
        flit = sender.sent - 1
        word.flit = flit
        word.channel = links.kept[end * config.replay + flit % config.replay].channel
        sender.crc = crc_step(sender.crc, flit + 1)
        return
    word.sequence, word.acknowledged = sender.sent, accepted
    word.channel = sender.turn
    word.freed = links.receiver_channel[end * config.channels + sender.turn].freed
    word.crc, sender.crc = crc_step(sender.crc, 0), 0
    sender.turn = 0 if sender.turn + 1 == config.channels else sender.turn + 1


@compiled
def crc_step(crc: int, word: int) -> int:
    """Return what stands for the CRC of a word more: different words give another one."""
    return (crc * 1_000_003 + word) & 0xFFFFFFFFFF


@compiled
def _grant(end: int, pushed: int, config: Any, links: Any) -> None:
    """Give the router a credit for a flit that it has sent, if there is a place for another."""
    held = links.held[end]
    for channel in range(config.channels):
        own = links.sender_channel[end * config.channels + channel]
        own.grant = 1 if own.owed != 0 and own.granted - own.freed != config.places else 0
        own.granted += own.grant
        own.owed += (1 if pushed == channel else 0) - own.grant
        if held.right and held.channel == channel:
            own.freed = held.freed

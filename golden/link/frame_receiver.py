"""The receiver of a stream link, the twin of fingerpost.hdl.link.frame_receiver."""

from typing import Any

from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.link.frame_sender import crc_step
from fingerpost.golden.link.pipelined_link import copy_flit
from fingerpost.golden.router.records import record

HELD = record(int32="acknowledged freed", int16="channel", bool="ended right in_sequence has_flits")
"""The end of a frame an edge later: whether there was one, whether its CRC was right, whether its
flits were those that follow, and whether it had any."""

FRAME_RECEIVER = record(
    int64="crc", int32="following accepted", int16="last", bool="opened spoiled"
)
"""`following` flits have come in order, `accepted` of them in good frames. `opened`: the word
before was a flit. `spoiled`: a flit came in the cycle in which the frame before it, with flits, was
refused. `last`: the channel that was picked last."""

RECEIVER_CHANNEL = record(int32="begun accepted freed", int16="credits")
"""Totals of flits: written, of good frames, and gone to the router."""

PASSING = 3
"""Cycles from the pick of a flit to the router's input."""


@compiled
def step_receiver(end: int, word: Any, returned: int, now: int, config: Any, links: Any) -> None:
    """Go through a clock edge; `returned` are the channels of the router's credits, as a mask.

    `word` is what comes in; it counts if it is `valid`.
    """
    receiver, held = links.receiver[end], links.held[end]
    is_flit = word.valid and not word.end
    accept = held.ended and held.right and held.in_sequence and not receiver.spoiled
    refuse = held.ended and not accept
    _pass(end, returned, now, config, links)
    _keep(end, word, is_flit, accept, refuse, config, links)
    if held.ended:
        receiver.spoiled = refuse and is_flit and held.has_flits
    following, accepted = receiver.following, receiver.accepted
    if is_flit:
        receiver.following += 1
    elif refuse:
        receiver.following = accepted
    if accept:
        receiver.accepted = following
    held.ended, held.right = word.valid and word.end, False
    if held.ended:
        held.has_flits = receiver.opened
        held.right = not word.damaged and crc_step(receiver.crc, 0) == word.crc
        held.in_sequence, held.acknowledged = following == word.sequence, word.acknowledged
        held.channel, held.freed = word.channel, word.freed
        receiver.crc = 0
    elif is_flit:
        receiver.crc = crc_step(receiver.crc, word.flit + 1) ^ (1 if word.damaged else 0)
    if word.valid:
        receiver.opened = is_flit


@compiled
def _keep(
    end: int, word: Any, is_flit: bool, accept: bool, refuse: bool, config: Any, links: Any
) -> None:
    """Write a flit, and accept those of a frame, or let the next one overwrite them."""
    other = config.partner[end]
    for channel in range(config.channels):
        place = end * config.channels + channel
        own = links.receiver_channel[place]
        begun = own.begun
        if is_flit and word.channel == channel:
            kept = links.kept[other * config.replay + word.flit % config.replay]
            copy_flit(kept, links.place[place * (config.places + 1) + begun % (config.places + 1)])
            if begun - own.freed != config.places:
                own.begun = begun + 1
        elif refuse:
            own.begun = own.accepted
        if accept:
            own.accepted = begun


@compiled
def _pass(end: int, returned: int, now: int, config: Any, links: Any) -> None:
    """Pick a flit for the router among the channels that have one and room for it, in turns."""
    receiver, out = links.receiver[end], links.passing[end * PASSING + now % PASSING]
    out.valid = False
    last = receiver.last
    for turn in range(1, config.channels + 1):
        channel = (last + turn) % config.channels
        place = end * config.channels + channel
        own = links.receiver_channel[place]
        if not out.valid and own.accepted != own.freed and own.credits:
            out.valid = True
            copy_flit(
                links.place[place * (config.places + 1) + own.freed % (config.places + 1)], out
            )
            own.freed += 1
            own.credits -= 1
            receiver.last = channel
    for channel in range(config.channels):
        links.receiver_channel[end * config.channels + channel].credits += returned >> channel & 1

"""Flits and credits as bytes: what a router's link is on an OS-Link.

A cell is a first byte and the bytes that follow it. Bit 0 of the first byte marks a flit::

    flit     1, head, tail, channel (3), 0 (2)     and then the flit, lowest byte first
    credits  0, a bit for each channel             nothing follows

The last two bytes of a packet, those of its tail, are a CRC-16 over all bytes of its cells before
them. Inside a node they are a status in its place, 0 if nothing was wrong with the packet up to
here. If something was, the complement of the CRC is sent, so that it stays wrong.

The router that sends a flit has taken a credit for it: its place at the far end is waiting. So no
byte ever waits for a router, no acknowledge is withheld, and a channel that is blocked does not
block another on the same wire. To the routers this link is as any other, only slower, and the
proof that they cannot deadlock, which counts on nothing but that flits and credits arrive, holds.
"""

from fingerpost.golden.header import Layout
from fingerpost.golden.link.parameters import ERRORS

FLIT = Layout.sequence(
    flit=(1, "1"),
    head=(1, "first flit of a packet"),
    tail=(1, "last flit of a packet, and the CRC is in it"),
    channel=(3, "its virtual channel"),
)
"""The first byte of a flit."""

CREDITS = Layout.sequence(
    flit=(1, "0"), channels=(7, "a bit for each virtual channel of which a place is free again")
)
"""The byte that carries credits."""

MOST_CHANNELS = CREDITS["channels"].width

STATUS = 16
"""Bits of the CRC, and of the status in its place: the highest of a tail."""

CRC_INIT = 0xFFFF

LINK_ERRORS = *ERRORS, "bad_packet", "bad_cell"
"""What a link can find wrong, a bit for each."""

"""Frames of a stream link: how flits, credits and acknowledgements are laid out in its words.

A word of the link is a flit, or ends a frame. A frame is up to `StreamLink.frame` flits and the
word that ends it, which has the CRC-32 of all its words. Another end, of a frame without flits,
follows, in which the receiver judges the first. A sender without a flit sends ends alone, so that
there is a word in every cycle in which the link takes one.

All numbers in it are totals since reset, modulo the width of their field: a frame that is lost
takes nothing with it that the next one does not bring. `sequence` counts the flits up to the end
of the frame, `acknowledged` those that the sender of the frame has accepted, `freed` the places of
one channel, each in turn, that flits have left at its end.
"""

from dataclasses import dataclass
from functools import cached_property

from fingerpost.golden.header import Layout, bits

CRC_WIDTH = 32

CRC_POLYNOMIAL = 0x0002A005
"""Of the CRC-32, without x^32: x^32 + x^17 + x^15 + x^13 + x^2 + 1. It finds any five wrong bits of
a frame of up to 1,147 bits (tests/hdl/link/test_stream_link.py), and was chosen among those with
six terms that do for the few exclusive-ors of a word of 36 bits."""

SENDER_CYCLES = 4
"""Cycles from a router's output to the word on the link, if nothing waits before it."""

RECEIVER_CYCLES = 5
"""Cycles from the end of a frame on the link to its first flit at a router's input."""


@dataclass(frozen=True)
class Frames:
    """The words of a stream link, and what both of its ends need for them.

    Parameters
    ----------
    channels, flit_width : int
    flits : int
        Of a frame at most.
    place_bits : int
        Bits of a number of places of a channel at the end of the link.
    """

    channels: int
    flit_width: int
    flits: int
    place_bits: int

    @property
    def places(self) -> int:
        """Return the flits of a channel for which there is room at the end of the link.

        It is one less than fit, so that a total says whether all are free or none.
        """
        return (1 << self.place_bits) - 1

    @property
    def sequence_bits(self) -> int:
        """Return the bits of a total of flits.

        Up to `places` of each channel are not acknowledged, and the difference of two totals has a
        sign.
        """
        return bits(self.channels * self.places + 1) + 1

    @property
    def replay(self) -> int:
        """Return the flits that the sender can keep until they are acknowledged."""
        return 1 << self.sequence_bits - 1

    @cached_property
    def flit(self) -> Layout:
        """The layout of a flit; the bits above it in the word are anything."""
        return Layout.sequence(
            end=(1, "0"),
            **self._channel("of the flit"),
            head=(1, "first flit of a packet"),
            tail=(1, "last flit of a packet"),
            data=(self.flit_width, "of the flit"),
        )

    @cached_property
    def end(self) -> Layout:
        """The layout of the end of a frame; the CRC is in the highest bits of the word."""
        return Layout.sequence(
            end=(1, "1"),
            sequence=(self.sequence_bits, "total of flits sent, those of this frame too"),
            acknowledged=(self.sequence_bits, "total of flits accepted from the other end"),
            **self._channel("of which places are free again"),
            freed=(self.place_bits, "total of its flits that have left the end of the link"),
            fresh=(1, "the sender has had no good frame since its reset"),
        )

    @property
    def body(self) -> int:
        """Return the bits of a word that its CRC covers."""
        return max(self.flit.width, self.end.width)

    @property
    def width(self) -> int:
        """Return the least bits of a word."""
        return max(self.flit.width, self.end.width + CRC_WIDTH)

    def _channel(self, meaning: str) -> dict[str, tuple[int, str]]:
        if self.channels == 1:
            return {}
        return {"channel": (bits(self.channels), f"the virtual channel {meaning}")}


def frames_for(
    *, width: int, cycles: int, flits: int, channels: int, flit_width: int, depth: int
) -> Frames | None:
    """Return the frames of a link of so many bits and cycles; None if it is too narrow.

    There are places enough for a channel to keep the link busy by itself, or as many as the end of
    a frame has bits to count, and at least `depth`, those for which a router has credits.
    """
    needed = max(depth, round_trip(cycles, flits, channels))
    for place_bits in range(needed.bit_length(), depth.bit_length() - 1, -1):
        frames = Frames(channels, flit_width, flits, place_bits)
        if frames.width <= width:
            return frames
    return None


def round_trip(cycles: int, flits: int, channels: int) -> int:
    """Return the cycles from a flit to the credit for it, at most, on a link that is not disturbed.

    The flit waits for the end of its frame, and the credit for that frame's end in which it is the
    turn of its channel.
    """
    return 2 * (cycles + SENDER_CYCLES + RECEIVER_CYCLES) + (flits + 2) * (channels + 1)


def time_out(cycles: int, flits: int) -> int:
    """Return the cycles in which a flit is acknowledged if its frame and the answer arrive.

    A power of two, so that a counter runs over.
    """
    least = 2 * (cycles + SENDER_CYCLES + RECEIVER_CYCLES) + 2 * (flits + 2)
    return 1 << least.bit_length()

"""Flits and credits as bytes: what a router's link is on an OS-Link; twin of hdl.link.cell_link.

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

import binascii
from collections import deque

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.header import Layout
from fingerpost.golden.link.os_link import ERRORS

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

_TABLE = np.array([binascii.crc_hqx(bytes([byte]), 0) for byte in range(256)])
"""The CRC-16 (polynomial 0x1021) of every byte."""


def crc16(crc: IntArray, byte: IntArray) -> IntArray:
    """Return CRCs with one more byte each."""
    found: IntArray = (crc << 8 & 0xFFFF) ^ _TABLE[(crc >> 8) ^ byte]
    return found


class CellSender:
    """Flits and credits of a node's links to bytes, for many links at once.

    Attributes
    ----------
    byte, valid : arrays
        The byte for the OS-Link.
    """

    def __init__(self, links: int, *, channels: int, depth: int, flit_width: int) -> None:
        self.channels, self.bytes = channels, flit_width // 8
        self.every = np.arange(links)
        self.queues: list[deque[tuple[int, int, int, int]]] = [deque() for _ in range(links)]
        self.first = np.zeros((links, 4), np.int64)  # of each queue: channel, head, tail, data
        self.level, self.index, self.byte = np.zeros((3, links), np.int64)
        self.valid = np.zeros(links, np.bool_)
        self.owed = np.zeros((links, channels), np.int64)
        self.crc = np.full((links, channels), CRC_INIT)

    def step(
        self,
        flits: tuple[IntArray, IntArray, BoolArray, BoolArray, IntArray],
        credits: tuple[IntArray, IntArray],
        ready: BoolArray,
    ) -> None:
        """Go through a clock edge.

        Parameters
        ----------
        flits : arrays
            What routers send in this clock: link, channel, head, tail, data.
        credits : arrays
            What routers give back: link, channel.
        ready : array of bool
            Whether the OS-Link takes `byte`.
        """
        last = self.bytes
        channel, head, tail, data = self.first.T
        load = ~self.valid | ready
        begins = load & (self.index == 0)
        owing = self.owed > 0
        gives = begins & owing.any(axis=1)
        starts = begins & ~gives & (self.level > 0)
        goes = load & (self.index > 0)

        place = np.maximum(self.index - 1, 0)
        plain = data >> 8 * place & 0xFF
        crc = self.crc[self.every, channel]
        poison = np.where(data >> 8 * last - STATUS, 0xFFFF, 0)
        due = (crc ^ poison) >> np.where(place == last - 1, 8, 0) & 0xFF
        is_crc = (tail == 1) & (place >= last - 2)
        out = np.where(is_crc, due, plain)
        mask = owing @ (1 << np.arange(self.channels))
        control = FLIT.join(flit=1, head=head, tail=tail, channel=channel)
        summed = np.flatnonzero(starts | (goes & ~is_crc))
        before = np.where(starts & (head == 1), CRC_INIT, crc)
        after = crc16(before, np.where(starts, control, plain))
        self.crc[summed, channel[summed]] = after[summed]

        byte = np.where(gives, CREDITS.join(channels=mask), np.where(starts, control, out))
        self.byte = np.where(load, byte, self.byte)
        self.valid = np.where(load, gives | starts | goes, self.valid)
        done = goes & (self.index == last)
        self.index = np.where(done, 0, self.index + (starts | goes))

        self.owed -= gives[:, None] & owing
        np.add.at(self.owed, credits, 1)
        # Flits are few: most links have none in most clocks.
        link, *fields = flits
        for each, *flit in zip(link.tolist(), *(f.tolist() for f in fields), strict=True):
            self.queues[each].append(tuple(map(int, flit)))
        for each in np.flatnonzero(done).tolist():
            self.queues[each].popleft()
        for each in {*link.tolist(), *np.flatnonzero(done).tolist()}:
            queue = self.queues[each]
            self.level[each] = len(queue)
            self.first[each] = queue[0] if queue else 0


class CellReceiver:
    """Bytes to flits and credits, for many links at once. Bytes are taken as they come.

    Attributes
    ----------
    arrived : array of bool
        A flit is there in this clock: `channel`, `head`, `tail`, and `flit`, its data.
    credits : (links, channels) array of bool
        The channels of which credits arrive in this clock.
    bad_packet : array of bool
        The tail that is there is of a packet in which something was wrong.
    bad_cell : array of bool
        The byte that is taken is not the first one of a cell.
    """

    def __init__(self, links: int, *, channels: int, flit_width: int) -> None:
        self.channels, self.bytes = channels, flit_width // 8
        self.every = np.arange(links)
        self.index, self.channel, self.data = np.zeros((3, links), np.int64)
        self.head, self.tail, self.arrived, self.bad_cell = np.zeros((4, links), np.bool_)
        self.credits, self.inside = np.zeros((2, links, channels), np.bool_)
        self.crc = np.full((links, channels), CRC_INIT)
        self._settle()

    def _settle(self) -> None:
        low = 8 * self.bytes - STATUS
        wrong = self.data >> low != self.crc[self.every, self.channel]
        self.bad_packet: BoolArray = self.arrived & self.tail & wrong
        status = np.where(wrong, 0xFFFF, 0) << low
        self.flit = np.where(self.tail, self.data & ((1 << low) - 1) | status, self.data)

    def step(self, byte: IntArray, valid: BoolArray) -> None:
        """Go through a clock edge with the bytes that the OS-Links have, if `valid`."""
        begins, goes = valid & (self.index == 0), valid & (self.index > 0)
        channel = FLIT.cut("channel", byte)
        good = (byte >> FLIT.width == 0) & (channel < self.channels)
        head, tail = FLIT.cut("head", byte) == 1, FLIT.cut("tail", byte) == 1
        owed = CREDITS.cut("channels", byte)
        starts = begins & (FLIT.cut("flit", byte) == 1) & good
        gives = begins & (FLIT.cut("flit", byte) == 0) & (owed > 0) & (owed >> self.channels == 0)
        self.bad_cell = begins & ~starts & ~gives

        # A head inside a packet starts no new CRC: a tail was lost, and both packets are bad.
        at = np.where(starts, channel, self.channel)
        inside = self.inside[self.every, np.minimum(at, self.channels - 1)]
        is_crc = self.tail & (self.index > self.bytes - 2)
        summed = np.flatnonzero(starts | (goes & ~is_crc))
        some = summed, at[summed]
        before = np.where((starts & head & ~inside)[summed], CRC_INIT, self.crc[some])
        self.crc[some] = crc16(before, byte[summed])
        begun = np.flatnonzero(starts)
        self.inside[begun, at[begun]] = ((head | inside) & ~tail)[begun]

        mask = owed[:, None] >> np.arange(self.channels) & 1
        self.credits = gives[:, None] & (mask == 1)
        self.data = np.where(goes, self.data >> 8 | byte << 8 * (self.bytes - 1), self.data)
        self.channel = np.where(starts, channel, self.channel)
        self.head = np.where(starts, head, self.head)
        self.tail = np.where(starts, tail, self.tail)
        self.arrived = goes & (self.index == self.bytes)
        self.index = np.where(self.arrived, 0, self.index + (starts | goes))
        self._settle()

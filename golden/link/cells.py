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

from typing import Any, NamedTuple

import numpy as np

from fingerpost.golden.arrays import Array
from fingerpost.golden.header import Layout
from fingerpost.golden.jit.bits import pop_lowest
from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.link.os_link import PortConfig, Ports
from fingerpost.golden.link.parameters import ERRORS
from fingerpost.golden.router.records import record
from fingerpost.golden.router.state import Config

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


class CellConfig(NamedTuple):
    """Links of kind os-link. Links have the numbers of the outputs at which they start."""

    port: PortConfig
    bytes: int
    """Of a flit."""
    rows: int
    """Flits that are on a link at most, as there are credits for them."""
    crc: Array
    """Shape (256,). The CRC-16 of every byte."""

    def recording(self, cycles: int, outputs: int) -> "CellRecording":
        """Return room for what is on so many links in so many cycles."""
        return CellRecording(*np.zeros((2, cycles, outputs), np.int64))


class CellState(NamedTuple):
    """OS-Links between routers."""

    ports: Ports
    sender: Array
    receiver: Array
    """Shape (links,), arrays of records."""
    owed: Array
    """Shape (links * channels,). Credits that are to be sent."""
    sent_crc: Array
    received_crc: Array
    """Shape (links * channels,), arrays. Of the packets on each channel."""
    row: Array
    """Shape (links * rows,), array of FLIT. The flits of each link that have not arrived."""
    wire: Array
    """Shape (links,). What each port sends in this cycle; used within a cycle only."""
    errors: Array
    """Shape (links,). What each has found wrong so far, a bit for each of `LINK_ERRORS`."""

    @property
    def rows(self) -> tuple[Array, ...]:
        """Return the flits on links."""
        return (self.row,)


class CellRecording(NamedTuple):
    """What is on OS-Links, and what has been found wrong: (cycles, links)."""

    wire: Array
    errors: Array


CELL_SENDER = record(int32="index byte read gone level returned", bool="valid pushed")
"""What makes bytes: how many of the cell have been made, and the one for the OS-Link, if `valid`.

Of the rows of the link, from `read` on, `gone` flits have been sent, and `level` are to be.
`pushed` and `returned` are what the router gives in this cycle: that there is a flit, which has its
row, and the channels of credits, as a mask.
"""

CELL_RECEIVER = record(
    int64="data", int32="index channel credits in_packet", bool="head tail arrived bad_cell"
)
"""What makes flits and credits of bytes; `in_packet` is a mask of channels.

`arrived`: a flit is there in this clock; `credits`: the channels of those that arrive in this
clock, as a mask; `bad_cell`: the byte that was taken is not the first one of a cell.
"""

HEAD, TAIL, CHANNEL = (FLIT[name].offset for name in ("head", "tail", "channel"))
CHANNELS, MOST = CREDITS["channels"].offset, (1 << FLIT["channel"].width) - 1
FLIT_WIDTH, BYTE, WRONG = FLIT.width, 0xFF, 0xFFFF


@compiled
def crc16(crc: int, byte: int, config: CellConfig) -> int:
    """Return a CRC with one more byte."""
    return (crc << 8 & 0xFFFF) ^ config.crc[(crc >> 8) ^ byte]  # type: ignore[no-any-return]


@compiled
def step_sender(number: int, ready: bool, config: Config, state: CellState) -> None:
    """Go through a clock edge; `ready`: the OS-Link takes the byte. Credits go first."""
    links, sender = config.links, state.sender[number]
    if not sender.valid or ready:
        if sender.index > 0:
            _send_flit(number, links, config.channels, state)
        else:
            _begin_cell(number, links, config.channels, state)
    rest, sender.returned = sender.returned, 0
    while rest:
        channel, rest = pop_lowest(rest)
        state.owed[number * config.channels + channel] += 1
    if sender.pushed:
        sender.level, sender.pushed = sender.level + 1, False


@compiled
def _begin_cell(number: int, links: CellConfig, channels: int, state: CellState) -> None:
    """Make the first byte of a cell, if there is something to send."""
    sender, credits = state.sender[number], 0
    for channel in range(channels):
        at = number * channels + channel
        if state.owed[at] > 0:
            state.owed[at] -= 1
            credits |= 1 << channel
    sender.valid = credits > 0 or sender.level > 0
    if credits:
        sender.byte = credits << CHANNELS
    elif sender.level > 0:
        flit = _front(number, links, state)
        byte = 1 | flit.channel << CHANNEL
        byte |= 1 << HEAD if flit.head else 0
        byte |= 1 << TAIL if flit.tail else 0
        at = number * channels + flit.channel
        before = CRC_INIT if flit.head else state.sent_crc[at]
        state.sent_crc[at] = crc16(before, byte, links)
        sender.byte, sender.index = byte, 1


@compiled
def _front(number: int, links: CellConfig, state: CellState) -> Any:
    """Return the flit that is being sent."""
    sender = state.sender[number]
    return state.row[number * links.rows + (sender.read + sender.gone) % links.rows]


@compiled
def _send_flit(number: int, links: CellConfig, channels: int, state: CellState) -> None:
    """Make the next byte of a flit; the last two of a tail are the CRC.

    If the status in their place is not 0, they are its complement.
    """
    sender, flit = state.sender[number], _front(number, links, state)
    at, place = number * channels + flit.channel, sender.index - 1
    if flit.tail and place >= links.bytes - 2:
        crc = state.sent_crc[at]
        if flit.data >> 8 * links.bytes - STATUS:
            crc = crc ^ WRONG
        sender.byte = crc >> (8 if place == links.bytes - 1 else 0) & BYTE
    else:
        sender.byte = flit.data >> 8 * place & BYTE
        state.sent_crc[at] = crc16(state.sent_crc[at], sender.byte, links)
    if sender.index == links.bytes:
        sender.index = 0
        sender.gone, sender.level = sender.gone + 1, sender.level - 1
    else:
        sender.index += 1


@compiled
def is_bad_packet(number: int, config: Config, state: CellState) -> bool:
    """Return whether a tail arrives of a packet in which something was wrong."""
    receiver = state.receiver[number]
    crc = state.received_crc[number * config.channels + receiver.channel]
    wrong = receiver.data >> 8 * config.links.bytes - STATUS != crc
    return receiver.arrived and receiver.tail and wrong  # type: ignore[no-any-return]


@compiled
def arrived_data(number: int, config: Config, state: CellState) -> int:
    """Return the data of the flit that arrives: a tail has a status in the place of the CRC."""
    receiver, low = state.receiver[number], 8 * config.links.bytes - STATUS
    if not receiver.tail:
        return receiver.data  # type: ignore[no-any-return]
    status = WRONG if is_bad_packet(number, config, state) else 0
    return receiver.data & (1 << low) - 1 | status << low  # type: ignore[no-any-return]


@compiled
def step_receiver(number: int, byte: int, valid: bool, config: Config, state: CellState) -> None:
    """Go through a clock edge with the byte that the OS-Link has, if `valid`."""
    receiver, links = state.receiver[number], config.links
    receiver.arrived, receiver.bad_cell, receiver.credits = False, False, 0
    if valid and receiver.index == 0:
        _receive_first(number, byte, config, state)
    elif valid:
        if not receiver.tail or receiver.index <= links.bytes - 2:
            at = number * config.channels + receiver.channel
            state.received_crc[at] = crc16(state.received_crc[at], byte, links)
        receiver.data = receiver.data >> 8 | byte << 8 * (links.bytes - 1)
        receiver.arrived = receiver.index == links.bytes
        receiver.index = 0 if receiver.arrived else receiver.index + 1


@compiled
def _receive_first(number: int, byte: int, config: Config, state: CellState) -> None:
    """Take the first byte of a cell: of a flit, or credits."""
    receiver, links = state.receiver[number], config.links
    channel, credits = byte >> CHANNEL & MOST, byte >> CHANNELS
    is_flit = byte & 1 > 0
    if is_flit and byte >> FLIT_WIDTH == 0 and channel < config.channels:
        bit, head, tail = 1 << channel, byte >> HEAD & 1 > 0, byte >> TAIL & 1 > 0
        # A head inside a packet starts no new CRC: a tail was lost, and both packets are bad.
        inside = receiver.in_packet & bit > 0
        at = number * config.channels + channel
        before = CRC_INIT if head and not inside else state.received_crc[at]
        state.received_crc[at] = crc16(before, byte, links)
        receiver.in_packet &= ~bit
        if (head or inside) and not tail:
            receiver.in_packet |= bit
        receiver.channel, receiver.head, receiver.tail, receiver.index = channel, head, tail, 1
    elif not is_flit and 0 < credits < 1 << config.channels:
        receiver.credits = credits
    else:
        receiver.bad_cell = True


LONGEST = 255
"""Bytes of a payload: LEN is one byte."""


def packet(header: int, header_width: int, payload: bytes, flit_width: int) -> list[int]:
    """Return the flits of a frame.

    Raises
    ------
    ValueError
        If the payload is too long.
    """
    if len(payload) > LONGEST:
        raise ValueError(f"Frame needs a payload of at most {LONGEST} bytes, not {len(payload)}")
    route = header.to_bytes(-(-header_width // 8), "little")
    content = route + bytes([len(payload)]) + payload
    size = flit_width // 8
    flits = -(-(len(content) + STATUS // 8) // size)
    content += bytes(flits * size - len(content))
    return [
        int.from_bytes(content[at : at + size], "little") for at in range(0, len(content), size)
    ]


def frame(flits: list[int], header_width: int, flit_width: int) -> tuple[bytes, int]:
    """Return the payload and the status of the frame that came as `flits`.

    Raises
    ------
    ValueError
        If LEN is more than there is.
    """
    size, route = flit_width // 8, -(-header_width // 8)
    content = b"".join(flit.to_bytes(size, "little") for flit in flits)
    status = int.from_bytes(content[-STATUS // 8 :], "little")
    length = content[route]
    if length > len(content) - route - 1 - STATUS // 8:
        raise ValueError(f"Frame of {len(content)} bytes cannot have {length} of payload")
    return content[route + 1 : route + 1 + length], status

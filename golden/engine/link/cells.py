"""Flits and credits as bytes, cell by cell: see `fingerpost.golden.link.cells`."""

from typing import Any

from fingerpost.golden.engine.link.state import CellConfig, CellState
from fingerpost.golden.jit.bits import pop_lowest
from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.link.cells import CRC_INIT, CREDITS, FLIT, STATUS
from fingerpost.golden.router.records import record
from fingerpost.golden.router.state import Config

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

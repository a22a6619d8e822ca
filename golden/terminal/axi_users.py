"""Users of AXI4-Stream terminals: they send packets beat by beat, and check what they receive.

There is a user for each stream: terminal * classes + message class.

A malformed packet is one to no terminal, one that its sender marks as bad, or one whose sender
falls silent in the middle.
"""

from typing import Any

from fingerpost.golden.jit.bits import pop_lowest
from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.router.delay_line import Slots
from fingerpost.golden.router.records import NEVER
from fingerpost.golden.router.state import Config, State
from fingerpost.golden.terminal.state import AnyConfig, AnyState, AxiRecording

SILENCE = 16
"""Cycles for which a user that falls silent does so beyond the time-out of its interface."""

MOST = (1 << 63) - 1
"""The largest number of 64 bits: what is mixed has no bits beyond."""


@compiled
def draw(state: AnyState, stalls: Any) -> bool:
    """Return whether what is tried stalls, by the next number that was drawn."""
    if not len(stalls):
        return False
    clock = state.clock[0]
    number = clock.drawn
    clock.drawn = number + 1
    return stalls[number]  # type: ignore[no-any-return]


@compiled
def beat_of(packet: Any, index: int, config: AnyConfig) -> tuple[int, bool, int, bool]:
    """Return data, last, last byte and error of a beat of a packet."""
    fields = config.terminal.fields
    mixed = (packet.salt ^ (index * 0x9E3779B97F4A7C1)) * 0x2545F491 & MOST
    data = mixed >> 7 & fields.data_mask
    last = index == packet.length - 1
    last_byte = packet.salt % fields.bytes if last else fields.bytes - 1
    return data, last, last_byte, last and packet.marked


@compiled
def pack(packet: Any, index: int, config: AnyConfig) -> tuple[int, bool]:
    """Return a beat of a packet as a flit, and whether it is the last."""
    fields = config.terminal.fields
    data, last, last_byte, error = beat_of(packet, index, config)
    word = data << fields.data_offset | error
    if last:
        word |= (last_byte & fields.last_byte_mask) << fields.last_byte_offset
    return word, last


@compiled
def unpack(beat: Any, word: int, tail: bool, tag: int, config: AnyConfig) -> None:
    """Make the beat of a flit that is offered to a user."""
    fields = config.terminal.fields
    beat.data = word >> fields.data_offset & fields.data_mask
    bad = word & 1 > 0 or word & fields.status > 0
    beat.last, beat.error, beat.tag = tail, tail and bad, tag
    beat.last_byte = fields.bytes - 1
    if tail and fields.last_byte_mask:
        beat.last_byte = word >> fields.last_byte_offset & fields.last_byte_mask


@compiled
def offer(stream: int, config: AnyConfig, state: AnyState, now: int, stalls: Any) -> None:
    """Let a user offer its next beat; what is offered stays until it is taken."""
    user = state.terminals.user[stream]
    if not user.offers and (now < user.sends_until or now >= user.sends_again):
        due = user.due <= now if user.index == 0 else user.silent == 0
        if due and not draw(state, stalls):
            user.offers = True
    if user.silent > 0:
        user.silent -= 1


@compiled
def advance(stream: int, ready: bool, config: AnyConfig, state: AnyState) -> None:
    """Let an interface take the beat that is offered, if it is ready; go on to the next."""
    user = state.terminals.user[stream]
    user.ready, user.taken = ready, user.offers and ready
    if not user.taken:
        return
    number, index = user.packet, user.index
    packet = state.packets[number]
    user.offers, user.tag, user.beat = False, number, index
    if index < packet.length - 1:
        user.index = index + 1
        if index + 1 == packet.pause:
            user.silent = config.terminal.timeout + SILENCE
        return
    user.index = 0
    user.packet = number + 1
    user.due = state.packets[number + 1].time if number + 1 < user.end else NEVER


@compiled
def read(
    stream: int, valid: bool, source: int, config: AnyConfig, state: AnyState, stalls: Any
) -> bool:
    """Let a user take the beat that is offered to it, and check it; return tready."""
    terminals, clock = state.terminals, state.clock[0]
    user, beat = terminals.user[stream], terminals.beat[stream]
    beat.valid, beat.source = valid, source
    stalled = draw(state, stalls)
    listens = clock.now < user.reads_until or clock.now >= user.reads_again
    ready = user.exists and listens and not stalled
    beat.ready = ready
    if valid and ready:
        check(stream, config, state)
    return ready


@compiled
def check(stream: int, config: AnyConfig, state: AnyState) -> None:
    """Check and count the beat that a user takes."""
    compare(stream, config, state)
    clock, beat = state.clock[0], state.terminals.beat[stream]
    packet = state.packets[beat.tag]
    if beat.last:
        if packet.expected and packet.delivered < 0:
            clock.outstanding -= 1
        packet.delivered = clock.now


@compiled
def compare(stream: int, config: AnyConfig, state: AnyState) -> None:
    """Note it if the beat that a user takes is not the one that was sent to it next."""
    clock, beat = state.clock[0], state.terminals.beat[stream]
    number = beat.tag
    packet = state.packets[number]
    index = packet.received
    data, last, last_byte, error = beat_of(packet, index, config)
    due_at = packet.destination * config.classes + packet.message_class
    wrong = beat.source != packet.source or stream != due_at or not packet.known
    cut = packet.closed and beat.last and beat.error
    same = beat.data == data and beat.last == last and beat.error == error
    if wrong or not ((same and beat.last_byte == last_byte) or cut):
        if clock.faults < len(state.fault):
            fault = state.fault[clock.faults]
            fault.cycle, fault.node = clock.now, stream // config.classes
            fault.index, fault.packet = index, number
        clock.faults += 1
    packet.received = index + 1


@compiled
def receive_credits(slots: Slots, config: Config, state: State) -> None:
    """Note the credits that the routers return to their terminals."""
    for terminal in range(config.places):
        rest = slots.terminal_credits[terminal]
        while rest:
            message_class, rest = pop_lowest(rest)
            state.terminals.user[terminal * config.classes + message_class].credited = True


@compiled
def receive(came: Any, terminal: int, config: Config, state: State) -> None:
    """Keep a flit that comes out, for this cycle."""
    state.flits[terminal] += 1
    kept = state.terminals.came[terminal * config.classes + came.channel]
    kept.valid, kept.head, kept.tail = True, came.head, came.tail
    kept.data, kept.tag = came.data, came.tag


@compiled
def note_sent(noted: AxiRecording, row: int, config: AnyConfig, state: AnyState) -> None:
    """Note what users send in this cycle, and the registers of senders before the clock edge."""
    for stream in range(config.places * config.classes):
        user, sender = state.terminals.user[stream], state.terminals.sender[stream]
        noted.ready[row, stream] = user.ready and user.exists
        noted.refused[row, stream], noted.expired[row, stream] = sender.refused, sender.expired
        if not (user.taken or user.offers):
            continue
        number, index = user.packet, user.index
        if user.taken:
            number, index = user.tag, user.beat
        packet = state.packets[number]
        data, last, last_byte, error = beat_of(packet, index, config)
        noted.given_valid[row, stream], noted.given_last[row, stream] = True, last
        noted.given_last_byte[row, stream] = last_byte
        noted.given_dest[row, stream], noted.given_error[row, stream] = packet.dest, error
        noted.given_data[row, stream] = data


@compiled
def note_received(noted: AxiRecording, row: int, config: AnyConfig, state: AnyState) -> None:
    """Note what users receive in this cycle."""
    for stream in range(config.places * config.classes):
        beat = state.terminals.beat[stream]
        noted.given_ready[row, stream] = beat.ready
        if beat.valid:
            noted.valid[row, stream], noted.last[row, stream] = True, beat.last
            noted.last_byte[row, stream], noted.data[row, stream] = beat.last_byte, beat.data
            noted.user[row, stream] = beat.source << 1 | beat.error

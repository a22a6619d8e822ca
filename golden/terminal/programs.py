"""Programs behind OS-Links of their own: they send messages, and take and check bytes."""

from typing import Any

from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.link.os_link import tx_ready
from fingerpost.golden.router.records import record
from fingerpost.golden.router.state import Config, State
from fingerpost.golden.terminal.message import DATA, LENGTH
from fingerpost.golden.terminal.queues import front_row, step_queue

PROGRAM = record(
    int64="due",
    int32="packet end going index pause deaf heard_index source length",
    bool="talks silent differs garbage",
)
"""A program: the packet whose message it sends, or will when that is `due`, and the last's end.

Of the messages that have begun, those from `going` on have not reached the terminal. `index` is
that of the next byte; `pause` and `deaf` are clocks in which it sends and takes nothing; `silent`:
it stopped in the middle of a message.

Of a message that it takes: `heard_index` bytes, `source`, and `length`. `differs`: some byte is not
that of its packet, and `garbage`: one from there on is not 0.
"""

MALFORMED = -1
"""`FAULT.index` of a message that was out of place, or not as it was sent."""

NOT_GIVEN_UP, NO_MESSAGE = -2, -3
"""Of one that a terminal gave up though its program did not; of a byte that is of none."""


@compiled
def data_byte(packet: Any, index: int) -> int:
    """Return a byte of the data of a packet's message."""
    return (packet.salt ^ index * 0x9E3779B97F4A7C1) * 0x2545F491 >> 17 & 0xFF  # type: ignore[no-any-return]


@compiled
def message_byte(packet: Any, index: int) -> int:
    """Return a byte of a packet's message: destination, length, data."""
    if index >= DATA:
        return data_byte(packet, index - DATA)
    word = packet.dest if index < LENGTH else packet.size
    return word >> 8 * (index % 2) & 0xFF  # type: ignore[no-any-return]


@compiled
def note_fault(node: int, kind: int, number: int, state: State) -> None:
    """Keep a fault, if it is one of the first."""
    clock = state.clock[0]
    if clock.faults < len(state.fault):
        fault = state.fault[clock.faults]
        fault.cycle, fault.node, fault.index, fault.packet = clock.now, node, kind, number
    clock.faults += 1


@compiled
def withdraw(number: int, state: State) -> None:
    """Expect a packet no longer."""
    packet, clock = state.packets[number], state.clock[0]
    if packet.expected and packet.delivered < 0:
        clock.outstanding -= 1
    packet.expected = False


@compiled
def begin(program: Any, now: int) -> None:
    """Let a program begin the next message, if it is due."""
    if (
        not (program.talks or program.silent)
        and program.packet < program.end
        and program.due <= now
    ):
        program.talks, program.index = True, 0


@compiled
def next_message(program: Any, state: State) -> None:
    """Let a program go on to the next message."""
    program.packet += 1
    if program.packet < program.end:
        program.due = state.packets[program.packet].time


@compiled
def step_program(
    node: int, valid: bool, byte: int, config: Config, state: State, stalls: Any
) -> None:
    """Go through a clock edge: with the byte that the program's port has, if `valid`."""
    terminals = state.terminals
    program = terminals.program[node]
    speaks, listens = program.talks and program.pause == 0, program.deaf == 0
    program.pause, program.deaf = max(program.pause - 1, 0), max(program.deaf - 1, 0)
    if speaks and tx_ready(node, terminals.programs, config.terminal.port):
        packet = state.packets[program.packet]
        program.index += 1
        program.pause = _pause(2 * node, state, stalls)
        if program.index == packet.stop_at:
            program.silent, program.talks = True, False
        elif program.index == DATA + packet.size:
            program.talks = False
            next_message(program, state)
    if listens and valid:
        program.deaf = _pause(2 * node + 1, state, stalls)
        hear(node, byte, config, state)


@compiled
def _pause(number: int, state: State, stalls: Any) -> int:
    """Return the clocks of a pause, 0 where there is none."""
    return stalls[state.clock[0].drawn + number] if len(stalls) else 0


@compiled
def hear(node: int, byte: int, config: Config, state: State) -> None:
    """Take a byte, and check a message that is complete."""
    terminals = state.terminals
    program, coming = terminals.program[node], terminals.coming[node]
    if coming.level == 0:
        note_fault(node, NO_MESSAGE, 0, state)
        return
    number = front_row(coming, terminals.coming_row, node, config.terminal.coming).tag
    packet, index = state.packets[number], program.heard_index
    program.heard_index = index + 1
    if index == 0:
        program.source, program.length, program.differs, program.garbage = byte, 0, False, False
    elif index < LENGTH:
        program.source |= byte << 8
    elif index < DATA:
        program.length |= byte << 8 * (index - LENGTH)
    elif index < DATA + program.length:
        _compare(program, packet, index - DATA, byte)
    else:
        program.heard_index = 0
        step_queue(coming, True, False, config.terminal.coming)
        check(node, number, byte, state)
        return
    if packet.stalls and index == packet.deaf_at:
        program.deaf = config.terminal.deaf


@compiled
def _compare(program: Any, packet: Any, index: int, byte: int) -> None:
    """Compare a byte of data with that of the packet; those that were cut end with zeros."""
    if index >= packet.size or byte != data_byte(packet, index):
        program.differs = True
    if program.differs and byte != 0:
        program.garbage = True


@compiled
def check(node: int, number: int, status: int, state: State) -> None:
    """Check a message that came out at a node."""
    packet, program, clock = state.packets[number], state.terminals.program[node], state.clock[0]
    if packet.closed or packet.cut:
        good = status == 1 and not program.garbage
    else:
        placed = program.source == packet.source and node == packet.destination
        same = program.length == packet.size and not program.differs
        good = placed and same and status == 0 and packet.expected
    if packet.expected and packet.delivered < 0:
        clock.outstanding -= 1
    packet.delivered = clock.now
    if not good:
        note_fault(node, MALFORMED, number, state)

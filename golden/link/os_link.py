"""The OS-Link port of a transputer, clock by clock (docs/design/os-link-internals.md).

A byte or an acknowledge that goes one way is sent on the same wire as those of the other direction.
"""

from typing import Any, NamedTuple

import numpy as np

from fingerpost.golden.arrays import Array
from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.link.parameters import (
    BREAK_HIGH,
    BREAK_HOLD,
    BREAK_LOW,
    BROKEN,
    BYTE,
    HOLD,
    QUIET,
    STOP,
    OsLinkParameters,
)
from fingerpost.golden.router.records import record


class PortConfig(NamedTuple):
    """What does not change of OS-Link ports: `OsLinkParameters`, mostly in clocks."""

    clocks_per_bit: int
    middle: int
    """The clock of a bit in which it is sampled."""
    fifo: int
    late: bool
    byte_bits: int
    acknowledge_bits: int
    """Bit times from the start of a packet to that of the next."""
    turns: bool
    """Whether bytes and acknowledges take turns."""
    timeout: int
    breaks: bool
    checked: bool
    """Whether stop bits must be low."""


class Ports(NamedTuple):
    """OS-Link ports: arrays of records, and (ports * fifo,) bytes that wait in them."""

    port: Array
    receiver: Array
    transmitter: Array
    fifo: Array


RECEIVER = record(int32="tick bit data high", bool="metastable line before armed active")
"""Two flip-flops at the wire, and the level before; the bit that is received, and the byte.

Of a receiver that is not `active`, `tick` and `bit` count since the last edge.
"""


class Heard(NamedTuple):
    """What a receiver tells in a clock, by its registers."""

    header: bool
    """The second bit of a byte has been sampled: this is no acknowledge."""
    acknowledge: bool
    """An acknowledge is complete."""
    byte: bool
    bad_stop: bool
    """A byte is complete, or it has no stop bit."""
    link_break: bool
    """The line has been high for longer than any packet."""


@compiled
def heard(receiver: Any, config: PortConfig) -> Heard:
    """Return what a receiver tells in this clock."""
    line = receiver.line
    sample = receiver.active and receiver.tick == config.middle
    second, stop = sample and receiver.bit == 1, _stops(receiver, config)
    wrap = receiver.tick == config.clocks_per_bit - 1
    return Heard(
        header=second and line,
        acknowledge=second and not line,
        byte=stop and not (config.checked and line),
        bad_stop=stop and config.checked and line,
        link_break=line and wrap and receiver.high == BROKEN - 1,
    )


@compiled
def _stops(receiver: Any, config: PortConfig) -> bool:
    """Return whether a byte ends in this clock.

    If stop bits are ignored, it does with its last bit of data: the next packet may begin before
    the stop bit ends.
    """
    bit, late = (STOP, 0) if config.checked else (STOP - 1, 1)
    at = receiver.bit == bit and receiver.tick == config.middle + late
    return receiver.active and at  # type: ignore[no-any-return]


@compiled
def step_receiver(receiver: Any, link_in: bool, config: PortConfig) -> None:
    """Go through a clock edge, at which the wire is at `link_in`."""
    line, before, active, armed = receiver.line, receiver.before, receiver.active, receiver.armed
    sample = active and receiver.tick == config.middle
    wrap = receiver.tick == config.clocks_per_bit - 1
    # The bits are counted from the last rise, or until it listens from the last fall.
    start = not active and line != before and line == armed
    over = (sample and receiver.bit <= 1 and not line) or _stops(receiver, config)
    if sample:
        receiver.data = receiver.data >> 1 | (0x80 if line else 0)
    if wrap and receiver.bit == QUIET - 1 and not line and not before:
        receiver.armed = True
    if start:
        receiver.bit, receiver.tick = 0, 1
    elif wrap:
        receiver.bit, receiver.tick = receiver.bit + 1, 0
    else:
        receiver.tick += 1
    receiver.active = (start and line) or (active and not over)
    if config.breaks:
        receiver.high = min(receiver.high + wrap, BROKEN) if before else 0
    receiver.before, receiver.line, receiver.metastable = line, receiver.metastable, link_in


TRANSMITTER = record(int32="shift tick left", bool="holding")
"""The bits of a packet that are to be sent, and how many bit times are left.

`holding`: too little time has passed since the reset or the last break. What follows a reset is
sent like a packet, and so is a break with what follows it.
"""


@compiled
def is_ready(transmitter: Any, config: PortConfig) -> bool:
    """Return whether this clock may be the last one before a packet."""
    ends = transmitter.left == 1 and transmitter.tick == config.clocks_per_bit - 1
    return transmitter.left == 0 or ends  # type: ignore[no-any-return]


@compiled
def is_breaking(transmitter: Any) -> bool:
    """Return whether a break is being sent."""
    over = BREAK_HOLD - BREAK_HIGH - BREAK_LOW
    return transmitter.holding and transmitter.left > over  # type: ignore[no-any-return]


@compiled
def step_transmitter(
    transmitter: Any,
    data: int,
    send_data: bool,
    send_ack: bool,
    send_break: bool,
    link_break: bool,
    config: PortConfig,
) -> None:
    """Go through a clock edge, after which at most one packet starts."""
    ready, idle = is_ready(transmitter, config), transmitter.left == 0
    wrap = transmitter.tick == config.clocks_per_bit - 1
    # The other end does not listen before its break is over; an answer has a hold of its own.
    longer = link_break and transmitter.holding and transmitter.left < HOLD and not ready
    start = send_data or send_ack or send_break
    if send_break:
        transmitter.shift, transmitter.left = (1 << BREAK_HIGH) - 1, BREAK_HOLD
    elif send_data:
        transmitter.shift, transmitter.left = data << 2 | 0b11, config.byte_bits
    elif send_ack:
        transmitter.shift, transmitter.left = 0b01, config.acknowledge_bits
    else:
        if wrap and not idle:
            transmitter.shift, transmitter.left = transmitter.shift >> 1, transmitter.left - 1
        if longer:
            transmitter.left = HOLD
    restarts = start or longer or wrap or idle
    transmitter.tick = 0 if restarts else transmitter.tick + 1
    if ready:
        transmitter.holding = send_break


PORT = record(int32="level waited", bool="outstanding owed inflight err_timeout wants_break turn")
"""A port: the bytes that wait in it, and the clocks for which one was not acknowledged.

`outstanding`: the other end owes an acknowledge; `owed`: this one does; `inflight`: a byte is being
received; `turn`: an acknowledge was sent last.
"""


def make_config(parameters: OsLinkParameters) -> PortConfig:
    """Return what does not change of ports."""
    return PortConfig(
        clocks_per_bit=parameters.clocks_per_bit,
        middle=parameters.middle,
        fifo=parameters.fifo,
        late=parameters.acknowledge == "late",
        byte_bits=max(BYTE, parameters.slot),
        acknowledge_bits=max(2, parameters.slot),
        turns=parameters.slot >= BYTE,
        timeout=parameters.timeout * parameters.clocks_per_bit,
        breaks=parameters.breaks,
        checked=parameters.stop == "checked",
    )


def make_ports(runs: int, ports: int, config: PortConfig) -> Ports:
    """Return so many ports of each run, after a reset."""
    made = Ports(
        port=np.zeros((runs, ports), PORT),
        receiver=np.zeros((runs, ports), RECEIVER),
        transmitter=np.zeros((runs, ports), TRANSMITTER),
        fifo=np.zeros((runs, ports * config.fifo), np.int16),
    )
    made.port["wants_break"] = config.breaks
    made.transmitter["left"], made.transmitter["holding"] = HOLD, True
    return made


@compiled
def link_out(number: int, ports: Ports) -> bool:
    """Return what a port has on its wire."""
    return ports.transmitter[number].shift & 1 > 0  # type: ignore[no-any-return]


@compiled
def _is_permitted(port: Any, config: PortConfig) -> bool:
    """Return whether an acknowledge is owed, and an entry free for the byte that it permits."""
    taken = port.level + 1 if port.inflight else port.level
    return port.owed and taken <= config.fifo - 1  # type: ignore[no-any-return]


@compiled
def tx_ready(number: int, ports: Ports, config: PortConfig) -> bool:
    """Return whether a port would take a byte now."""
    port = ports.port[number]
    free = is_ready(ports.transmitter[number], config) and not port.wants_break
    turn = port.turn or not _is_permitted(port, config)
    return free and turn and not port.outstanding


@compiled
def errors(number: int, ports: Ports, config: PortConfig) -> int:
    """Return what is wrong in this clock, a bit for each of `ERRORS`."""
    port, receiver = ports.port[number], ports.receiver[number]
    transmitter = ports.transmitter[number]
    signals, hears = heard(receiver, config), not is_breaking(transmitter)
    recent = config.breaks and transmitter.holding
    found = 1 if signals.bad_stop and hears else 0
    found |= 2 if signals.acknowledge and not port.outstanding and not recent else 0
    found |= 4 if signals.header and port.owed and hears else 0
    found |= 8 if signals.byte and port.level == config.fifo and hears else 0
    found |= 16 if port.err_timeout else 0
    return found | (32 if config.breaks and signals.link_break else 0)


@compiled
def step_port(
    number: int,
    link_in: bool,
    tx_data: int,
    tx_valid: bool,
    rx_ready: bool,
    tx_break: bool,
    ports: Ports,
    config: PortConfig,
) -> None:
    """Go through a clock edge.

    Parameters
    ----------
    number : int
        The port.
    link_in : bool
        The wire from the other port.
    tx_data, tx_valid : int, bool
        The byte to send.
    rx_ready : bool
        The byte at `rx_data` is taken, if there is one.
    tx_break : bool
        A break is asked for.
    """
    port, receiver, transmitter = (
        ports.port[number],
        ports.receiver[number],
        ports.transmitter[number],
    )
    signals, ready = heard(receiver, config), is_ready(transmitter, config)
    send_break = ready and port.wants_break
    link_break = config.breaks and signals.link_break
    send_data = tx_valid and tx_ready(number, ports, config)
    send_ack = ready and _is_permitted(port, config) and not send_break and not send_data
    clear = is_breaking(transmitter) or send_break or link_break
    _step_fifo(number, receiver, signals.byte, rx_ready, ports, config)
    # An acknowledge goes first. But if it is as long as a byte, the next one is owed when it
    # ends, and a peer that never pauses would never hear a byte: then they take turns.
    if config.turns and (send_ack or send_data):
        port.turn = send_ack
    # One bit: of two bytes without acknowledge in between one was never sent or never waits.
    owes = signals.byte if config.late else signals.header
    port.owed = (owes or (port.owed and not send_ack)) and not clear
    ends = signals.byte or signals.bad_stop
    port.inflight = (signals.header or (port.inflight and not ends)) and not clear
    waits = port.outstanding and not signals.acknowledge
    if config.timeout > 0:
        late = port.waited == config.timeout
        port.err_timeout = (port.err_timeout or (late and port.outstanding)) and not clear
        port.waited = min(port.waited + 1, config.timeout) if waits and not clear else 0
    port.outstanding = (send_data or waits) and not clear
    if clear:
        port.level = 0
    if config.breaks:
        answers = link_break and (not transmitter.holding or ready)
        port.wants_break = (tx_break or answers or port.wants_break) and not send_break
    step_transmitter(transmitter, tx_data, send_data, send_ack, send_break, link_break, config)
    step_receiver(receiver, link_in, config)


@compiled
def _step_fifo(
    number: int, receiver: Any, byte: bool, rx_ready: bool, ports: Ports, config: PortConfig
) -> None:
    """Take the byte at the front away, and write one that is complete, if there was room."""
    port, first = ports.port[number], number * config.fifo
    level, pop = port.level, port.level > 0 and rx_ready
    if byte and level < config.fifo:
        ports.fifo[first + level] = receiver.data
        port.level += 1
    if pop:
        for at in range(first, first + config.fifo - 1):
            ports.fifo[at] = ports.fifo[at + 1]
        port.level -= 1

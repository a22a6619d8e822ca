"""The transmitter of an OS-Link port (docs/design/os-link-internals.md, T1 and T4)."""

from typing import Any

from fingerpost.golden.engine.link.state import PortConfig
from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.link.parameters import BREAK_HIGH, BREAK_HOLD, BREAK_LOW, HOLD
from fingerpost.golden.router.records import record

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

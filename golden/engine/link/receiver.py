"""The receiver of an OS-Link port (docs/design/os-link-internals.md, R1 to R6, R9)."""

from typing import Any, NamedTuple

from fingerpost.golden.engine.link.state import PortConfig
from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.link.parameters import BROKEN, QUIET, STOP
from fingerpost.golden.router.records import record

RECEIVER = record(int32="tick bit data high", bool="metastable line before armed active")
"""Two flip-flops at the wire, and the level before; the bit that is received, and the byte.

Of a receiver that is not `active`, `tick` and `bit` count since the last edge.
"""


class Heard(NamedTuple):
    """What a receiver tells in a clock, by its registers.

    Attributes
    ----------
    header : bool
        The second bit of a byte has been sampled: this is no acknowledge.
    acknowledge : bool
        An acknowledge is complete.
    byte, bad_stop : bool
        A byte is complete, or it has no stop bit.
    link_break : bool
        The line has been high for longer than any packet.
    """

    header: bool
    acknowledge: bool
    byte: bool
    bad_stop: bool
    link_break: bool


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

"""Delay lines: what is sent arrives a fixed number of cycles later, in a place of its own."""

from typing import Any, NamedTuple

import numpy as np

from fingerpost.golden.arrays import Array
from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.router.state import Config, InFlight


def make_delay_line(runs: int, delay: int, places: Any, kind: Any) -> Array:
    """Return an empty line for each run: an array of (runs, delay + 1, *places).

    What is sent in cycle t is written to the slot of cycle t + delay, and read from it in that
    cycle. So no slot is read and written in the same cycle, unless the delay is 0.
    """
    return np.zeros((runs, delay + 1, *places), kind)


def last_written(line: Array, now: int) -> Array:
    """Return the slot of a line, of one run, that was written in the cycle before `now`."""
    slot: Array = line[(now - 2) % len(line)]
    return slot


class Slots(NamedTuple):
    """The slots of the lines of `InFlight` that a cycle reads, and those that it writes.

    `injected`, `flits`, `arriving`, `credits` and `terminal_credits` arrive in this cycle;
    `injecting`, `leaving`, `leaving_to`, `returned` and `terminal_returned` are the slots of the
    same lines for what is sent.
    """

    injected: Array
    flits: Array
    arriving: Array
    credits: Array
    terminal_credits: Array
    injecting: Array
    leaving: Array
    leaving_to: Array
    returned: Array
    terminal_returned: Array


@compiled
def join(in_flight: InFlight, config: Config, now: int) -> None:
    """Give the first part of the network the masks of all that arrives in cycle `now`."""
    arriving = in_flight.arriving[now % len(in_flight.arriving)]
    credits = in_flight.credits[now % len(in_flight.credits)]
    for part in range(1, len(arriving)):
        for node in range(config.nodes):
            arriving[0, node] |= arriving[part, node]
            credits[0, node] |= credits[part, node]
            arriving[part, node] = credits[part, node] = 0


@compiled
def _ends(slots: int, now: int) -> tuple[int, int]:
    """Return the slots of a line that cycle `now` reads, and writes."""
    return now % slots, (now + slots - 1) % slots


@compiled
def slots_of(in_flight: InFlight, now: int, part: int) -> Slots:
    """Return the slots of cycle `now` for a part of the network; `join` has been called before."""
    injected, injecting = _ends(len(in_flight.injection), now)
    flits, leaving = _ends(len(in_flight.flits), now)
    credits, returned = _ends(len(in_flight.credits), now)
    return Slots(
        in_flight.injection[injected],
        in_flight.flits[flits],
        in_flight.arriving[flits, 0],
        in_flight.credits[credits, 0],
        in_flight.terminal_credits[credits],
        in_flight.injection[injecting],
        in_flight.flits[leaving],
        in_flight.arriving[leaving, part],
        in_flight.credits[returned, part],
        in_flight.terminal_credits[returned],
    )

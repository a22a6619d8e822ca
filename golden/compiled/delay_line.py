"""Delay lines: lists of entries that arrive a fixed number of cycles after they are sent."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.compiled.bits import INDEX
from fingerpost.golden.compiled.jit import compiled

__all__ = ["DelayLine", "Slot", "make_delay_line", "push", "slot_of"]


class DelayLine(NamedTuple):
    """The entries in flight, by the cycle of their arrival, modulo the slots.

    An entry sent in cycle t with a delay of d cycles is pushed to the slot of cycle t + d, and
    read from it in that cycle. There are d + 1 slots; d suffice if a slot is emptied before the
    same cycle pushes to it.

    Attributes
    ----------
    entries : (runs, slots, capacity) array of records
    length : (runs, slots) array
        The entries of each slot.
    """

    entries: NDArray[Any]
    length: NDArray[Any]


class Slot(NamedTuple):
    """The entries that arrive in one cycle: the first `length[0]` of `entries`."""

    entries: NDArray[Any]
    length: NDArray[Any]


def make_delay_line(runs: int, slots: int, capacity: int, kind: Any) -> DelayLine:
    """Return an empty line for each run."""
    return DelayLine(np.zeros((runs, slots, capacity), kind), np.zeros((runs, slots), np.int64))


@compiled
def slot_of(line: DelayLine, cycle: int) -> Slot:
    """Return the slot of what arrives in a cycle."""
    slot = cycle % len(line.length)
    return Slot(line.entries[slot], line.length[slot : slot + 1])


@compiled
def push(slot: Slot) -> Any:
    """Add an entry to a slot; return its record, to be filled in."""
    number = slot.length[0] & INDEX
    slot.length[0] = number + 1
    return slot.entries[number]

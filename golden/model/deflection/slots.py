"""Flits in the slots of all deflection routers, as arrays."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray


@dataclass
class Slots:
    """A register of each slot of all routers; of an empty slot only `valid` means anything.

    Attributes
    ----------
    valid : array of bool
        There is a flit.
    epoch : array
        The epoch in which it was injected.
    destination, data : arrays
    key : array
        An upper bound of the hops that are left; 0: it is at its destination.
    distance : array
        The hops that are left, by the table.
    old : array of bool
        It is not of the current epoch.
    wanted : array
        A bit for each slot whose output port is productive.
    rank : array
        Its place in the order of priorities of its router; the lowest comes first.
    down : array of bool
        Its link is not up: it is empty, and goes by its passages to the output of the link.
    tag : array
        What the hardware does not have: it tells packets apart.
    """

    valid: BoolArray
    epoch: IntArray
    destination: IntArray
    data: IntArray
    key: IntArray
    distance: IntArray
    old: BoolArray
    wanted: IntArray
    rank: IntArray
    down: BoolArray
    tag: IntArray

    @classmethod
    def empty(cls, slots: int) -> "Slots":
        """Return so many empty slots."""
        kinds: dict[str, Any] = {"valid": np.bool_, "old": np.bool_, "down": np.bool_}
        zeros: list[Any] = [np.zeros(slots, kinds.get(x.name, np.int64)) for x in fields(cls)]
        return cls(*zeros)

    def at(self, place: IntArray) -> "Slots":
        """Return a copy in which slot i has what slot `place[i]` has here."""
        return Slots(*(getattr(self, each.name)[place] for each in fields(self)))

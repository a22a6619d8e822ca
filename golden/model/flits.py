"""Flits at different places of a network."""

from typing import NamedTuple

import numpy as np

from golden.arrays import BoolArray, IntArray

__all__ = ["Flits"]


class Flits(NamedTuple):
    """Flits at different places in one cycle, as parallel arrays.

    `place` is a port of a node, node * (degree + 1) + port: the output on whose link the flit is,
    or the terminal. `tag` is what the hardware does not have: it tells packets apart.
    """

    place: IntArray
    channel: IntArray
    head: BoolArray
    tail: BoolArray
    data: IntArray
    tag: IntArray

    @classmethod
    def none(cls) -> "Flits":
        """Return no flits."""
        number, truth = np.empty(0, np.int64), np.empty(0, np.bool_)
        return cls(number, number, truth, truth, number, number)

    def some(self, which: BoolArray) -> "Flits":
        """Return some of the flits."""
        return Flits._make(column[which] for column in self)

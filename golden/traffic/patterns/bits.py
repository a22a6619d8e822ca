"""Patterns that permute the bits of a terminal's number."""

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.topology.base import Topology
from fingerpost.golden.traffic.patterns.base import Permutation


class BitPattern(Permutation):
    """A permutation of the terminals 0..2^b - 1, the most that there are; others send uniformly.

    Attributes
    ----------
    step : int
        b is a multiple of it.
    """

    step: ClassVar[int] = 1

    @abstractmethod
    def turned(self, number: IntArray, width: int) -> IntArray:
        """Return the destinations of terminals whose numbers have `width` bits."""

    def to(self, topology: Topology) -> IntArray:
        """Return the destination of each terminal, -1 for those whose number has more bits."""
        n = len(topology.terminals)
        width = (n.bit_length() - 1) // self.step * self.step
        destination = np.full(n, -1)
        destination[: 1 << width] = self.turned(np.arange(1 << width), width)
        return destination

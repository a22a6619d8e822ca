"""Bit reversal."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.traffic.patterns.bits import BitPattern


@dataclass(frozen=True)
class BitReverse(BitPattern):
    """Bit i of the destination is bit b-1-i of the source."""

    name: ClassVar[str] = "bitrev"

    def turned(self, number: IntArray, width: int) -> IntArray:
        """Return the bits in reverse order."""
        reverse = np.zeros_like(number)
        for bit in range(width):
            reverse |= (number >> bit & 1) << (width - 1 - bit)
        return reverse

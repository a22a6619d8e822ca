"""Bit rotation, the way back of the shuffle."""

from dataclasses import dataclass
from typing import ClassVar

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.traffic.patterns.bits import BitPattern


@dataclass(frozen=True)
class BitRotation(BitPattern):
    """Bit i of the destination is bit i+1 of the source, and bit b-1 is bit 0."""

    name: ClassVar[str] = "bitrot"

    def turned(self, number: IntArray, width: int) -> IntArray:
        """Return the bits rotated to the right."""
        return number >> 1 | (number & 1) << max(0, width - 1) & (1 << width) - 1

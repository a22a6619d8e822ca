"""Perfect shuffle."""

from dataclasses import dataclass
from typing import ClassVar

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.traffic.patterns.bits import BitPattern


@dataclass(frozen=True)
class Shuffle(BitPattern):
    """Bit i of the destination is bit i-1 of the source, and bit 0 is bit b-1."""

    name: ClassVar[str] = "shuffle"

    def turned(self, number: IntArray, width: int) -> IntArray:
        """Return the bits rotated to the left."""
        return (number << 1 | number >> max(0, width - 1)) & (1 << width) - 1

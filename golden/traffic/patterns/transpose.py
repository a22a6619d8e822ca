"""Matrix transpose."""

from dataclasses import dataclass
from typing import ClassVar

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.traffic.patterns.bits import BitPattern


@dataclass(frozen=True)
class Transpose(BitPattern):
    """The upper half of the bits of a number and the lower half change places."""

    name: ClassVar[str] = "transpose"
    step: ClassVar[int] = 2

    def turned(self, number: IntArray, width: int) -> IntArray:
        """Return row and column in each other's place."""
        half = width // 2
        return number >> half | (number & (1 << half) - 1) << half

"""Butterfly: the highest bit and the lowest change places."""

from dataclasses import dataclass
from typing import ClassVar

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.traffic.patterns.bits import BitPattern


@dataclass(frozen=True)
class Butterfly(BitPattern):
    """Bit 0 of the destination is bit b-1 of the source, and bit b-1 is bit 0."""

    name: ClassVar[str] = "butterfly"

    def turned(self, number: IntArray, width: int) -> IntArray:
        """Return the numbers with both bits turned over where they differ."""
        high = max(0, width - 1)
        differ = (number ^ number >> high) & 1
        return number ^ (differ | differ << high)

"""Bit complement."""

from dataclasses import dataclass
from typing import ClassVar

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.traffic.patterns.bits import BitPattern


@dataclass(frozen=True)
class BitComplement(BitPattern):
    """Bit i of the destination is the opposite of bit i of the source."""

    name: ClassVar[str] = "bitcomp"

    def turned(self, number: IntArray, width: int) -> IntArray:
        """Return all bits turned over."""
        return (1 << width) - 1 - number

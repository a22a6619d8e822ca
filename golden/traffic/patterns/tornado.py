"""Tornado traffic."""

from dataclasses import dataclass
from typing import ClassVar

from fingerpost.golden.traffic.patterns.digits import DigitPattern


@dataclass(frozen=True)
class Tornado(DigitPattern):
    """Packets go nearly half of the way round every dimension, all the same way."""

    name: ClassVar[str] = "tornado"

    def step(self, size: int) -> int:
        """Return half of the ring, less one."""
        return -(-size // 2) - 1

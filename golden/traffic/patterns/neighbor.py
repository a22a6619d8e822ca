"""Nearest neighbours."""

from dataclasses import dataclass
from typing import ClassVar

from fingerpost.golden.traffic.patterns.digits import DigitPattern


@dataclass(frozen=True)
class Neighbor(DigitPattern):
    """Packets go one node up in every dimension."""

    name: ClassVar[str] = "neighbor"

    def step(self, size: int) -> int:
        """Return one."""
        return 1

"""Packets of all lengths between two."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.parameters import Parameter
from fingerpost.golden.traffic.lengths.base import Lengths


@dataclass(frozen=True)
class Uniform(Lengths):
    """All lengths from the least to the most are as frequent.

    Raises
    ------
    ValueError
        If no packet has such a length.
    """

    name: ClassVar[str] = "uniform"
    least: Annotated[int, Parameter("Flits of the shortest packets.", minimum=1, example=1)]
    longest: Annotated[int, Parameter("Flits of the longest packets.", example=8)]

    def __post_init__(self) -> None:
        if not 1 <= self.least <= self.longest:
            raise ValueError(
                f"Traffic needs lengths 1 <= least <= most, not ({self.least}, {self.longest})"
            )

    def __str__(self) -> str:
        return f"{self.least}..{self.longest}"

    @property
    def mean(self) -> float:
        """Return the middle."""
        return (self.least + self.longest) / 2

    @property
    def most(self) -> int:
        """Return the longest."""
        return self.longest

    def draw(self, rng: np.random.Generator, packets: int) -> IntArray:
        """Return lengths, all alike."""
        return rng.integers(self.least, self.longest + 1, size=packets)

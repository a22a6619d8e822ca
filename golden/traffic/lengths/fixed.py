"""Packets of one length."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.parameters import Parameter, ParameterError
from fingerpost.golden.traffic.lengths.base import Lengths


@dataclass(frozen=True)
class Fixed(Lengths):
    """All packets have as many flits.

    Raises
    ------
    ValueError
        If there are none.
    """

    name: ClassVar[str] = "fixed"
    flits: Annotated[int, Parameter("Flits of a packet.", minimum=1, example=4)]

    def __post_init__(self) -> None:
        if self.flits < 1:
            raise ParameterError(
                "flits", f"{self.title()} needs at least 1 of flits, not {self.flits}"
            )

    def __str__(self) -> str:
        return str(self.flits)

    @property
    def mean(self) -> float:
        """Return the length."""
        return float(self.flits)

    @property
    def most(self) -> int:
        """Return the length."""
        return self.flits

    def draw(self, rng: np.random.Generator, packets: int) -> IntArray:
        """Return the same for all."""
        return np.full(packets, self.flits)

"""Packets of two lengths, as requests and replies have them."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.parameters import Parameter, ParameterError
from fingerpost.golden.traffic.lengths.base import Lengths


@dataclass(frozen=True)
class Bimodal(Lengths):
    """A share of the packets is long, the others are short.

    Raises
    ------
    ValueError
        If there are no such lengths, or the share is not one.
    """

    name: ClassVar[str] = "bimodal"
    short: Annotated[int, Parameter("Flits of a short packet.", minimum=1, example=1)]
    long: Annotated[int, Parameter("Flits of a long packet.", example=5)]
    share: Annotated[float, Parameter("The share of the packets that is long.", example=0.2)]

    def __post_init__(self) -> None:
        if not 1 <= self.short <= self.long:
            raise ParameterError(
                "short",
                f"{self.title()} needs 1 <= short <= long, not {self.short} and {self.long}",
            )
        if not 0 <= self.share <= 1:
            raise ParameterError(
                "share", f"{self.title()} needs a share of 0 to 1, not {self.share:g}"
            )

    def __str__(self) -> str:
        return f"{self.name}:{self.short},{self.long},{self.share}"

    @property
    def mean(self) -> float:
        """Return the mean of both."""
        return self.short + (self.long - self.short) * self.share

    @property
    def most(self) -> int:
        """Return the long one."""
        return self.long if self.share else self.short

    def draw(self, rng: np.random.Generator, packets: int) -> IntArray:
        """Return one of both for each."""
        return np.where(rng.random(packets) < self.share, self.long, self.short)

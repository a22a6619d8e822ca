"""Distributions of the lengths of packets; `LENGTHS` has them by name."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.parameters import Parameter, ParameterError
from fingerpost.golden.traffic.spelled import Spelled


class Lengths(Spelled, ABC):
    """How many flits packets have."""

    what: ClassVar[str] = "Length"

    @property
    @abstractmethod
    def mean(self) -> float:
        """Return the mean."""

    @property
    @abstractmethod
    def most(self) -> int:
        """Return the longest."""

    @abstractmethod
    def draw(self, rng: np.random.Generator, packets: int) -> IntArray:
        """Return the lengths of some packets."""


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
        return float(self.flits)

    @property
    def most(self) -> int:
        return self.flits

    def draw(self, rng: np.random.Generator, packets: int) -> IntArray:
        return np.full(packets, self.flits)


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
        return (self.least + self.longest) / 2

    @property
    def most(self) -> int:
        return self.longest

    def draw(self, rng: np.random.Generator, packets: int) -> IntArray:
        return rng.integers(self.least, self.longest + 1, size=packets)


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
        return self.short + (self.long - self.short) * self.share

    @property
    def most(self) -> int:
        return self.long if self.share else self.short

    def draw(self, rng: np.random.Generator, packets: int) -> IntArray:
        return np.where(rng.random(packets) < self.share, self.long, self.short)


LENGTHS: dict[str, type[Lengths]] = {kind.name: kind for kind in (Fixed, Uniform, Bimodal)}

"""What every distribution of packet lengths is."""

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from fingerpost.golden.arrays import IntArray
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

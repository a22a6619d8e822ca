"""Independent packets."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.traffic.arrivals.base import Arrivals, scatter, scatter_at_once


@dataclass(frozen=True)
class Bernoulli(Arrivals):
    """In each cycle a terminal is given a packet with the same probability."""

    name: ClassVar[str] = "bernoulli"
    memory: ClassVar[bool] = False

    def times(
        self, rng: np.random.Generator, rate: NDArray[np.float64], cycles: int
    ) -> tuple[IntArray, IntArray]:
        """Return packets in any of the cycles."""
        return scatter(rng, np.full(len(rate), cycles), rate)

    def more_times(
        self, rng: np.random.Generator, rate: NDArray[np.float64], cycles: int
    ) -> tuple[IntArray, IntArray]:
        """Return packets in any of the cycles."""
        return scatter_at_once(rng, cycles, rate)

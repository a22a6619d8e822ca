"""What every arrival process is."""

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.traffic.spelled import Spelled

__all__ = ["Arrivals", "scatter"]


class Arrivals(Spelled, ABC):
    """When terminals have a packet to send."""

    what: ClassVar[str] = "Arrivals"

    @property
    def most(self) -> float:
        """Return the most packets per cycle that a terminal can be given, in the mean."""
        return 1.0

    @abstractmethod
    def times(
        self, rng: np.random.Generator, rate: NDArray[np.float64], cycles: int
    ) -> tuple[IntArray, IntArray]:
        """Return terminal and cycle of every packet, by terminal, then by cycle.

        Parameters
        ----------
        rate : (terminals,)
            Packets per cycle of each terminal, in the mean; at most `most`.
        cycles : int
            Packets are made in cycles 0..cycles-1.
        """


def scatter(
    rng: np.random.Generator, slots: IntArray, rate: NDArray[np.float64]
) -> tuple[IntArray, IntArray]:
    """Return terminal and slot of packets that come into each slot with the same chance."""
    count = rng.binomial(slots, rate)
    chosen = [
        np.sort(rng.choice(all_, some, replace=False))
        for all_, some in zip(slots.tolist(), count.tolist(), strict=True)
    ]
    return np.repeat(np.arange(len(slots)), count), np.concatenate(chosen).astype(np.int64)

"""What every arrival process is."""

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.traffic.spelled import Spelled


class Arrivals(Spelled, ABC):
    """When terminals have a packet to send.

    Attributes
    ----------
    memory : bool
        Whether packets depend on earlier ones; without memory a run can be drawn in windows.
    """

    what: ClassVar[str] = "Arrivals"
    memory: ClassVar[bool] = True

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

    def more_times(
        self, rng: np.random.Generator, rate: NDArray[np.float64], cycles: int
    ) -> tuple[IntArray, IntArray]:
        """Return the same for a later window of a run; the numbers drawn may be others."""
        return self.times(rng, rate, cycles)


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


def scatter_at_once(
    rng: np.random.Generator, slots: int, rate: NDArray[np.float64]
) -> tuple[IntArray, IntArray]:
    """Return the same for slots that are as many everywhere, drawn for all terminals together.

    Where the chance is the same everywhere, the gaps between packets are drawn, from each terminal
    on to the next.
    """
    if not (rate == rate[0]).all():
        return scatter(rng, np.full(len(rate), slots), rate)
    total, at = slots * len(rate), [np.full(1, -1)]
    while at[-1][-1] < total:
        more = int((total - at[-1][-1]) * rate[0]) + 1000
        at.append(at[-1][-1] + rng.geometric(rate[0], more).cumsum())
    found = np.concatenate(at[1:])
    source, slot = np.divmod(found[found < total], slots)
    return source, slot

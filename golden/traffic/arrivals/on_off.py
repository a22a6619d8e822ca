"""Bursts: terminals that are on and off in turn."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.parameters import Parameter, ParameterError
from fingerpost.golden.traffic.arrivals.base import Arrivals, scatter
from fingerpost.golden.traffic.arrivals.periods import periods


@dataclass(frozen=True)
class OnOff(Arrivals):
    """A Markov chain of two states; while it is on, packets come as in Bernoulli arrivals.

    A burst has 1/beta cycles and a silence 1/alpha, in the mean. While a terminal is on, it is
    given rate (alpha + beta) / alpha packets a cycle, so that its mean is the rate.

    Raises
    ------
    ValueError
        If they are no probabilities.
    """

    name: ClassVar[str] = "on-off"
    alpha: Annotated[
        float, Parameter("The probability with which a burst begins in a cycle.", example=0.01)
    ] = 0.5
    beta: Annotated[
        float, Parameter("The probability with which a burst ends in a cycle.", example=0.05)
    ] = 0.5

    def __post_init__(self) -> None:
        for key in ("alpha", "beta"):
            value = getattr(self, key)
            if not 0 < value <= 1:
                raise ParameterError(
                    key, f"{self.title()} needs {key} above 0 and up to 1, not {value:g}"
                )

    @property
    def most(self) -> float:
        """Return the share of the cycles in which a terminal is on."""
        return self.alpha / (self.alpha + self.beta)

    def times(
        self, rng: np.random.Generator, rate: NDArray[np.float64], cycles: int
    ) -> tuple[IntArray, IntArray]:
        """Return packets in any of the cycles of bursts."""
        on = rng.random(len(rate)) < self.most
        # What is left of a period is as long as a new one: the chain has no memory.
        first = np.where(on, rng.geometric(self.beta, len(on)), rng.geometric(self.alpha, len(on)))
        found = periods(
            on=on,
            first=first,
            draw_on=lambda _, shape: rng.geometric(self.beta, shape),
            draw_off=lambda _, shape: rng.geometric(self.alpha, shape),
            cycles=cycles,
        )
        order = np.lexsort((found.begin, found.process))
        terminal, begin, end = (column[order] for column in found)
        # All cycles of bursts in a row, a terminal's behind another's: packets come into these.
        until = np.cumsum(end - begin)
        slots = np.bincount(terminal, end - begin, len(rate)).astype(np.int64)
        source, slot = scatter(rng, slots, np.minimum(1, rate / self.most))
        place = slot + (np.cumsum(slots) - slots)[source]
        burst = np.searchsorted(until, place, side="right")
        return source, place - until[burst] + end[burst]

"""Means of correlated samples, and how sure they are: the method of batch means."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from fingerpost.golden.arrays import IntArray

__all__ = ["BATCHES", "CONFIDENCE", "Estimate", "by_batch", "estimate"]

BATCHES = 10
"""Batches of a measurement. Ten are enough, and fewer, longer ones depend less on one another."""

CONFIDENCE = 0.95


class Estimate(NamedTuple):
    """A mean, and the ends of its interval of `CONFIDENCE`; None if too little is known."""

    mean: float
    low: float | None
    high: float | None

    @property
    def interval(self) -> list[float] | None:
        """Return both ends, or None."""
        return None if self.low is None or self.high is None else [self.low, self.high]


def estimate(means: ArrayLike) -> Estimate:
    """Return the mean of the means of batches, which are taken to be independent and normal.

    Examples
    --------
    >>> found = estimate([1, 2, 3])  # t(0.975, 2 degrees of freedom) = 4.303
    >>> found.mean, round(found.low, 3), round(found.high, 3)
    (2.0, -0.484, 4.484)
    """
    batches = np.asarray(means, np.float64)
    mean = float(batches.mean())
    if len(batches) < 2:
        return Estimate(mean, None, None)
    error = float(batches.std(ddof=1)) / len(batches) ** 0.5
    half = float(stdtrit(len(batches) - 1, (1 + CONFIDENCE) / 2)) * error
    return Estimate(mean, mean - half, mean + half)


def by_batch(
    time: IntArray, weight: IntArray, *, start: int, cycles: int
) -> tuple[NDArray[np.float64], IntArray]:
    """Return the sum of the weights in each batch, and how many there are.

    Batch b is from `start` + b `cycles` / `BATCHES` on; what is before or after them all is left
    out. With fewer cycles than `BATCHES` each is a batch.
    """
    batches = min(BATCHES, cycles)
    inside = (time >= start) & (time < start + cycles)
    batch = (time[inside] - start) * batches // cycles
    total = np.bincount(batch, weight[inside], minlength=batches).astype(np.float64)
    return total, np.bincount(batch, minlength=batches)

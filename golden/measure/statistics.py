"""Means of correlated samples, and how sure they are: the method of batch means."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fingerpost.golden.arrays import IntArray

BATCHES = 10
"""Batches of a measurement. Ten are enough, and fewer, longer ones depend less on one another."""

CONFIDENCE = 0.95


QUANTILES = (
    12.706204736174694,
    4.302652729749462,
    3.1824463052837078,
    2.7764451051977934,
    2.5705818356363146,
    2.4469118511449786,
    2.364624251592784,
    2.306004135204166,
    2.262157162798205,
)
"""Those of Student's t distribution at (1 + `CONFIDENCE`) / 2 for 1, 2, ... degrees of freedom, as
many as batches can have: to import scipy for one of them takes longer than a short run."""


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
    half = _quantile(len(batches) - 1) * error
    return Estimate(mean, mean - half, mean + half)


def _quantile(freedom: int) -> float:
    """Return the quantile of Student's t distribution for an interval of `CONFIDENCE`."""
    if freedom <= len(QUANTILES):
        return QUANTILES[freedom - 1]
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + CONFIDENCE) / 2))


def by_batch(
    time: IntArray, weight: IntArray, *, start: int, cycles: int
) -> tuple[NDArray[np.float64], IntArray]:
    """Return the sum of the weights in each batch, and how many there are.

    Batch b is from `start` + b `cycles` / `BATCHES` on; what is before or after them all is left
    out. With fewer cycles than `BATCHES` each is a batch.
    """
    batches = min(BATCHES, cycles)
    # What is outside is counted in a batch of its own at either end.
    batch = np.clip((time - start) * batches // cycles, -1, batches) + 1
    weight = weight.astype(np.float64)  # faster than what bincount makes of integers
    total = np.bincount(batch, weight, minlength=batches + 2).astype(np.float64)
    return total[1:-1], np.bincount(batch, minlength=batches + 2)[1:-1]

"""Statistics of correlated series: truncation, batch means, and whether a backlog grows.

The series of a queueing simulation are correlated, start from an empty network, and near
saturation resemble a reflected random walk. Four published tools are enough for them:

- the *von Neumann ratio* (Annals of Mathematical Statistics 12, 1941), which is 2 for
  independent values and falls to 0 as neighbours become alike;
- *MSER* (White, Cobb and Spratt, Winter Simulation Conference 2000), which finds where the
  transient from the empty network ends;
- *batch means* that are tested for correlation (Fishman, Management Science 24, 1978) and adjusted
  for it and for skewness (N-Skart: Tafazzoli, Steiger and Wilson, IEEE Transactions on Automatic
  Control 56, 2011);
- the von Neumann ratio of the *backlog* as the test of a unit root that Sargan and Bhargava gave
  (Econometrica 51, 1983): a queue below its capacity returns to its mean again and again, one
  above it grows linearly, and one exactly at it is a reflected random walk.
"""

from enum import Enum, auto
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

CONFIDENCE = 0.95

BLOCKS = 32
"""Blocks of a series in tests for correlation and growth."""

FEWEST = 8
"""Blocks below which nothing is decided."""

STABLE, GROWING = 0.75, 0.04
"""The von Neumann ratios of `BLOCKS` means that 5 % of reflected random walks without drift, that
is of queues at their very capacity, exceed, and that 1 % fall short of."""

UNCORRELATED = 1.2816
"""Standard deviations below 2 at which the ratio of batches has 10 % significance."""

QUANTILES = {7: 2.364624251592784, 15: 2.131449545559323, 31: 2.0395134463964077}
"""Those of Student's t distribution at (1 + `CONFIDENCE`) / 2 for the degrees of freedom of batch
means: to import scipy for one of them takes longer than a short run."""

Floats = NDArray[np.float64]


class Estimate(NamedTuple):
    """A mean, and the ends of its interval of `CONFIDENCE`; None if too little is known."""

    mean: float
    low: float | None = None
    high: float | None = None

    def __format__(self, spec: str) -> str:
        """Return the mean, and half of the interval if it is known.

        Examples
        --------
        >>> f"{Estimate(9.04, 8.94, 9.14):.1f}"
        '9.0 \u00b1 0.1'
        """
        if self.low is None or self.high is None:
            return format(self.mean, spec)
        return f"{format(self.mean, spec)} \u00b1 {format((self.high - self.low) / 2, spec)}"

    @property
    def interval(self) -> list[float] | None:
        """Return both ends, or None."""
        return None if self.low is None or self.high is None else [self.low, self.high]

    def within(self, precision: float) -> bool:
        """Return whether half of the interval is at most so large a part of the mean."""
        if self.low is None or self.high is None:
            return False
        return max(self.high - self.mean, self.mean - self.low) <= precision * abs(self.mean)


class Growth(Enum):
    """Whether a backlog grows without end."""

    STABLE = auto()
    GROWING = auto()
    UNDECIDED = auto()


def estimate(means: ArrayLike) -> Estimate:
    """Return the mean of independent and normal values, such as the means of several seeds.

    Examples
    --------
    >>> found = estimate([1, 2, 3])  # t(0.975, 2 degrees of freedom) = 4.303
    >>> found.mean, round(found.low, 3), round(found.high, 3)
    (2.0, -0.484, 4.484)
    """
    values = np.asarray(means, np.float64)
    mean = float(values.mean())
    if len(values) < 2:
        return Estimate(mean)
    half = _half_width(values)
    return Estimate(mean, mean - half, mean + half)


def _half_width(values: Floats) -> float:
    error: float = float(values.std(ddof=1)) / len(values) ** 0.5
    return _quantile(len(values) - 1) * error


def _quantile(freedom: int) -> float:
    """Return the quantile of Student's t distribution for an interval of `CONFIDENCE`."""
    if freedom in QUANTILES:
        return QUANTILES[freedom]
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + CONFIDENCE) / 2))


def blocks(series: NDArray[np.generic], most: int = BLOCKS) -> Floats:
    """Return sums of equally many successive values; the first are left out if some are left over.

    Parameters
    ----------
    series : (values, ...)
    most : int
        Blocks, if there are as many values.
    """
    count = min(most, len(series))
    size = len(series) // max(count, 1)
    some = series[len(series) - count * size :]
    total: Floats = some.reshape(count, size, *series.shape[1:]).sum(axis=1, dtype=np.float64)
    return total


def von_neumann(series: Floats) -> float:
    """Return the mean square of successive differences, in variances; 2 for a constant.

    Of several series beside one another, (values, series), both are summed over all.
    """
    spread = float(((series - series.mean(axis=0)) ** 2).sum())
    change = float((np.diff(series, axis=0) ** 2).sum())
    return change / spread * len(series) / (len(series) - 1) if spread else 2.0


def mser(series: Floats) -> int:
    """Return how many values at the start to leave out: the marginal standard error is least.

    At most half are. A series whose values are means of some cycles makes of MSER the MSER-m.

    Examples
    --------
    >>> mser(np.array([0.0, 3, 6, 5, 7, 6, 5, 7, 6, 6]))
    2
    """
    left = np.arange(len(series), 0, -1)
    total = np.cumsum(series[::-1])[::-1]
    squares = np.cumsum(series[::-1] ** 2)[::-1]
    error = (squares - total**2 / left) / left**2
    return int(np.argmin(error[: len(series) // 2 + 1])) if len(series) else 0


def batch_means(total: NDArray[np.generic], weight: NDArray[np.generic]) -> Estimate | None:
    """Return the mean of the total over the weight, by bin; None if nothing has a weight.

    The interval is the widest of those by 32, 16 and 8 batches. Each is adjusted for the
    correlation of neighbours and for skewness as by N-Skart. It is missing if a batch is empty.
    """
    if not weight.sum():
        return None
    mean = float(total.sum() / weight.sum())
    finest = _ratios(total, weight, BLOCKS)
    if finest is None:
        return Estimate(mean)
    low = high = mean
    deviation = finest - finest.mean()
    spread = float((deviation**2).mean()) ** 1.5
    skewness = max(0.0, float((deviation**3).mean())) / spread if spread else 0.0
    for count in (BLOCKS, BLOCKS // 2, BLOCKS // 4):
        batches = _ratios(total, weight, count)
        assert batches is not None
        ratio = von_neumann(batches)  # 2 - 2 r, and variances of means grow by (1 + r) / (1 - r)
        error = float(batches.std(ddof=1)) * (max(1.0, (4 - ratio) / ratio) / count) ** 0.5
        quantile = _quantile(count - 1)
        low = min(low, mean - error * _skewed(quantile, skewness / 6 / BLOCKS**0.5))
        high = max(high, mean - error * _skewed(-quantile, skewness / 6 / BLOCKS**0.5))
    return Estimate(mean, low, high)


def uncorrelated(total: NDArray[np.generic], weight: NDArray[np.generic]) -> bool:
    """Return whether 32 batches pass the test for correlation."""
    batches = _ratios(total, weight, BLOCKS)
    deviation = ((BLOCKS - 2) / (BLOCKS**2 - 1)) ** 0.5
    least = 2 * (1 - UNCORRELATED * deviation)
    return batches is not None and von_neumann(batches) >= least


def _ratios(total: NDArray[np.generic], weight: NDArray[np.generic], count: int) -> Floats | None:
    """Return the means of batches; None if there are not so many, or one is empty."""
    sums, weights = blocks(total, count), blocks(weight, count)
    return sums / weights if len(sums) == count and weights.all() else None


def _skewed(quantile: float, skewness: float) -> float:
    """Return a quantile of Johnson's modified t statistic."""
    if skewness < 1e-6:
        return quantile
    return (float(np.cbrt(1 + 6 * skewness * (quantile - skewness))) - 1) / (2 * skewness)


def growth(backlog: NDArray[np.generic]) -> Growth:
    """Return whether a backlog grows, from its values at equal distances.

    Parameters
    ----------
    backlog : (values, queues)
        One queue that grows is enough; so is the sum of all.
    """
    means = blocks(backlog)
    if len(means) < FEWEST:
        return Growth.UNDECIDED
    total = means.sum(axis=1, keepdims=True)
    # The ratio of a random walk is in inverse proportion to the number of its blocks.
    ratios = [von_neumann(each) * len(means) / BLOCKS for each in (total, means)]
    if min(ratios) > STABLE:
        return Growth.STABLE
    half = len(means) // 2
    rise = means[-half:].sum(axis=0) - means[:half].sum(axis=0)
    rises = float((rise * abs(rise)).sum()) > 0  # not the end of a transient that falls
    return Growth.GROWING if min(ratios) < GROWING and rises else Growth.UNDECIDED

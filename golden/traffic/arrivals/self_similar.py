"""Self-similar traffic: many sources with heavy tails at each terminal."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.parameters import Parameter, ParameterError
from fingerpost.golden.traffic.arrivals.base import Arrivals
from fingerpost.golden.traffic.arrivals.periods import periods


@dataclass(frozen=True)
class SelfSimilar(Arrivals):
    """Sources that are on and off for times with Pareto's distribution; on, a packet a cycle each.

    Added up they are self-similar, with H = (3 - min(on, off)) / 2 (Willinger, Taqqu, Sherman and
    Wilson, 1997). Bursts have 1 cycle at least and on / (on - 1) in the mean; the rate determines
    the silences. The first period is the rest of one: the rate holds from cycle 0 on.

    Raises
    ------
    ValueError
        If there are too few sources, or a mean length does not exist.
    """

    name: ClassVar[str] = "self-similar"
    sources: Annotated[int, Parameter("Sources at each terminal.", minimum=2, example=16)] = 16
    on: Annotated[float, Parameter("The shape of the lengths of bursts.", example=1.4)] = 1.4
    off: Annotated[float, Parameter("The shape of the lengths of silences.", example=1.2)] = 1.2

    def __post_init__(self) -> None:
        if self.sources < 2:
            raise ParameterError(
                "sources", f"{self.title()} needs at least 2 sources, not {self.sources}"
            )
        for key in ("on", "off"):
            value = getattr(self, key)
            if not 1 < value < float("inf"):
                raise ParameterError(key, f"{self.title()} needs {key} above 1, not {value:g}")

    def times(
        self, rng: np.random.Generator, rate: NDArray[np.float64], cycles: int
    ) -> tuple[IntArray, IntArray]:
        """Return a packet for every whole cycle that begins while a source is on."""
        busy = np.flatnonzero(rate > 0)
        terminal = np.repeat(busy, self.sources)
        share = rate[terminal] / self.sources
        burst = self.on / (self.on - 1)
        silence = burst * (1 - share) / share
        least = silence * (self.off - 1) / self.off
        on = rng.random(len(terminal)) < share
        chance = rng.random(len(terminal))
        found = periods(
            on=on,
            first=np.where(on, _rest(chance, self.on, 1.0), _rest(chance, self.off, least)),
            draw_on=lambda _, shape: 1 + rng.pareto(self.on, shape),
            draw_off=lambda some, shape: least[some][:, None] * (1 + rng.pareto(self.off, shape)),
            cycles=cycles,
        )
        begin, end = (np.ceil(x).astype(np.int64) for x in (found.begin, found.end))
        count = end - begin
        source = np.repeat(terminal[found.process], count)
        within = np.arange(len(source)) - np.repeat(np.cumsum(count) - count, count)
        time = np.repeat(begin, count) + within
        order = np.lexsort((time, source))
        return source[order], time[order]


def _rest(
    chance: NDArray[np.float64], shape: float, least: NDArray[np.float64] | float
) -> NDArray[np.float64]:
    """Return what is left of periods in which a moment falls, from numbers between 0 and 1.

    Of periods of Pareto's distribution; the density of what is left is in proportion to the
    chance that a period is longer.
    """
    mean = least * shape / (shape - 1)
    tail = np.maximum(shape * (1 - chance), np.finfo(np.float64).tiny)
    with np.errstate(over="ignore"):
        long = least * tail ** (-1 / (shape - 1))
    return np.where(chance < (shape - 1) / shape, chance * mean, long)

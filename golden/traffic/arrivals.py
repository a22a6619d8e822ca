"""Arrival processes: when terminals have a packet to send; `ARRIVALS` has them by name."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.parameters import Parameter, ParameterError
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


@dataclass(frozen=True)
class Bernoulli(Arrivals):
    """In each cycle a terminal is given a packet with the same probability."""

    name: ClassVar[str] = "bernoulli"
    memory: ClassVar[bool] = False

    def times(
        self, rng: np.random.Generator, rate: NDArray[np.float64], cycles: int
    ) -> tuple[IntArray, IntArray]:
        return scatter(rng, np.full(len(rate), cycles), rate)

    def more_times(
        self, rng: np.random.Generator, rate: NDArray[np.float64], cycles: int
    ) -> tuple[IntArray, IntArray]:
        return scatter_at_once(rng, cycles, rate)


DRAWN = 64
"""Pairs of periods that are drawn at once for each process."""

Draw = Callable[[IntArray, tuple[int, int]], NDArray[Any]]


class Periods(NamedTuple):
    """The periods in which processes are on, in no order."""

    process: IntArray
    begin: NDArray[Any]
    end: NDArray[Any]


def periods(
    *, on: BoolArray, first: NDArray[Any], draw_on: Draw, draw_off: Draw, cycles: int
) -> Periods:
    """Return when each process is on, from 0 to `cycles`.

    Parameters
    ----------
    on : (processes,)
        Whether it begins so.
    first : (processes,)
        How long it stays as it begins.
    draw_on, draw_off : callable
        Take processes and a shape with a row for each, and return as many lengths of periods.
    """
    process, now = np.arange(len(on)), np.zeros_like(first)
    found: list[Periods] = []
    while len(process):
        shape = len(process), DRAWN
        both = draw_on(process, shape), draw_off(process, shape)
        starts = on[process][:, None]
        lengths = np.stack([np.where(starts, *both), np.where(starts, *both[::-1])], axis=2)
        if not found:
            lengths[:, 0, 0] = first
        lengths = lengths.reshape(len(process), 2 * DRAWN)
        end = now[:, None] + np.cumsum(lengths, axis=1)
        begin = np.concatenate([now[:, None], end[:, :-1]], axis=1)
        is_on = starts == (np.arange(2 * DRAWN) % 2 == 0)
        row, column = np.nonzero(is_on & (begin < cycles))
        clipped = np.minimum(end[row, column], cycles)
        found.append(Periods(process[row], begin[row, column], clipped))
        left = end[:, -1] < cycles
        process, now = process[left], end[left, -1]
    columns = zip(*found, strict=True)
    return Periods(*(np.concatenate(column) for column in columns))


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


ARRIVALS: dict[str, type[Arrivals]] = {kind.name: kind for kind in (Bernoulli, OnOff, SelfSimilar)}

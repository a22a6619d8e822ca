"""A simulation that goes on until it knows enough, what it finds, and how it ends."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.measure.latency import PERCENTILES, Latencies
from fingerpost.golden.measure.statistics import (
    Estimate,
    Growth,
    batch_means,
    blocks,
    growth,
    mser,
    uncorrelated,
)
from fingerpost.golden.measure.watch import GROUP, STILL, Bins, Watched


class Outcome(StrEnum):
    """How a simulation ended."""

    STABLE = "stable"
    """The backlog does not grow: the network carries the load."""

    UNSTABLE = "not stable"
    """The backlog grows without end: the load is more than the network carries."""

    UNDECIDED = "undecided"
    """The run is too short to tell."""

    DEADLOCKED = "deadlocked"
    """Nothing moves, and there are flits inside. A network with its proof never does that."""

    COMPLETE = "complete"
    """All packets of a trace came out."""


OUTCOMES = {
    Growth.STABLE: Outcome.STABLE,
    Growth.GROWING: Outcome.UNSTABLE,
    Growth.UNDECIDED: Outcome.UNDECIDED,
}

FIRST, SURE, MORE = 1024, 4096, 1.5
"""Cycles before the first decision, and before a run that is stable may end: until then decisions
are at twice as many cycles each, then at `MORE` times as many."""

FILLING = 8
"""The first eighth of a run, in which the network fills, is not judged."""

STEADY = 0.1
"""What a network that is not stable accepts differs by so much between halves of the run at most;
else it still fills, or a deadlock spreads."""

BINS = 64
"""Bins before the first decision, at least."""

WORK = 4096
"""Cycles of a given warm-up between reports of progress."""

STEP = 64
"""Cycles between looks at whether anything moves."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True, repr=False)
class Simulation:
    """What a simulation found. Loads are in flits per terminal and cycle, latencies in cycles."""

    outcome: Outcome
    offered: float
    """What terminals had to send in the measurement."""
    accepted: Estimate
    """What came out in the measurement, by packets, to their tails."""
    accepted_least: float
    """The same of the source of which least came out, of those that send anything."""
    latency: Estimate | None
    """The mean over the packets that came out in the measurement; its interval if it is stable.
    None if there were none, or if the network is deadlocked or not stable: then it grows without
    end."""
    latencies: Latencies
    """Of the same packets, in any case."""
    precise: bool
    """Whether the interval is as narrow as was asked; True if nothing was, False if not stable."""
    warm_up: int
    cycles: int
    """The cycles that were deleted at the start, and those of the measurement."""
    link_load: NDArray[np.float64]
    """Shape (nodes, degree). Flits per cycle on each link in the measurement."""
    engine: str
    """The form in which the model ran, ``compiled`` or ``plain``."""
    why: str
    """Why it was plain, if that was not asked for by an argument; nothing if it was compiled."""
    seconds: float

    def __repr__(self) -> str:
        latency = "" if self.latency is None else f", mean latency {self.latency:.1f} cycles"
        return (
            f"<Simulation {self.outcome.value}: accepted {self.accepted:.4f} of "
            f"{self.offered:.4f} flits/terminal/cycle{latency}>"
        )

    @property
    def packets(self) -> int:
        """Return how many packets came out in the measurement."""
        return self.latencies.packets

    @property
    def row(self) -> dict[str, Any]:
        """Return it as a row of a table, of numbers and texts: columns as those of `sweep`."""
        latency = self.latency
        percentiles = self.latencies.percentiles if latency else dict.fromkeys(PERCENTILES)
        return {
            "outcome": self.outcome.value,
            "offered": self.offered,
            "accepted": self.accepted.mean,
            "accepted_low": self.accepted.low,
            "accepted_high": self.accepted.high,
            "accepted_least": self.accepted_least,
            "latency_mean": latency.mean if latency else None,
            "latency_low": latency.low if latency else None,
            "latency_high": latency.high if latency else None,
            **{f"latency_{name}": value for name, value in percentiles.items()},
            "packets": self.packets,
            "warm_up": self.warm_up,
            "measured": self.cycles,
            "precise": self.precise,
        }


class Measurement:
    """A simulation: `run` goes through it.

    Packets are counted as they come out; nothing else is kept of them.

    Parameters
    ----------
    watched : Watched
    cycles : int
        The most behind a given warm-up; of a trace those in which packets are made.
    warm_up : int, optional
        What is left out at the start; otherwise MSER finds it.
    precision : float
        The part of the mean latency that half of its interval may be; 0: all `cycles` are run.
    recorded : bool
        Whether the traffic is a trace, which is measured to its end.
    flows : bool
        See `Latencies`.
    progress : callable
    """

    def __init__(
        self,
        watched: Watched,
        *,
        cycles: int,
        warm_up: int | None,
        precision: float,
        recorded: bool,
        flows: bool,
        progress: Progress,
    ) -> None:
        self.watched, self.cycles, self.warm_up = watched, cycles, warm_up
        self.precision, self.recorded, self.progress = precision, recorded, progress
        self.end = (warm_up or 0) + cycles
        while watched.now < (warm_up or 0):
            progress(watched.now, self.end)
            watched.advance(min((warm_up or 0) - watched.now, WORK))
        watched.collect()
        places = watched.network.topology.terminal_numbers
        width = max(1, min(FIRST, cycles) // BINS)
        self.bins = Bins(start=watched.now, width=width, places=places, flows=flows)

    def run(self) -> bool:
        """Go on until enough is known; return False if it was not when the cycles were over."""
        self._go_on(self.end if self.recorded or not self.precision else FIRST)
        self._judge()
        while not self._enough and self.watched.now < self.end and self.watched.still < STILL:
            look = self.watched.now - self.bins.start
            self._go_on(2 * look if look < SURE else round(MORE * look))
            self._judge()
        if self._stands_still():
            self.outcome = Outcome.DEADLOCKED
        self.watched.check()
        return self._enough

    @property
    def _enough(self) -> bool:
        """Return whether the outcome is known, and the mean of a stable network as was asked."""
        if self.outcome is not Outcome.STABLE:
            return self.outcome is not Outcome.UNDECIDED
        early = self.watched.now - self.bins.start < min(SURE, self.cycles)
        return self.precise and self.uncorrelated and not early

    def _go_on(self, cycles: int) -> None:
        """Go on until so many cycles have been measured, in whole groups of bins."""
        watched, bins = self.watched, self.bins
        watched.sink = bins.add
        until = min(bins.start + cycles, self.end)
        while (not self._out if self.recorded else watched.now < until) and watched.still < STILL:
            self.progress(min(watched.now, self.end), self.end)
            before = watched.run.sent.copy()
            left = bins.start + (len(bins.groups) + 1) * GROUP * bins.width - watched.now
            if self.recorded:
                while left > 0 and not self._out:
                    watched.advance(min(left, STEP))
                    left -= STEP
            else:
                watched.advance(min(left, self.end - watched.now))
            watched.collect()
            bins.close(watched.run.sent - before)

    @property
    def _out(self) -> bool:
        """Return whether all that was to be measured of a trace has come out."""
        return self.watched.all_out(self.bins.start, self.end)

    def _judge(self) -> None:
        """Decide whether the network is stable, and what else can be said."""
        watched, bins = self.watched, self.bins
        cycles = watched.now - bins.start
        count = -(-cycles // bins.width)
        waiting = watched.made(bins.start, watched.now)
        made = (bins.made + bins.by_bin(waiting.time, waiting.source, waiting.length))[:count]
        backlog = np.cumsum(made - bins.out[:count], axis=0)
        self.outcome = Outcome.COMPLETE
        if not self.recorded:
            self.outcome = OUTCOMES[growth(backlog[count // FILLING :])]
            if self.outcome is Outcome.UNSTABLE and not _steady(bins.out[count // FILLING : count]):
                self.outcome = Outcome.UNDECIDED
        unstable = self.outcome is Outcome.UNSTABLE
        first = 0
        if self.warm_up is None:  # what grows is not steady after any warm-up
            found = count // FILLING if unstable else mser(backlog.sum(axis=1, dtype=np.float64))
            first = min(-(-found // GROUP), count // 2 // GROUP)
        bin_ = first * GROUP
        width = np.full(count, bins.width)
        width[-1] -= count * bins.width - cycles
        terminals = watched.terminals
        self.measured = bins.groups[first:]
        self.deleted, self.measured_cycles = bin_ * bins.width, cycles - bin_ * bins.width
        self.offered = float(made[bin_:].sum()) / self.measured_cycles / terminals
        self.served = bins.out[bin_:count].sum(axis=0) / self.measured_cycles
        out = bins.out[bin_:count].sum(axis=1) / terminals
        accepted = batch_means(out, width[bin_:])
        sample = bins.total[bin_:count], bins.packets[bin_:count]
        latency, self.uncorrelated = batch_means(*sample), uncorrelated(*sample)
        assert accepted is not None
        if self.outcome is not Outcome.STABLE and latency:
            latency = Estimate(latency.mean)
        if self.outcome is Outcome.COMPLETE:
            accepted = Estimate(accepted.mean)
        self.accepted, self.latency = accepted, None if unstable else latency
        self.precise = not unstable and (
            not self.precision
            or self.outcome is Outcome.COMPLETE
            or (latency is not None and latency.within(self.precision))
        )

    def _stands_still(self) -> bool:
        """Return whether the network is deadlocked: it goes on until that is certain."""
        watched = self.watched
        watched.sink = lambda sent: None
        if not self.recorded:
            watched.advance(STEP)
        while 0 < watched.still < STILL:
            watched.advance(STEP)
        return watched.still >= STILL

    def result(self, seconds: float) -> Simulation:
        """Return what was found."""
        watched, cycles = self.watched, self.measured_cycles
        topology = watched.network.topology
        measured = reduce(add, self.measured)
        served = self.served[watched.senders]
        return Simulation(
            outcome=self.outcome,
            offered=self.offered,
            accepted=self.accepted,
            accepted_least=float(served.min()) if len(served) else 0.0,
            latency=None if self.outcome is Outcome.DEADLOCKED else self.latency,
            latencies=measured.latencies,
            precise=self.precise,
            warm_up=self.bins.start + self.deleted,
            cycles=cycles,
            link_load=measured.sent[:, : topology.local] / cycles,
            engine=watched.engine.name,
            why=watched.engine.why,
            seconds=seconds,
        )


def _steady(out: IntArray) -> bool:
    """Return whether as much comes out in the second half as in the first."""
    early, late = blocks(out.sum(axis=1), 2) if len(out) > 1 else (0, 0)
    return bool(min(early, late) > 0 and abs(late - early) <= STEADY * max(early, late))

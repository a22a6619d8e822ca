"""What a simulation goes through, and what it finds."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import distinct
from fingerpost.golden.measure.latency import Latencies
from fingerpost.golden.measure.outcome import Outcome
from fingerpost.golden.measure.phases import KEEPS_UP, Phases, Window, settled
from fingerpost.golden.measure.statistics import Estimate, by_batch, estimate
from fingerpost.golden.measure.watch import STILL, Watched

__all__ = ["Measurement", "Progress", "Simulation"]

STEP = 64
"""Cycles between looks at whether all has come out."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Simulation:
    """What a simulation found. Loads are in flits per terminal and cycle, latencies in cycles.

    Attributes
    ----------
    outcome : Outcome
    offered : float
        What terminals had to send in the measurement.
    accepted : Estimate
        What came out in the measurement, by packets, to their tails.
    accepted_least : float
        The same of the source of which least came out, of those that send anything.
    latencies : Latencies
        Of what was made in the measurement and came out in the end.
    packets : int
        What was made in the measurement.
    warm_up, cycles, drain : int
        The cycles of the phases.
    settled : bool
        Whether the state was steady when the warm-up ended; True if its length was given.
    link_load : (nodes, degree) array
        Flits per cycle on each link in the measurement.
    engine : str
        Which model ran, ``compiled`` or ``reference``.
    seconds : float
    """

    outcome: Outcome
    offered: float
    accepted: Estimate
    accepted_least: float
    latencies: Latencies
    packets: int
    warm_up: int
    cycles: int
    drain: int
    settled: bool
    link_load: NDArray[np.float64]
    engine: str
    seconds: float


class Measurement:
    """A simulation: it begins with the warm-up; `run` does the rest.

    Attributes
    ----------
    start, end : int
        The first cycle of the measurement, and the first behind it.
    measured : (packets,) array of bool
        What was made in between.
    settled, behind, dead : bool
        Whether it was steady, fell behind, and was deadlocked in the end.
    """

    def __init__(self, watched: Watched, phases: Phases, progress: Progress) -> None:
        self.watched, self.phases, self.progress = watched, phases, progress
        self.settled = self._warm_up()

    def run(self) -> None:
        """Go through measurement and drain."""
        run, phases = self.watched.run, self.phases
        self.start, before = run.now, run.sent.copy()
        self._advance(phases.cycles)
        self.end = run.now
        self.sent = run.sent - before
        time = run.traffic.time
        self.measured = (time >= self.start) & (time < self.end)
        self.waiting = np.flatnonzero(self.measured & run.expected)
        self.behind = self._falls_behind()
        self.dead = self._drain(0 if self.behind else phases.longest_drain)
        self.watched.check()

    def _advance(self, cycles: int) -> None:
        """Run so many cycles, and tell how far it has come."""
        run, end = self.watched, self.watched.now + cycles
        total = self.phases.longest_warm_up + self.phases.cycles
        while run.now < end:
            self.progress(min(run.now, total), total)
            run.advance(min(STEP, end - run.now))

    def _warm_up(self) -> bool:
        """Run the warm-up; return whether the state is steady behind it."""
        phases, run = self.phases, self.watched.run
        if phases.warm_up is not None:
            self._advance(phases.warm_up)
            return True
        traffic, before = run.traffic, None
        while run.now < phases.longest_warm_up:
            start = run.now
            self._advance(phases.window)
            now = Window.of(traffic.time, traffic.length, run.delivered, start, run.now)
            if before is not None and settled(before, now):
                return True
            before = now
        return False

    def _drain(self, most: int) -> bool:
        """Let out what was measured; return whether the network is deadlocked.

        Where nothing moves it goes on until it is certain that nothing will.
        """
        run = self.watched
        while not self._all_out() and run.still < STILL:
            if run.now - self.end >= most and not run.still:
                break
            run.advance(min(STEP, max(1, self.end + most - run.now)))
        return run.still >= STILL

    def _all_out(self) -> bool:
        """Return whether all that was measured has come out."""
        self.waiting = self.waiting[self.watched.run.delivered[self.waiting] < 0]
        return not len(self.waiting)

    def _falls_behind(self) -> bool:
        """Return whether less is accepted than offered, by more than chance explains."""
        offered, accepted = self._by_batch()
        if accepted.sum() >= KEEPS_UP * offered.sum():
            return False
        low = estimate(offered - accepted).low
        return low is not None and low > 0

    def _by_batch(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the flits that were offered, and that came out, in each batch."""
        run, phases = self.watched.run, self.phases
        traffic = run.traffic
        offered, accepted = (
            by_batch(time, traffic.length, start=self.start, cycles=phases.cycles)[0]
            for time in (traffic.time, run.delivered)
        )
        return offered, accepted

    @property
    def outcome(self) -> Outcome:
        """Return how it ended."""
        if self.dead:
            return Outcome.DEADLOCKED
        if self.behind:
            return Outcome.SATURATED
        return Outcome.OK if self._all_out() else Outcome.TIME_OUT

    def result(self, seconds: float) -> Simulation:
        """Return what was found."""
        run, cycles = self.watched.run, self.phases.cycles
        traffic, delivered = run.traffic, run.delivered
        topology = self.watched.network.topology
        terminals = topology.terminals
        offered, accepted = self._by_batch()
        share = len(offered) / cycles / len(terminals)
        inside = (delivered >= self.start) & (delivered < self.end)
        served = np.bincount(
            traffic.source[inside], traffic.length[inside], minlength=topology.nodes
        )
        senders = distinct(traffic.source)
        out = self.measured & (delivered >= 0)
        return Simulation(
            outcome=self.outcome,
            offered=float(offered.sum()) / cycles / len(terminals),
            accepted=estimate(accepted * share),
            accepted_least=float(served[senders].min()) / cycles if len(senders) else 0.0,
            latencies=Latencies(
                traffic.source[out],
                traffic.destination[out],
                traffic.time[out],
                (delivered - traffic.time)[out],
                self.start,
                cycles,
                traffic.message_class[out],
            ),
            packets=int(self.measured.sum()),
            warm_up=self.start,
            cycles=cycles,
            drain=run.now - self.end,
            settled=self.settled,
            link_load=self.sent[:, : topology.local] / cycles,
            engine=self.watched.engine.name,
            seconds=seconds,
        )

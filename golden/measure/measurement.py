"""What a simulation goes through, what it finds, and how it ends."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.measure.latency import Latencies
from fingerpost.golden.measure.phases import KEEPS_UP, Phases, Window, settled
from fingerpost.golden.measure.statistics import Estimate, by_batch, estimate
from fingerpost.golden.measure.watch import STILL, Sent, Watched


class Outcome(StrEnum):
    """How a simulation ended."""

    OK = "ok"
    """What was offered was accepted, and all that was measured came out."""

    SATURATED = "saturated"
    """What was accepted fell behind what was offered."""

    DEADLOCKED = "deadlocked"
    """Nothing moves, and there are flits inside. A network with its proof never does that."""

    TIME_OUT = "time-out"
    """Not all that was measured came out in time, though as much was accepted as was offered."""


STEP = 64
"""Cycles between looks at whether all has come out."""

WORK = 1 << 20
"""Nodes times cycles between reports of progress: some tenths of a second."""

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

    Packets are counted as they come out; nothing else is kept of them.

    Attributes
    ----------
    start, end : int
        The first cycle of the measurement, and the first behind it.
    packets : int
        What was made in between.
    latencies : Latencies
    offered, accepted : (batches,) arrays
        The flits that were made, and that came out, in each batch.
    served : (nodes,) array
        The flits of each source that came out in the measurement.
    settled, behind, dead : bool
        Whether it was steady, fell behind, and was deadlocked in the end.
    """

    def __init__(
        self, watched: Watched, phases: Phases, progress: Progress, *, flows: bool = False
    ) -> None:
        self.watched, self.phases, self.progress, self.flows = watched, phases, progress, flows
        self.settled = self._warm_up()

    def run(self) -> None:
        """Go through measurement and drain."""
        watched, cycles = self.watched, self.phases.cycles
        watched.collect()
        run = watched.run
        self.start, before = run.now, run.sent.copy()
        self.end = self.start + cycles
        self.packets = 0
        self.offered = self.accepted = np.zeros(1)
        self.served = np.zeros(len(watched.senders))
        self.latencies = Latencies(start=self.start, cycles=cycles, flows=self.flows)
        watched.sink = self._count
        self._advance(cycles)
        self.sent = run.sent - before
        watched.collect()
        self._count_made(watched.made(self.start, self.end))
        watched.sink = self._count_latencies
        self.behind = self._falls_behind()
        self.dead = self._drain(0 if self.behind else self.phases.longest_drain)
        watched.collect()
        watched.check()

    def _advance(self, cycles: int) -> None:
        """Run so many cycles, and tell how far it has come."""
        run, end = self.watched, self.watched.now + cycles
        total = self.phases.longest_warm_up + self.phases.cycles
        most = WORK // self.watched.network.topology.nodes
        while run.now < end:
            self.progress(min(run.now, total), total)
            left = end - run.now
            # Short steps at the end: then it is known when something moved for the last time.
            run.advance(min(left, max(STEP, min(most, left // 2))))

    def _warm_up(self) -> bool:
        """Run the warm-up; return whether the state is steady behind it."""
        phases, watched = self.phases, self.watched
        if phases.warm_up is not None:
            self._advance(phases.warm_up)
            return True
        before: Window | None = None
        while watched.now < phases.longest_warm_up:
            now = self._window()
            if before is not None and settled(before, now):
                return True
            before = now
        return False

    def _window(self) -> Window:
        """Go through a window of the warm-up."""
        watched, start = self.watched, self.watched.now
        found = [Window(0, 0, 0, 0)]

        def count(sent: Sent) -> None:
            found[0] += Window.of(sent.time, sent.length, sent.delivered, start)

        watched.sink = count
        self._advance(self.phases.window)
        watched.collect()
        made = watched.made(start, watched.now)
        return found[0] + Window(int(made.length.sum()), 0, 0, 0)

    def _count(self, sent: Sent) -> None:
        """Count packets that came out in the measurement."""
        self._count_made(sent)
        came, _ = self._by_batch(sent.delivered, sent)
        self.accepted = self.accepted + came
        self.served += np.bincount(sent.source, sent.length, len(self.served))
        self._count_latencies(sent)

    def _count_made(self, sent: Sent) -> None:
        """Count packets that were made in the measurement."""
        flits, packets = self._by_batch(sent.time, sent)
        self.offered = self.offered + flits
        self.packets += int(packets.sum())

    def _by_batch(
        self, time: NDArray[np.int64], sent: Sent
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        return by_batch(time, sent.length, start=self.start, cycles=self.phases.cycles)

    def _count_latencies(self, sent: Sent) -> None:
        """Count the latencies of packets that were made in the measurement."""
        sent = sent.where((sent.time >= self.start) & (sent.time < self.end))
        latency = sent.delivered - sent.time
        self.latencies.add(sent.source, sent.destination, sent.time, latency, sent.message_class)

    def _drain(self, most: int) -> bool:
        """Let out what was measured; return whether the network is deadlocked.

        Where nothing moves it goes on until it is certain that nothing will.
        """
        run = self.watched
        while not run.all_out(self.start, self.end) and run.still < STILL:
            if run.now - self.end >= most and not run.still:
                break
            run.advance(min(STEP, max(1, self.end + most - run.now)))
        return run.still >= STILL

    def _falls_behind(self) -> bool:
        """Return whether less is accepted than offered, by more than chance explains."""
        if self.accepted.sum() >= KEEPS_UP * self.offered.sum():
            return False
        low = estimate(self.offered - self.accepted).low
        return low is not None and low > 0

    @property
    def outcome(self) -> Outcome:
        """Return how it ended."""
        if self.dead:
            return Outcome.DEADLOCKED
        if self.behind:
            return Outcome.SATURATED
        return Outcome.OK if self.watched.all_out(self.start, self.end) else Outcome.TIME_OUT

    def result(self, seconds: float) -> Simulation:
        """Return what was found."""
        watched, cycles = self.watched, self.phases.cycles
        topology = watched.network.topology
        terminals = len(topology.terminals)
        served = self.served[watched.senders]
        return Simulation(
            outcome=self.outcome,
            offered=float(self.offered.sum()) / cycles / terminals,
            accepted=estimate(self.accepted * (len(self.offered) / cycles / terminals)),
            accepted_least=float(served.min()) / cycles if len(served) else 0.0,
            latencies=self.latencies,
            packets=self.packets,
            warm_up=self.start,
            cycles=cycles,
            drain=watched.now - self.end,
            settled=self.settled,
            link_load=self.sent[:, : topology.local] / cycles,
            engine=watched.engine.name,
            seconds=seconds,
        )

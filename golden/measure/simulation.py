"""A network under one load: warm-up, measurement, drain, and what was found."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from golden.measure.latency import Latencies
from golden.measure.outcome import Outcome
from golden.measure.phases import KEEPS_UP, Phases, Window, settled
from golden.measure.statistics import Estimate, by_batch, estimate
from golden.model.model import Model
from golden.model.simulate import STILL, Engine, Run
from golden.network import Network
from golden.traffic import Arrivals, Lengths, Pattern, Traffic, spelling

__all__ = ["Simulation", "simulate"]

MOST_CYCLES, MOST_PACKETS = 10**9, 10**8
"""More would take days, and more memory than a workstation has: 100 bytes a packet."""

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
    seconds: float


def simulate(
    network: Network,
    *,
    load: float | None,
    cycles: int,
    warm_up: int | None = None,
    drain: int | None = None,
    seed: int = 0,
    pattern: Pattern | str = "uniform",
    arrivals: Arrivals | str = "bernoulli",
    packet_length: Lengths | str | int = 1,
    stall: float = 0.0,
    engine: Callable[[Network], Engine] = Model,
    progress: Progress = lambda done, total: None,
) -> Simulation:
    """Simulate a network under load.

    Parameters
    ----------
    load : float, optional
        Flits offered per terminal and cycle; a trace needs none.
    cycles : int
        Cycles of the measurement.
    warm_up, drain : int, optional
        Cycles before it, and at most behind it; see `Phases`.
    pattern, arrivals, packet_length
        See `golden.traffic.Traffic`.
    stall : float
        The probability with which a terminal does not give a credit back in a cycle.
    engine : callable
        What makes the cycles.
    progress : callable
        Called with (cycles done, cycles to do) now and then.

    Raises
    ------
    ValueError
        If the load is impossible; if there are too many cycles or packets, or packets have more
        flits than there are cycles; if a packet came out where it should not.

    Examples
    --------
    >>> from golden.network import build
    >>> star = {"topology": {"family": "star", "n": 3}, "routing": {"algorithm": "greedy"}}
    >>> found = simulate(build({"name": "ring", **star}), load=0.1, cycles=500)
    >>> found.outcome.value, found.latencies.percentiles["median"] >= 6  # two routers, 3 cycles
    ('ok', True)
    """
    started = time.perf_counter()
    phases = Phases(cycles, warm_up, drain)
    lengths, pattern = spelling.lengths(packet_length), spelling.pattern(pattern)
    _check(network, phases, load=0.0 if load is None or pattern.recorded else load, lengths=lengths)
    traffic = Traffic(
        network,
        load,
        phases.horizon,
        seed=seed,
        pattern=pattern,
        arrivals=arrivals,
        lengths=lengths,
    )
    run = Run(network, traffic, stall=stall, engine=engine)
    measurement = _Measurement(run, phases, progress)
    return measurement.result(time.perf_counter() - started)


def _check(network: Network, phases: Phases, *, load: float, lengths: Lengths) -> None:
    """Refuse what would take too long, or has no room for a packet.

    Raises
    ------
    ValueError
        If it does.
    """
    cycles = phases.cycles
    if cycles < 1:
        raise ValueError(f"Simulation needs at least 1 cycle, not {cycles}")
    for name, given in (("warm-up", phases.warm_up), ("drain", phases.drain)):
        if given is not None and not 0 <= given <= MOST_CYCLES:
            raise ValueError(f"Simulation needs a {name} of 0..{MOST_CYCLES} cycles, not {given}")
    if cycles > MOST_CYCLES:
        raise ValueError(f"Simulation needs at most {MOST_CYCLES} cycles, not {cycles}")
    if lengths.most > cycles:
        raise ValueError(
            f"Simulation needs packets of at most as many flits as there are cycles, {cycles}, "
            f"not {lengths.most}"
        )
    packets = load / lengths.mean * phases.horizon * len(network.topology.terminals)
    if packets > MOST_PACKETS and load <= lengths.mean:
        raise ValueError(
            f"Simulation needs at most {MOST_PACKETS} packets, not {packets:.0f}, with those of "
            "warm-up and drain: fewer cycles, or less load"
        )


class _Measurement:
    """A simulation, run to its end."""

    def __init__(self, run: Run, phases: Phases, progress: Progress) -> None:
        self.run, self.phases, self.progress = run, phases, progress
        self.settled = self._warm_up()
        self.start, before = run.now, run.sent.copy()
        self._advance(phases.cycles)
        self.end = run.now
        self.sent = run.sent - before
        time = run.traffic.time
        self.measured = (time >= self.start) & (time < self.end)
        self.waiting = np.flatnonzero(self.measured & run.terminals.expected)
        self.behind = self._falls_behind()
        self.dead = self._drain(0 if self.behind else phases.longest_drain)
        run.check()

    def _advance(self, cycles: int) -> None:
        """Run so many cycles, and tell how far it has come."""
        run, end = self.run, self.run.now + cycles
        total = self.phases.longest_warm_up + self.phases.cycles
        while run.now < end:
            self.progress(min(run.now, total), total)
            run.advance(min(STEP, end - run.now))

    def _warm_up(self) -> bool:
        """Run the warm-up; return whether the state is steady behind it."""
        phases, run = self.phases, self.run
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
        run = self.run
        while not self._all_out() and run.still < STILL:
            if run.now - self.end >= most and not run.still:
                break
            run.advance(min(STEP, max(1, self.end + most - run.now)))
        return run.still >= STILL

    def _all_out(self) -> bool:
        """Return whether all that was measured has come out."""
        self.waiting = self.waiting[self.run.delivered[self.waiting] < 0]
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
        run, phases = self.run, self.phases
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
        run, cycles = self.run, self.phases.cycles
        traffic, delivered = run.traffic, run.delivered
        terminals = run.network.topology.terminals
        offered, accepted = self._by_batch()
        share = len(offered) / cycles / len(terminals)
        inside = (delivered >= self.start) & (delivered < self.end)
        served = np.bincount(
            traffic.source[inside], traffic.length[inside], minlength=run.model.nodes
        )
        senders = np.unique(traffic.source)
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
            ),
            packets=int(self.measured.sum()),
            warm_up=self.start,
            cycles=cycles,
            drain=run.now - self.end,
            settled=self.settled,
            link_load=self.sent.reshape(run.model.nodes, -1)[:, : run.model.local] / cycles,
            seconds=seconds,
        )

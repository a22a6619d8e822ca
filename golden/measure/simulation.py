"""A network under one load: warm-up, measurement, drain, and what was found."""

import time
from collections.abc import Sequence

from fingerpost.golden.compiled import engine, takes_windows
from fingerpost.golden.measure.measurement import Measurement, Progress, Simulation
from fingerpost.golden.measure.phases import FEW, WINDOWS, Phases
from fingerpost.golden.measure.watch import MakeEngine, Watched
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.traffic import Arrivals, Lengths, Pattern, Windows, spelling

MOST_CYCLES, MOST_PACKETS = 10**9, 10**8
"""More would take days, and where packets are not made in windows more memory than there is."""


def simulate(
    network: AnyNetwork,
    *,
    load: float | None,
    cycles: int,
    warm_up: int | None = None,
    drain: int | None = None,
    seed: int = 0,
    pattern: Pattern | str = "uniform",
    arrivals: Arrivals | str = "bernoulli",
    packet_length: Lengths | str | int = 1,
    classes: Sequence[float] | None = None,
    flows: bool = False,
    stall: float = 0.0,
    make: MakeEngine = engine,
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
        Cycles before it, and at most behind it; see `Phases`. There is no warm-up to a trace if
        none is asked for.
    pattern, arrivals, packet_length, classes
        See `fingerpost.golden.traffic.Traffic`.
    flows : bool
        Whether latencies can be told apart by flow and by hops; that takes memory for each flow.
    stall : float
        The probability with which a terminal does not give a credit back in a cycle.
    make : callable
        What makes the engine.
    progress : callable
        Called with (cycles done, cycles to do) now and then.

    Raises
    ------
    ValueError
        If the load is impossible; if there are too many cycles or packets, or packets have more
        flits than there are cycles; if a packet came out where it should not.

    Examples
    --------
    >>> from fingerpost.golden.network.network import build
    >>> star = {"topology": {"family": "star", "n": 3}, "routing": {"algorithm": "greedy"}}
    >>> found = simulate(build({"name": "ring", **star}), load=0.1, cycles=500)
    >>> found.outcome.value, found.latencies.percentiles["median"] >= 6  # two routers, 3 cycles
    ('ok', True)
    """
    started = time.perf_counter()
    lengths, pattern = spelling.lengths(packet_length), spelling.pattern(pattern)
    # A trace is measured from its beginning, for there is no more of it.
    warm_up = 0 if warm_up is None and pattern.recorded else warm_up
    offered = 0.0 if load is None or pattern.recorded else load
    in_windows = False
    at_once = {} if takes_windows(network) else {"packets": 10 * MOST_PACKETS}
    for most in FEW, WINDOWS:
        phases = Phases(cycles, warm_up, drain, most)
        if not in_windows:
            _check(network, phases, load=offered, lengths=lengths)
        windows = Windows(
            network,
            load,
            phases.horizon,
            seed=seed,
            pattern=pattern,
            arrivals=arrivals,
            lengths=lengths,
            classes=classes,
            **at_once,
        )
        in_windows = len(windows) > 1
        if most == FEW and in_windows:
            continue  # packets for a longer warm-up are made only when it comes to that
        watched = Watched(network, windows, stall=stall, make=make)
        measurement = Measurement(watched, phases, progress, flows=flows)
        if measurement.settled:
            break  # otherwise once more, with packets for a longer warm-up
    measurement.run()
    return measurement.result(time.perf_counter() - started)


def _check(network: AnyNetwork, phases: Phases, *, load: float, lengths: Lengths) -> None:
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

"""A network under one load, simulated until enough is known; the load at which it saturates."""

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from fingerpost.golden.arguments import checked
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.engine import engine, takes_windows
from fingerpost.golden.measure.measurement import FIRST, Measurement, Progress, Simulation
from fingerpost.golden.measure.watch import MakeEngine, Watched
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.terminal import Axi4Terminal
from fingerpost.golden.traffic import Arrivals, Lengths, Offered, Pattern, Windows, spelling
from fingerpost.golden.traffic.traffic import PACKETS, Transactions

CYCLES, PRECISION, LOAD, LOADS = 20_000, 0.02, 0.1, "0.1..1:0.1"
"""The cycles at most, the precision of the mean latency, the load of a simulation, and those of a
sweep, unless others are asked for."""

AT_ONCE = 4096, 9000
"""Cycles of the first runs of an engine that takes all packets at once."""

MOST_CYCLES, MOST_PACKETS = 10**9, 10**8
"""More would take days, and where packets are not made in windows more memory than there is."""


@checked
def simulate(
    network: AnyNetwork,
    *,
    load: float | None = None,
    cycles: int = CYCLES,
    precision: float = PRECISION,
    warm_up: int | None = None,
    seed: int = 0,
    pattern: Pattern | str = "uniform",
    arrivals: Arrivals | str = "bernoulli",
    packet_length: Lengths | str | int | tuple[int, int] = 1,
    classes: Sequence[float] | None = None,
    transactions: Transactions | None = None,
    flows: bool = False,
    stall: float = 0.0,
    make: MakeEngine = engine,
    progress: Progress = lambda done, total: None,
) -> Simulation:
    """Simulate a network under load.

    With AXI4 terminals packets are transactions, their flits beats of data, and a terminal's are
    those of its manager; the latency of a transaction counts from its address accepted to the last
    beat of its response. Their message class is `READ` or `WRITE`.

    Parameters
    ----------
    load : float, optional
        Flits offered per terminal and cycle, by default `LOAD`; a trace needs none.
    cycles : int
        The most cycles. The run ends earlier if the network is not stable, or when the mean
        latency is known with the `precision`. Of a trace: those in which packets are made.
    precision : float
        Half the width of the 95 % interval in units of the mean; 0: run all cycles.
    warm_up : int, optional
        Cycles before the others that are not measured. Otherwise MSER finds how many of the first
        are to be left out; of a trace none are.
    pattern, arrivals, packet_length, classes
        See `fingerpost.golden.traffic.Traffic`.
    transactions : Transactions, optional
        Of AXI4 terminals.
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
        flits than there are cycles; if a packet came out where it should not; if there are
        transactions and no AXI4 terminals, or classes or a stall beside them.

    Examples
    --------
    >>> from fingerpost.golden.network.network import build
    >>> star = {"topology": {"family": "star", "n": 3}, "routing": {"algorithm": "greedy"}}
    >>> found = simulate(build({"name": "ring", **star}), load=0.1, cycles=500)
    >>> found.outcome.value, found.latencies.percentiles["median"] >= 4  # two routers, 2 cycles
    ('stable', True)
    """
    started = time.perf_counter()
    load = default_load(load, pattern)
    given: dict[str, Any] = {"classes": classes}
    if transacts(network, transactions, classes):
        transactions = transactions or Transactions()
        given = {"classes": transactions.shares, "ends": ends(network)}
        make = partial(make, transactions=transactions)
        if stall:
            raise ValueError(f"Transactions need a stall of 0, not {stall:g}")
    offered = Offered(
        network,
        load,
        (warm_up or 0) + cycles,
        seed=seed,
        pattern=pattern,
        arrivals=arrivals,
        lengths=packet_length,
        **given,
    )
    lengths, spelled, _ = offered.spelled
    each_cycle, in_windows = _each_cycle(network, offered)
    packets = 0.0 if in_windows else each_cycle * (cycles + (warm_up or 0))
    check(cycles, warm_up, precision, lengths.most, packets)
    whole = in_windows or spelled.recorded or not precision
    # An engine that takes all packets at once runs again, for longer, if it was not long enough.
    horizons = [cycles] if whole else [*(at for at in AT_ONCE if at < cycles), cycles]
    for horizon in horizons:
        windows = make_windows(network, replace(offered, cycles=(warm_up or 0) + horizon))
        measurement = Measurement(
            Watched(network, windows, stall=stall, make=make),
            cycles=horizon,
            warm_up=warm_up,
            precision=precision,
            recorded=spelled.recorded,
            flows=flows,
            progress=progress,
        )
        if measurement.run():
            break
    return measurement.result(time.perf_counter() - started)


def transacts(
    network: AnyNetwork, transactions: Transactions | None, classes: Sequence[float] | None
) -> bool:
    """Return whether the traffic of a network is transactions.

    Raises
    ------
    ValueError
        If that is asked for, and it is not; or if it is, and classes are given.
    """
    if not isinstance(network.terminal, Axi4Terminal):
        if transactions is not None:
            raise ValueError(
                "Transactions need AXI4 terminals, as in terminal: {kind: axi4}, "
                f"not {network.terminal.kind}"
            )
        return False
    if classes is not None:
        raise ValueError("Transactions need a share of reads, not classes, with AXI4 terminals")
    return True


def ends(network: AnyNetwork) -> tuple[IntArray, IntArray] | None:
    """Return the managers and the subordinates; None if they are at all terminals."""
    terminal, topology = network.terminal, network.topology
    assert isinstance(terminal, Axi4Terminal)
    sides = [np.array(terminal.nodes_of(key, topology)) for key in ("managers", "subordinates")]
    managers, subordinates = sides
    every = len(topology.terminals)
    return None if len(managers) == len(subordinates) == every else (managers, subordinates)


def default_load(load: float | None, pattern: Pattern | str) -> float | None:
    """Return a load, by default `LOAD`, or None if it is that of a trace."""
    return LOAD if load is None and not spelling.pattern(pattern).recorded else load


def _each_cycle(network: AnyNetwork, offered: Offered) -> tuple[float, bool]:
    """Return the packets of a cycle, in the mean, and whether an engine takes them in windows."""
    lengths, pattern, arrivals = offered.spelled
    load = 0.0 if offered.load is None or pattern.recorded else offered.load
    each_cycle = load / lengths.mean * len(network.topology.terminals)
    return each_cycle, takes_windows(network) and not (pattern.memory or arrivals.memory)


def make_windows(network: AnyNetwork, offered: Offered) -> Windows:
    """Return the packets of a simulation, with those of the warm-up."""
    each_cycle, in_windows = _each_cycle(network, offered)
    packets = int(min(PACKETS, max(1000, FIRST * each_cycle))) if in_windows else 10**9
    return Windows(**offered.settings, packets=packets)


def check(cycles: int, warm_up: int | None, precision: float, longest: int, packets: float) -> None:
    """Refuse what would take too long, or has no room for a packet.

    Raises
    ------
    ValueError
        If it does.
    """
    if cycles < 1:
        raise ValueError(f"Simulation needs at least 1 cycle, not {cycles}")
    if warm_up is not None and not 0 <= warm_up <= MOST_CYCLES:
        raise ValueError(f"Simulation needs a warm-up of 0..{MOST_CYCLES} cycles, not {warm_up}")
    if cycles > MOST_CYCLES:
        raise ValueError(f"Simulation needs at most {MOST_CYCLES} cycles, not {cycles}")
    if not 0 <= precision < 1:
        raise ValueError(
            f"Simulation needs a precision of at least 0 and below 1, not {precision:g}"
        )
    if longest > cycles:
        raise ValueError(
            f"Simulation needs packets of at most as many flits as there are cycles, {cycles}, "
            f"not {longest}"
        )
    if packets > MOST_PACKETS:
        raise ValueError(
            f"Simulation needs at most {MOST_PACKETS} packets, not {packets:.0f}, where they are "
            "made at once: fewer cycles, or less load"
        )


class Bisection:
    """A search for the load at which saturation begins, one load to be tried after the other.

    The limit is tried first: a network that accepts all that its terminals can send has no
    saturation. Loads are whole multiples of `resolution`, so the same ones are tried again and
    again, whatever else is asked for.

    Parameters
    ----------
    limit : float
        The greatest load that terminals can offer.
    resolution : float
        How close the answer is to the truth.

    Raises
    ------
    ValueError
        If the resolution is not above 0 and at most half of the limit.

    Examples
    --------
    >>> search = Bisection()
    >>> while search.load is not None:
    ...     search.tell(saturated=search.load > 0.427)
    >>> search.saturation, search.steps
    (0.42, 8)
    """

    def __init__(self, *, limit: float = 1.0, resolution: float = 0.01) -> None:
        if not 0 < resolution <= limit / 2:
            raise ValueError(
                f"Bisection needs a resolution above 0 and up to {limit / 2:g}, half of the "
                f"greatest load, not {resolution:g}"
            )
        self.resolution, self.limit = resolution, limit
        self._low, self._high = 0, max(2, round(limit / resolution))
        self._top, self._limit_tried = self._high, False

    @property
    def steps(self) -> int:
        """Return how many loads are tried, at most."""
        return 1 + (self._top - 1).bit_length()

    @property
    def left(self) -> int:
        """Return how many of them are still to be tried, at most."""
        tried = self._limit_tried
        return int(not tried) + max(0, self._high - self._low - 1).bit_length()

    @property
    def load(self) -> float | None:
        """Return the load to be tried next; None if the answer is known."""
        if not self._limit_tried:
            return self.limit
        if self._high - self._low <= 1:
            return None
        return self._at((self._low + self._high) // 2)

    def tell(self, *, saturated: bool) -> None:
        """Take what became of that load."""
        if not self._limit_tried:
            self._limit_tried = True
            if not saturated:
                self._low = self._high
            return
        middle = (self._low + self._high) // 2
        if saturated:
            self._high = middle
        else:
            self._low = middle

    @property
    def beyond(self) -> float | None:
        """Return the least load that was too much; None if none was."""
        return None if self._high == self._low else self._at(self._high)

    @property
    def saturation(self) -> float | None:
        """Return the greatest load that was not too much; None if none was too much."""
        return None if self._low == self._top else self._at(self._low)

    def _at(self, step: int) -> float:
        return round(step * self.limit / self._top, 9)

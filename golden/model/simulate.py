"""A network under load: throughput and latency."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from golden.model.model import Model
from golden.network import Network
from golden.terminal import Ends
from golden.traffic import Arrivals, Lengths, Pattern, Traffic, spelling

__all__ = ["Simulation", "cycle", "simulate"]

WARM_UP = 0.2
"""The share of the cycles that is not measured."""

MOST_CYCLES, MOST_PACKETS = 10**9, 10**8
"""More would take days, and more memory than a workstation has: 100 bytes a packet."""


@dataclass(frozen=True)
class Simulation:
    """What a simulation found. Loads are in flits per terminal and cycle, latencies in cycles.

    Latency is from the cycle in which a packet is made to the one in which its tail comes out,
    for packets made after the warm-up; None if there were none. `outcome` is "drained" when
    everything was delivered in the end, "saturated" when it was not within as many cycles again.
    """

    offered: float
    accepted: float
    latency_mean: float | None
    latency_median: float | None
    latency_p99: float | None
    outcome: str
    packets: int
    cycles: int
    link_load: NDArray[np.float64]
    seconds: float


def cycle(model: Model, terminals: Ends, number: int) -> None:
    """Run one cycle of a network and its terminals."""
    queue = model.credit // model.channels
    terminals.credit(queue[model.port[queue] == model.local] // model.ports)
    injected = terminals.send(number)
    terminals.receive(model.ejected, number)
    model.step(injected, terminals.give_back())


def simulate(
    network: Network,
    *,
    load: float | None,
    cycles: int,
    seed: int = 0,
    pattern: Pattern | str = "uniform",
    arrivals: Arrivals | str = "bernoulli",
    packet_length: Lengths | str | int = 1,
    stall: float = 0.0,
    progress: Callable[[int, int], None] | None = None,
) -> Simulation:
    """Simulate a network under load.

    Parameters
    ----------
    load : float, optional
        Flits offered per terminal and cycle; a trace needs none.
    cycles : int
        Cycles in which packets are made; the network then drains.
    pattern, arrivals, packet_length
        See `golden.traffic.Traffic`.
    stall : float
        The probability with which a terminal does not give a credit back in a cycle.
    progress : callable, optional
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
    >>> found.outcome, found.latency_median >= 6  # two routers, three cycles each
    ('drained', True)
    """
    started = time.perf_counter()
    if cycles > MOST_CYCLES:
        raise ValueError(f"Simulation needs at most {MOST_CYCLES} cycles, not {cycles}")
    lengths, pattern = spelling.lengths(packet_length), spelling.pattern(pattern)
    if lengths.most > cycles >= 1:
        raise ValueError(
            f"Simulation needs packets of at most as many flits as there are cycles, {cycles}, "
            f"not {lengths.most}"
        )
    offered = 0 if load is None or pattern.recorded else load
    packets = offered / lengths.mean * cycles * len(network.topology.terminals)
    if packets > MOST_PACKETS and offered <= lengths.mean:
        raise ValueError(
            f"Simulation needs at most {MOST_PACKETS} packets, not {packets:.0f}: "
            "fewer cycles, or less load"
        )
    traffic = Traffic(
        network, load, cycles, seed=seed, pattern=pattern, arrivals=arrivals, lengths=lengths
    )
    terminals, model = network.terminal.ends(traffic, stall=stall), Model(network)
    warm = int(cycles * WARM_UP)
    sent = np.zeros(model.nodes * model.ports, np.int64)
    before = accepted = 0
    for now in range(2 * cycles):
        if now == warm:
            before = terminals.received_flits
        if now == cycles:
            accepted = terminals.received_flits - before
        if now >= cycles and terminals.all_delivered:
            break
        cycle(model, terminals, now)
        if warm <= now < cycles:
            sent[model.link.place] += 1
        if progress and now % 64 == 0:
            progress(min(now, cycles), cycles)
    if terminals.faults:
        raise ValueError(f"Model needs repair: {terminals.faults[0]}")

    window = cycles - warm
    measured = (terminals.delivered >= 0) & (traffic.time >= warm)
    latency = (terminals.delivered - traffic.time)[measured]
    statistics = (np.mean, np.median, lambda x: np.percentile(x, 99))
    mean, median, p99 = (float(f(latency)) if len(latency) else None for f in statistics)
    return Simulation(
        offered=float(traffic.length.sum()) / cycles / len(network.topology.terminals),
        accepted=accepted / window / len(network.topology.terminals),
        latency_mean=mean,
        latency_median=median,
        latency_p99=p99,
        outcome="drained" if terminals.all_delivered else "saturated",
        packets=int(terminals.expected.sum()),
        cycles=cycles,
        link_load=sent.reshape(model.nodes, model.ports)[:, : model.local] / window,
        seconds=time.perf_counter() - started,
    )

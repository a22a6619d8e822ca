"""A network under load: throughput and latency."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from golden.model.model import Model
from golden.network import Network
from golden.terminal import Ends
from golden.traffic import Traffic

__all__ = ["Simulation", "cycle", "simulate"]

WARM_UP = 0.2
"""The share of the cycles that is not measured."""


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
    load: float,
    cycles: int,
    seed: int = 0,
    packet_length: int = 1,
    stall: float = 0.0,
    progress: Callable[[int, int], None] | None = None,
) -> Simulation:
    """Simulate uniform random traffic.

    Parameters
    ----------
    load : float
        Flits offered per node and cycle.
    cycles : int
        Cycles in which packets are made; the network then drains.
    packet_length : int
        Flits of a packet.
    stall : float
        The probability with which a terminal does not give a credit back in a cycle.
    progress : callable, optional
        Called with (cycles done, cycles to do) now and then.

    Raises
    ------
    ValueError
        If the load is impossible; if a packet came out where it should not.
    """
    started = time.perf_counter()
    traffic = Traffic(network, load, cycles, seed=seed, lengths=(packet_length, packet_length))
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

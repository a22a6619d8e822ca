"""What a network accepts, and what one router passes, as long as there is something to send."""

from dataclasses import dataclass

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.compiled import engine
from fingerpost.golden.network.network import Network
from fingerpost.golden.service.alone import Alone, Neighbours
from fingerpost.golden.service.endless import endless, hot_spot
from fingerpost.golden.service.streams import Streams, cases, to_random
from fingerpost.golden.traffic import Traffic

WINDOW = 2000
"""Cycles over which a sustained load is averaged."""


@dataclass(frozen=True)
class Sustained:
    """The load that a network accepts, in flits per terminal and cycle, window by window.

    Attributes
    ----------
    windows : list of float
        The mean of each window of `WINDOW` cycles.
    least : float
        The least of them, the first left out: the network fills.
    """

    windows: list[float]
    least: float


def accepted(network: Network, *, load: float, length: int, cycles: int, seed: int = 0) -> float:
    """Return the flits per terminal and cycle that come out under uniform traffic.

    As many cycles again as a quarter of `cycles` go before; terminals always read.
    """
    flits = _flits(network, load, length, cycles // 4 + cycles, seed)
    return float(flits[cycles // 4 :].mean()) / len(network.topology.terminals)


def sustained(
    network: Network, *, load: float, length: int, cycles: int, seed: int = 0
) -> Sustained:
    """Return what comes out for long under uniform traffic."""
    windows = max(2, cycles // WINDOW)
    flits = _flits(network, load, length, windows * WINDOW, seed).reshape(windows, WINDOW)
    found = (flits.mean(axis=1) / len(network.topology.terminals)).tolist()
    return Sustained(found, min(found[1:]))


def at_hot_spot(network: Network, node: int, *, length: int, cycles: int) -> float:
    """Return the flits per cycle that a terminal receives if all others always send to it.

    Its link carries at most 1. The first quarter of `cycles` is left out: the network fills.

    Raises
    ------
    ValueError
        If fewer than two packets came out after that.
    """
    pattern = endless(network, hot_spot(network, node), length=length, cycles=cycles)
    model = engine(network, [Traffic(network, None, 1, pattern=pattern)])
    model.run(cycles)
    times = np.sort(model.runs[0].delivered)
    times = times[times >= cycles // 4]
    if len(times) < 2:
        raise ValueError(f"Hot spot needs more cycles than {cycles} for packets of {length} flits")
    return length * (len(times) - 1) / int(times[-1] - times[0])


def _flits(network: Network, load: float, length: int, cycles: int, seed: int) -> IntArray:
    """Return the flits that came out in each cycle, those of a packet when its last one did."""
    model = engine(network, [Traffic(network, load, cycles, seed=seed, lengths=length)])
    model.run(cycles)
    times = model.runs[0].delivered
    return length * np.bincount(times[times >= 0], minlength=cycles)


def alone(
    network: Network, *, cycles: int, least: int = 1, most: int = 4, delay: int = 2, seed: int = 0
) -> float:
    """Return the flits per port and cycle of single routers, the mean over up to 21 nodes.

    All channels of all inputs always have a packet, for any output to which routes lead from
    there, all outputs as likely; credits go back `delay` cycles after a flit.
    """
    known = cases(network)
    nodes = range(min(21, network.topology.nodes))
    streams = Streams.joined([to_random(network, known, node, seed=seed) for node in nodes])
    sides = Neighbours(network, streams, least=least, most=most, delay=delay, seed=seed)
    routers = Alone(network, sides)
    routers.run(cycles // 4)
    before = sides.served.sum()
    routers.run(cycles)
    ports = len(np.unique(sides.place))
    return float(sides.served.sum() - before) / cycles / ports

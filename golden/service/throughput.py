"""What a network accepts, and what one router passes, as long as there is something to send."""

from dataclasses import dataclass

import numpy as np

from golden.network import Network
from golden.service.alone import Alone
from golden.service.flows import Flows, uniform
from golden.service.neighbours import Neighbours
from golden.service.streams import Streams, cases, to_random

__all__ = ["Sustained", "accepted", "alone", "sustained"]

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
    flows = Flows(network, uniform(network), length=length, load=load, seed=seed)
    flows.run(cycles // 4)
    before = flows.delivered.sum()
    flows.run(cycles)
    return float(flows.delivered.sum() - before) / cycles / len(flows.sources)


def sustained(
    network: Network, *, load: float, length: int, cycles: int, seed: int = 0
) -> Sustained:
    """Return what comes out for long under uniform traffic."""
    flows = Flows(network, uniform(network), length=length, load=load, seed=seed)
    windows = []
    for _ in range(max(2, cycles // WINDOW)):
        before = flows.delivered.sum()
        flows.run(WINDOW)
        windows.append(float(flows.delivered.sum() - before) / WINDOW / len(flows.sources))
    return Sustained(windows, min(windows[1:]))


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

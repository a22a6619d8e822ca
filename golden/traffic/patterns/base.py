"""What every traffic pattern is, and the packets that it makes."""

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.topology.base import Topology
from fingerpost.golden.traffic.arrivals import Arrivals
from fingerpost.golden.traffic.demand import Demand
from fingerpost.golden.traffic.lengths import Lengths
from fingerpost.golden.traffic.spelled import Spelled


class Packets(NamedTuple):
    """Packets, by source, then by time. Terminals are numbered 0..n-1 in the order of the nodes."""

    source: IntArray
    destination: IntArray
    time: IntArray
    length: IntArray


class Pattern(Spelled, ABC):
    """Where the packets of every terminal go: its `demand`, from which packets are drawn.

    Attributes
    ----------
    recorded : bool
        Whether it brings the times and lengths of its packets with it.
    memory : bool
        Whether packets depend on earlier ones; without memory a run can be drawn in windows.
    """

    what: ClassVar[str] = "Traffic"
    recorded: ClassVar[bool] = False
    memory: ClassVar[bool] = False

    @abstractmethod
    def demand(self, topology: Topology) -> Demand:
        """Return how much each terminal sends, and where to.

        Raises
        ------
        ValueError
            If the pattern does not fit the network.
        """

    def packets(
        self,
        topology: Topology,
        load: float | None,
        cycles: int,
        *,
        arrivals: Arrivals,
        lengths: Lengths,
        rng: np.random.Generator,
        later: bool = False,
    ) -> Packets:
        """Return the packets that are made in cycles 0..cycles-1.

        `later`: these are the cycles of a later window of a run.

        Raises
        ------
        ValueError
            If the load is impossible.
        """
        demand = self.demand(topology)
        share = float(demand.sends.max())
        most = arrivals.most * lengths.mean / share
        if load is None:
            raise ValueError(f"{self.title()} needs a load")
        if not 0 < load <= most * (1 + 1e-12):
            why = f"what the terminals can be given with {arrivals} arrivals here"
            if arrivals.most == share == 1:
                why = "the mean length of its packets"
            raise ValueError(
                f"Traffic needs a load above 0 and up to {most:g} flits per terminal and cycle, "
                f"{why}, not {load:g}"
            )
        if cycles < 1:
            raise ValueError(f"Traffic needs at least 1 cycle, not {cycles}")
        rate = np.minimum(load / lengths.mean * demand.sends, arrivals.most)
        source, time = (arrivals.more_times if later else arrivals.times)(rng, rate, cycles)
        destination = self.destinations(rng, demand, source)
        return Packets(source, destination, time, lengths.draw(rng, len(source)))

    def destinations(self, rng: np.random.Generator, demand: Demand, source: IntArray) -> IntArray:
        """Return the destinations of packets, of which `source` is ascending."""
        return demand.draw(rng, source)


class Permutation(Pattern):
    """A pattern in which all packets of a terminal go to one destination."""

    @abstractmethod
    def to(self, topology: Topology) -> IntArray:
        """Return the destination of each terminal, or -1 for all others alike."""

    def demand(self, topology: Topology) -> Demand:
        return Demand.to(self.to(topology))

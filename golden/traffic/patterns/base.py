"""What every traffic pattern is, the packets that it makes, and the patterns by chance."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.parameters import Parameter, ParameterError
from fingerpost.golden.topology.base import Topology
from fingerpost.golden.traffic.arrivals import Arrivals
from fingerpost.golden.traffic.demand import Demand, pairs
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


@dataclass(frozen=True)
class Uniform(Pattern):
    """Every packet goes to one of the other terminals, all alike."""

    name: ClassVar[str] = "uniform"

    def demand(self, topology: Topology) -> Demand:
        return Demand(np.ones(len(topology.terminals)), None)


@dataclass(frozen=True)
class AllToAll(Uniform):
    """A terminal sends to the one behind it, the next, and so on, to all others in turn, again.

    So the fragments of a relation go when two relations that lie spread over the leaves of a
    KYKLOS network are joined (kyklos-1988, Section VII): each to all other leaves.
    """

    name: ClassVar[str] = "all-to-all"
    memory: ClassVar[bool] = True

    def destinations(self, rng: np.random.Generator, demand: Demand, source: IntArray) -> IntArray:
        turn = np.arange(len(source)) - np.searchsorted(source, source)
        return (source + 1 + turn % (demand.terminals - 1)) % demand.terminals


@dataclass(frozen=True)
class Hotspot(Pattern):
    """A share of the packets goes to some nodes, all alike; the rest to all others of a terminal.

    A hot spot is one of its own destinations, as in BookSim.

    Raises
    ------
    ValueError
        If the share is not one.
    """

    name: ClassVar[str] = "hotspot"
    nodes: Annotated[
        tuple[str, ...],
        Parameter("The hot spots, by number or label, with a semicolon between them.", example="0"),
    ]
    share: Annotated[
        float, Parameter("The share of all packets that goes to them.", example=0.2)
    ] = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise ParameterError(
                "share", f"{self.title()} needs a share above 0 and up to 1, not {self.share:g}"
            )

    def demand(self, topology: Topology) -> Demand:
        """Return a row of hot spots for each terminal.

        Raises
        ------
        ValueError
            If a node is named twice or has no terminal.
        """
        terminals = topology.terminals
        n = len(terminals)
        hot = np.array([self._terminal(topology, name) for name in self.nodes])
        if len(set(hot.tolist())) < len(hot):
            raise ParameterError(
                "nodes", f"{self.title()} needs nodes once each, not {';'.join(self.nodes)}"
            )
        weight = np.full(n * len(hot), self.share / len(hot))
        spots = pairs(n, np.repeat(np.arange(n), len(hot)), np.tile(hot, n), weight)
        return Demand(np.full(n, 1 - self.share), spots)

    def _terminal(self, topology: Topology, name: str) -> int:
        try:
            node = topology.node(name)
        except ValueError as error:
            raise ParameterError("nodes", f"{self.title()}: nodes: {error}") from None
        if node not in topology.terminals:
            raise ParameterError(
                "nodes", f"{self.title()} needs nodes that have a terminal, not {name}"
            )
        return int(np.searchsorted(topology.terminals, node))


@dataclass(frozen=True)
class RandomPermutation(Permutation):
    """A permutation of the terminals, drawn once; some may send to themselves.

    Parameters
    ----------
    seed : int
        Of the permutation; that of the packets is another.

    Raises
    ------
    ValueError
        If the seed is negative.
    """

    name: ClassVar[str] = "randperm"
    seed: Annotated[int, Parameter("The seed of the permutation.", example=1)] = 0

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise ParameterError(
                "seed", f"{self.title()} needs a seed of at least 0, not {self.seed}"
            )

    def to(self, topology: Topology) -> IntArray:
        return np.random.default_rng(self.seed).permutation(len(topology.terminals))

"""What a pattern of traffic is: how much each terminal sends, and where to."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.parameters import Parameter, ParameterError
from fingerpost.golden.topology.base import Topology
from fingerpost.golden.traffic.arrivals import Arrivals
from fingerpost.golden.traffic.lengths import Lengths
from fingerpost.golden.traffic.spelled import Spelled

Matrix = Any
"""A sparse array of scipy, which has no types of its own."""


def pairs(n: int, source: IntArray, destination: IntArray, weight: NDArray[np.float64]) -> Matrix:
    """Return the sparse array of (n, n) weights of pairs; those of the same pair are added up."""
    # Here and not above: uniform traffic needs no scipy, whose import takes longer than short runs.
    from scipy.sparse import coo_array

    found = coo_array((weight, (source, destination)), shape=(n, n)).tocsr()
    found.eliminate_zeros()
    return found


@dataclass(frozen=True)
class Demand:
    """A traffic matrix over the terminals, numbered 0..n-1 in the order of the nodes.

    A packet of terminal i goes to j with the probability spots[i, j]; or else, with the
    probability spread[i], to one of the others, all alike.

    Attributes
    ----------
    sends : (n,)
    """

    spread: NDArray[np.float64]
    """Shape (n,). Between 0 and 1; 0 for a terminal that sends nothing."""
    spots: Matrix | None
    """Shape (n, n), sparse array, optional. The rows of terminals that send add up to 1 - `spread`.
    None is one of zeros."""
    sends: NDArray[np.float64] = field(default_factory=lambda: np.ones(0))
    """Shape (n,), , optional. What each terminal sends, beside the mean of all; 1 for every one if
    it is left out."""

    def __post_init__(self) -> None:
        if not len(self.sends):
            object.__setattr__(self, "sends", np.ones(len(self.spread)))

    @classmethod
    def to(cls, destination: IntArray) -> "Demand":
        """Return the demand of a permutation: one destination each, or -1 for all others."""
        n = len(destination)
        source = np.flatnonzero(destination >= 0)
        spots = pairs(n, source, destination[source], np.ones(len(source)))
        return cls((destination < 0).astype(np.float64), spots)

    @classmethod
    def weighted(cls, weight: Matrix) -> "Demand":
        """Return the demand that is in proportion to a sparse matrix of weights."""
        rows = np.asarray(weight.sum(axis=1), np.float64)
        inverse = np.divide(1, rows, out=np.zeros_like(rows), where=rows > 0)
        source, destination = weight.nonzero()
        spots = pairs(len(rows), source, destination, weight.data * inverse[source])
        return cls(np.zeros(len(rows)), spots, rows / rows.mean())

    @property
    def terminals(self) -> int:
        """Return the number of terminals."""
        return len(self.spread)

    @property
    def even(self) -> bool:
        """Return whether every terminal sends as much to each other as all do."""
        spread_only = self.spots is None or not self.spots.nnz
        return spread_only and bool((self.sends == 1).all())

    def rows(self, source: IntArray) -> NDArray[np.float64]:
        """Return what some terminals send to each, in flits per cycle at load 1: (some, n)."""
        dense = np.zeros((len(source), self.terminals))
        if self.spots is not None:
            dense += self.spots[source].toarray()
        others = self.spread[source] / max(1, self.terminals - 1)
        dense += others[:, None]
        dense[np.arange(len(source)), source] -= others
        dense *= self.sends[source][:, None]
        return dense

    def received(self) -> NDArray[np.float64]:
        """Return what every terminal receives, in flits per cycle at load 1."""
        share = self.sends * self.spread / max(1, self.terminals - 1)
        spots = 0.0 if self.spots is None else self.spots.T @ self.sends
        found: NDArray[np.float64] = spots + share.sum() - share
        return found

    def draw(self, rng: np.random.Generator, source: IntArray) -> IntArray:
        """Return a destination for a packet of each `source`."""
        n, packets = self.terminals, len(source)
        destination = source.copy()
        if self.spread.any():
            other = rng.integers(n - 1, size=packets)
            destination = other + (other >= source)
        if self.spots is not None and self.spots.nnz:
            chance = rng.random(packets)
            spot = chance < 1 - self.spread[source]
            row = source[spot]
            first, last = self.spots.indptr[row], self.spots.indptr[row + 1] - 1
            until = np.append(0.0, np.cumsum(self.spots.data))
            place = np.searchsorted(until, until[first] + chance[spot], side="right") - 1
            destination[spot] = self.spots.indices[np.clip(place, first, last)]
        return destination


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
            return int(np.searchsorted(topology.terminals, topology.terminal(name)))
        except ValueError as error:
            raise ParameterError("nodes", f"{self.title()}: nodes: {error}") from None


@dataclass(frozen=True)
class RandomPermutation(Permutation):
    """A permutation of the terminals, drawn once; some may send to themselves.

    Raises
    ------
    ValueError
        If the seed is negative.
    """

    name: ClassVar[str] = "randperm"
    seed: Annotated[int, Parameter("The seed of the permutation.", example=1)] = 0
    """Of the permutation; that of the packets is another."""

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise ParameterError(
                "seed", f"{self.title()} needs a seed of at least 0, not {self.seed}"
            )

    def to(self, topology: Topology) -> IntArray:
        return np.random.default_rng(self.seed).permutation(len(topology.terminals))

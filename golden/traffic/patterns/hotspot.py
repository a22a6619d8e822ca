"""Patterns that favour some terminals: hot spots, and a random permutation."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.parameters import Parameter, ParameterError
from fingerpost.golden.topology.base import Topology
from fingerpost.golden.traffic.demand import Demand, pairs
from fingerpost.golden.traffic.patterns.base import Pattern, Permutation


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

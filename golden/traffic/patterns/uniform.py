"""Patterns in which every terminal sends to all others: by chance, or in turn."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.topology.base import Topology
from fingerpost.golden.traffic.demand import Demand
from fingerpost.golden.traffic.patterns.base import Pattern


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

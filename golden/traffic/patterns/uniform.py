"""Uniform random traffic."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fingerpost.golden.topology.base import Topology
from fingerpost.golden.traffic.demand import Demand
from fingerpost.golden.traffic.patterns.base import Pattern


@dataclass(frozen=True)
class Uniform(Pattern):
    """Every packet goes to one of the other terminals, all alike."""

    name: ClassVar[str] = "uniform"

    def demand(self, topology: Topology) -> Demand:
        """Return nothing but what is spread."""
        return Demand(np.ones(len(topology.terminals)), None)

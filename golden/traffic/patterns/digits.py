"""Patterns that add to the coordinates of a grid."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.topology.base import Topology
from fingerpost.golden.topology.faulty import Faulty
from fingerpost.golden.topology.grid import Grid
from fingerpost.golden.traffic.patterns.base import Permutation


class DigitPattern(Permutation):
    """A step in every dimension of a grid; other networks are taken for one ring of terminals.

    A grid that has lost terminals is another network; one that has lost links is not.

    Steps go round, whether or not the dimension has a link there.
    """

    @abstractmethod
    def step(self, size: int) -> int:
        """Return how far packets go in a dimension of `size` nodes."""

    def to(self, topology: Topology) -> IntArray:
        n = len(topology.terminals)
        sizes: tuple[int, ...] = (n,)
        grid = topology.whole if isinstance(topology, Faulty) else topology
        if isinstance(grid, Grid) and n == grid.nodes:
            sizes = grid.sizes
        rest, destination, offset = np.arange(n), np.zeros(n, np.int64), 1
        for size in sizes:
            rest, digit = np.divmod(rest, size)
            destination += offset * ((digit + self.step(size)) % size)
            offset *= size
        return destination


@dataclass(frozen=True)
class Tornado(DigitPattern):
    """Packets go nearly half of the way round every dimension, all the same way."""

    name: ClassVar[str] = "tornado"

    def step(self, size: int) -> int:
        return -(-size // 2) - 1


@dataclass(frozen=True)
class Neighbor(DigitPattern):
    """Packets go one node up in every dimension."""

    name: ClassVar[str] = "neighbor"

    def step(self, size: int) -> int:
        return 1

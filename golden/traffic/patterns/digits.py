"""Patterns that add to the coordinates of a grid."""

from abc import abstractmethod

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.topology.base import Topology
from fingerpost.golden.topology.grid import Grid
from fingerpost.golden.traffic.patterns.base import Permutation


class DigitPattern(Permutation):
    """A step in every dimension of a grid; other networks are taken for one ring of terminals.

    Steps go round, whether or not the dimension has a link there.
    """

    @abstractmethod
    def step(self, size: int) -> int:
        """Return how far packets go in a dimension of `size` nodes."""

    def to(self, topology: Topology) -> IntArray:
        """Return the terminal that is a step away in every dimension."""
        n = len(topology.terminals)
        sizes: tuple[int, ...] = (n,)
        if isinstance(topology, Grid) and n == topology.nodes:
            sizes = topology.sizes
        rest, destination, offset = np.arange(n), np.zeros(n, np.int64), 1
        for size in sizes:
            rest, digit = np.divmod(rest, size)
            destination += offset * ((digit + self.step(size)) % size)
            offset *= size
        return destination

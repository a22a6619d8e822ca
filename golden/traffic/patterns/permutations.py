"""Patterns that permute terminals: the bits of their numbers, or the coordinates of a grid."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.topology.base import Topology
from fingerpost.golden.topology.faulty import Faulty
from fingerpost.golden.topology.grid import Grid
from fingerpost.golden.traffic.patterns.base import Permutation


class BitPattern(Permutation):
    """A permutation of the terminals 0..2^b - 1, the most that there are; others send uniformly.

    Attributes
    ----------
    step : int
        b is a multiple of it.
    """

    step: ClassVar[int] = 1

    @abstractmethod
    def turned(self, number: IntArray, width: int) -> IntArray:
        """Return the destinations of terminals whose numbers have `width` bits."""

    def to(self, topology: Topology) -> IntArray:
        n = len(topology.terminals)
        width = (n.bit_length() - 1) // self.step * self.step
        destination = np.full(n, -1)
        destination[: 1 << width] = self.turned(np.arange(1 << width), width)
        return destination


@dataclass(frozen=True)
class Transpose(BitPattern):
    """The upper half of the bits of a number and the lower half change places."""

    name: ClassVar[str] = "transpose"
    step: ClassVar[int] = 2

    def turned(self, number: IntArray, width: int) -> IntArray:
        half = width // 2
        return number >> half | (number & (1 << half) - 1) << half


@dataclass(frozen=True)
class BitComplement(BitPattern):
    """Bit i of the destination is the opposite of bit i of the source."""

    name: ClassVar[str] = "bitcomp"

    def turned(self, number: IntArray, width: int) -> IntArray:
        return (1 << width) - 1 - number


@dataclass(frozen=True)
class BitReverse(BitPattern):
    """Bit i of the destination is bit b-1-i of the source."""

    name: ClassVar[str] = "bitrev"

    def turned(self, number: IntArray, width: int) -> IntArray:
        reverse = np.zeros_like(number)
        for bit in range(width):
            reverse |= (number >> bit & 1) << (width - 1 - bit)
        return reverse


@dataclass(frozen=True)
class Shuffle(BitPattern):
    """Bit i of the destination is bit i-1 of the source, and bit 0 is bit b-1."""

    name: ClassVar[str] = "shuffle"

    def turned(self, number: IntArray, width: int) -> IntArray:
        return (number << 1 | number >> max(0, width - 1)) & (1 << width) - 1


@dataclass(frozen=True)
class BitRotation(BitPattern):
    """Bit i of the destination is bit i+1 of the source, and bit b-1 is bit 0."""

    name: ClassVar[str] = "bitrot"

    def turned(self, number: IntArray, width: int) -> IntArray:
        return number >> 1 | (number & 1) << max(0, width - 1) & (1 << width) - 1


@dataclass(frozen=True)
class Butterfly(BitPattern):
    """Bit 0 of the destination is bit b-1 of the source, and bit b-1 is bit 0."""

    name: ClassVar[str] = "butterfly"

    def turned(self, number: IntArray, width: int) -> IntArray:
        high = max(0, width - 1)
        differ = (number ^ number >> high) & 1
        return number ^ (differ | differ << high)


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
        if isinstance(grid, Grid) and n == grid.nodes == grid.terminal_numbers:
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

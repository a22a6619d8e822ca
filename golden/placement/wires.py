"""The wires of links between tiles: their lengths, and how many cross the middle of the chip."""

from typing import NamedTuple

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.topology.base import Topology


class Wires(NamedTuple):
    """The links of a network on a chip, each direction counted.

    Attributes
    ----------
    tiles : (int, int)
        Columns and rows from the first to the last that has a node.
    links, total, longest : int
        Links; tiles that all of them cross, and the longest.
    mean : float
        Tiles of a link.
    histogram : list of int
        Links that are 0, 1, 2, ... tiles long.
    bisection : int
        Links across the line that halves the chip: the vertical or the horizontal one, of which
        more links cross. In an odd number of columns or rows it lies beside the middle one.
    """

    tiles: tuple[int, int]
    links: int
    total: int
    longest: int
    mean: float
    histogram: list[int]
    bisection: int


def lengths(topology: Topology, positions: IntArray) -> IntArray:
    """Return the Manhattan length of the link at each port, in tiles; 0 where there is no link."""
    length = np.abs(positions[topology.neighbour] - positions[:, None]).sum(axis=2)
    return np.where(topology.neighbour < 0, 0, length)


def wires(topology: Topology, positions: IntArray) -> Wires:
    """Return what the links of a network need on a chip.

    Examples
    --------
    >>> from fingerpost.golden.topology import Grid
    >>> grid = Grid(sizes=[4, 4])
    >>> found = wires(grid, grid.positions)
    >>> found.links, found.total, found.longest, found.bisection
    (48, 48, 1, 8)
    """
    linked = topology.neighbour >= 0
    length = lengths(topology, positions)[linked]
    present = np.delete(positions, topology.lost, axis=0)
    low, size = present.min(axis=0), np.ptp(present, axis=0) + 1
    beyond = positions - low >= (size + 1) // 2
    crossing = (beyond[topology.neighbour] != beyond[:, None])[linked]
    columns, rows = size.tolist()
    return Wires(
        tiles=(columns, rows),
        links=len(length),
        total=int(length.sum()),
        longest=int(length.max(initial=0)),
        mean=float(length.mean()) if len(length) else 0.0,
        histogram=np.bincount(length).tolist(),
        bisection=int(crossing.sum(axis=0).max(initial=0)),
    )

"""Exact distances by breadth-first search over the neighbour array."""

from typing import TYPE_CHECKING

import numpy as np

from fingerpost.golden.arrays import IntArray

if TYPE_CHECKING:  # families measure distances when they are made, so must not be imported here
    from fingerpost.golden.topology.base import Topology


def distances(neighbour: IntArray, source: int) -> IntArray:
    """Return the number of hops from `source` to every node, -1 where there is no way.

    Examples
    --------
    >>> ring = np.array([[1, 4], [2, 0], [3, 1], [4, 2], [0, 3]])
    >>> distances(ring, 0).tolist()
    [0, 1, 2, 2, 1]
    """
    distance = np.full(len(neighbour), -1)
    place = np.empty(len(neighbour), np.int64)
    distance[source] = depth = 0
    frontier = np.array([source])
    while len(frontier):
        depth += 1
        reached = neighbour[frontier].ravel()
        new = reached[(distance[reached] < 0) & (reached >= 0)]
        distance[new] = depth
        # A node reached several times stands in `new` as often: keep the last place.
        here = np.arange(len(new))
        place[new] = here
        frontier = new[place[new] == here]
    return distance


def summary(topology: "Topology", *, among_terminals: bool = False) -> tuple[int, float]:
    """Return the diameter D and the mean distance over the n-1 other nodes.

    With `among_terminals` both are of the nodes that have a terminal, to one another. Nodes that
    faults have taken away do not count.

    Raises
    ------
    ValueError
        If some node cannot reach another.

    Examples
    --------
    >>> from fingerpost.golden.topology import EdgeList
    >>> summary(EdgeList(links=[(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)], nodes=5))
    (2, 1.5)
    """
    present = np.delete(np.arange(topology.nodes), topology.lost)
    some = topology.terminals if among_terminals else present
    _, first, size = np.unique(topology.orbit[some], return_index=True, return_counts=True)
    if topology.vertex_transitive:
        first, size = first[:1], size[:1]
    diameter, total = 0, 0
    for source, weight in zip(some[first].tolist(), size.tolist(), strict=True):
        distance = distances(topology.neighbour, source)[some]
        if distance.min() < 0:
            lost = some[distance.argmin()]
            raise ValueError(f"Topology needs a way from node {source} to {lost}")
        diameter = max(diameter, int(distance.max()))
        total += weight * int(distance.sum())
    return diameter, total / int(size.sum()) / (len(some) - 1)

"""Exact distances by breadth-first search over the neighbour array."""

import numpy as np

from golden.topology.base import IntArray, Topology

__all__ = ["distances", "summary"]


def distances(neighbour: IntArray, source: int) -> IntArray:
    """Return the number of hops from `source` to every node, -1 where there is no way."""
    distance = np.full(len(neighbour), -1)
    distance[source] = 0
    frontier = np.array([source])
    while len(frontier):
        reached = neighbour[frontier].ravel()
        reached = np.unique(reached[reached >= 0])
        depth = distance[frontier[0]] + 1
        frontier = reached[distance[reached] < 0]
        distance[frontier] = depth
    return distance


def summary(topology: Topology) -> tuple[int, float]:
    """Return the diameter D and the mean distance over the n-1 other nodes.

    Raises
    ------
    ValueError
        If some node cannot reach another.
    """
    sources = [0] if topology.vertex_transitive else range(topology.nodes)
    diameter, total = 0, 0
    for source in sources:
        distance = distances(topology.neighbour, source)
        if distance.min() < 0:
            raise ValueError(f"Topology needs a way from node {source} to {distance.argmin()}")
        diameter = max(diameter, int(distance.max()))
        total += int(distance.sum())
    return diameter, total / len(sources) / (topology.nodes - 1)

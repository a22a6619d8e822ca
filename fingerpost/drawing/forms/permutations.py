"""Networks of permutations, drawn by recursion: those that end alike are a smaller network."""

from collections.abc import Callable, Sequence

import numpy as np

from fingerpost.drawing.form import Points, circle
from fingerpost.drawing.forms.clusters import on_circle, radius, turned
from fingerpost.golden.arrays import IntArray

__all__ = ["Ring", "recursive"]

Ring = Callable[[int, int], Sequence[int]]
"""Returns the nodes of a smallest part, at most 3 letters, in their order round a ring."""


def recursive(
    nodes: IntArray, labels: IntArray, letters: int, neighbour: IntArray, ring: Ring
) -> Points:
    """Return the places of some nodes, around their middle, in their order.

    Parameters
    ----------
    nodes : (count,)
        Those whose labels agree behind the first `letters` letters; ascending.
    labels : (all, n)
    neighbour : (all, degree)
        Links to other nodes do not matter.
    """
    if letters <= 3:
        order = np.searchsorted(nodes, ring(int(nodes[0]), letters))
        points = np.zeros((len(nodes), 2))
        size = {1: 0.0, 2: 0.55, 3: 1.0}[letters]
        points[order] = circle(len(nodes), size, np.pi / 2 + np.pi / len(nodes))
        return points
    last = labels[nodes, letters - 1]
    groups = [np.flatnonzero(last == letter) for letter in np.unique(last)]
    shapes = [recursive(nodes[group], labels, letters - 1, neighbour, ring) for group in groups]
    start = np.pi / 2 + (np.pi / 4 if len(groups) == 4 else 0)
    middles = on_circle([radius(shape) for shape in shapes], start)
    return turned(groups, shapes, middles, inner(nodes, neighbour))


def inner(nodes: IntArray, neighbour: IntArray) -> IntArray:
    """Return the links among some nodes, as pairs of their places in the list."""
    place = np.full(len(neighbour), -1)
    place[nodes] = np.arange(len(nodes))
    start, port = np.nonzero(neighbour[nodes] >= 0)
    end = place[neighbour[nodes[start], port]]
    return np.stack([start, end], axis=1)[end >= 0]

"""Rotator graphs and super rotator graphs: components side by side, with their cycles."""

import numpy as np

from fingerpost.drawing.form import Disc, Form
from fingerpost.drawing.forms.clusters import on_circle, radius, turned
from fingerpost.drawing.forms.permutations import Ring, recursive
from fingerpost.golden.algebra.permutation import permutations
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.topology import Rotator, SuperRotator

__all__ = ["rotator", "super_rotator"]


def rotator(topology: Rotator) -> Form:
    """Place the components R_(n-1), one for each last letter, around a circle.

    R_3 is a hexagon: its triangles are the cycles of g3, its sides those of g2.
    """
    nodes = np.arange(topology.nodes)
    ring = _ring(topology.neighbour)
    return Form(
        recursive(nodes, topology.labels, topology.n, topology.neighbour, ring),
        texts=[topology.name(node) for node in range(topology.nodes)],
        colour=topology.labels[:, -1] - 1,
        colours=[f"ends in {i + 1}" for i in range(topology.n)],
        kind=np.broadcast_to(np.arange(topology.degree), topology.neighbour.shape),
        kinds=topology.port_names,
    )


def super_rotator(topology: SuperRotator) -> Form:
    """Place the components of all classes, rotator graphs each, around a circle."""
    labels = permutations(np.arange(topology.nodes), topology.n + 1)
    groups, sizes = [], []
    for i in range(topology.n, 0, -1):
        nodes = np.arange(topology.base[i], topology.end[i])
        some = np.split(nodes, int(topology.counts[i])) if len(nodes) else []
        groups += some
        sizes += [i] * len(some)
    ring = _ring(topology.neighbour)
    shapes = [
        recursive(group, labels, size, topology.neighbour, ring)
        for group, size in zip(groups, sizes, strict=True)
    ]
    radii = [radius(shape) for shape in shapes]
    middles = on_circle(radii)
    start, port = np.nonzero(topology.neighbour >= 0)
    links = np.stack([start, topology.neighbour[start, port]], axis=1)
    present = sorted(set(sizes), reverse=True)
    return Form(
        turned(groups, shapes, middles, links),
        colour=np.array([present.index(i) for i in topology.node_class.tolist()]),
        colours=[f"R{i} of class {i}" for i in present],
        kind=_kinds(topology, groups),
        kinds=("g, within a component", "A, within a class", "B, between classes"),
        discs=[Disc(x, y, r) for (x, y), r in zip(middles.tolist(), radii, strict=True)],
    )


def _kinds(topology: SuperRotator, groups: list[IntArray]) -> IntArray:
    """Return 0, 1 or 2 for links within a component, a class, or between classes."""
    component = np.zeros(topology.nodes, np.int64)
    for i, group in enumerate(groups):
        component[group] = i
    other, of = topology.neighbour, topology.node_class
    kind = (component[other] != component[:, None]).astype(np.int64)
    return np.where(of[other] != of[:, None], 2, kind)


def _ring(neighbour: IntArray) -> Ring:
    def ring(first: int, letters: int) -> list[int]:
        """Return the nodes of R_3: the corners of one triangle, each with its pair by g2."""
        if letters == 1:
            return [first]
        corner, order = first, []
        for _ in range(3 if letters == 3 else 1):
            order += [corner, int(neighbour[corner, 0])]
            corner = int(neighbour[corner, 1]) if letters == 3 else corner
        return order

    return ring

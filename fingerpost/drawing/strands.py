"""The lines of a picture: one for both ways of a link, each with the curve that it takes."""

from dataclasses import dataclass

import numpy as np

from fingerpost.drawing.bends import bends, curve
from fingerpost.drawing.form import Points
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.topology import Topology

__all__ = ["LOOP", "End", "Strand", "strands"]

LOOP = 0.9
"""Diameter of the loop of a link from a node to itself, in diameters of the node."""


End = tuple[int, int]
"""A node and a port: the link that goes from there."""


@dataclass(frozen=True)
class Strand:
    """A line that is drawn, or two halves of one that leaves the picture and comes back.

    Attributes
    ----------
    ends : tuple of (node, port)
        The links that it stands for, one or both ways; drawn from the node of the first.
    lines : tuple of (samples, 2)
        From the first node to the second; if there are two, from each node outwards.
    both : bool
        Whether a link goes each way.
    """

    ends: tuple[End, ...]
    lines: tuple[Points, ...]
    both: bool

    def way(self, node: int, port: int) -> tuple[Points, ...]:
        """Return the lines of one of its links, in the direction in which a packet goes."""
        forward = (node, port) == self.ends[0]
        if len(self.lines) == 1:
            return self.lines if forward else (self.lines[0][::-1],)
        out, into = self.lines if forward else self.lines[::-1]
        return out, into[::-1]


def strands(
    topology: Topology, points: Points, diameter: float, stub: Points | None = None
) -> list[Strand]:
    """Return all lines of a network whose nodes are discs at `points`."""
    links = _links(topology)
    pairs = np.array([pair for _, pair in links])
    lines: list[tuple[Points, ...]] = []
    apart = _apart(pairs)
    plain = np.array([stub is None or not stub[ends[0]].any() for ends, _ in links])
    between = np.flatnonzero(plain & (pairs[:, 0] != pairs[:, 1]))
    found = bends(points, pairs[between], diameter / 2 + min(3.0, diameter / 4), apart[between])
    bend = dict(zip(between.tolist(), found, strict=True))
    for i, (ends, (start, end)) in enumerate(links):
        if not plain[i]:
            lines.append(tuple(_half(points, stub, each) for each in _halves(topology, ends)))
        elif start == end:
            lines.append((_loop(points, start, diameter),))
        else:
            lines.append((curve(points[start], points[end], bend[i]),))
    return [
        Strand(ends, line, len(ends) == 2 or not topology.directed)
        for (ends, _), line in zip(links, lines, strict=True)
    ]


def _links(topology: Topology) -> list[tuple[tuple[End, ...], tuple[int, int]]]:
    """Return what is one line: a link and its way back, by the same kind of port if directed."""
    found: list[tuple[tuple[End, ...], tuple[int, int]]] = []
    seen: set[End] = set()
    directed = topology.directed
    for node, port in zip(*(x.tolist() for x in np.nonzero(topology.neighbour >= 0)), strict=True):
        if (node, port) in seen:
            continue
        other = int(topology.neighbour[node, port])
        back = other, port if directed else int(topology.arrival_port[node, port])
        two = back != (node, port) and int(topology.neighbour[back]) == node
        ends: tuple[End, ...] = ((node, port), back) if two else ((node, port),)
        seen.update(ends)
        found.append((ends, (node, other)))
    return found


def _apart(pairs: IntArray) -> IntArray:
    """Return 1, -1, 2, ... for lines that join the same two nodes, 0 for all others."""
    apart = np.zeros(len(pairs), np.int64)
    _, group, size = np.unique(
        np.sort(pairs, axis=1), axis=0, return_inverse=True, return_counts=True
    )
    group = group.ravel()
    for many in np.flatnonzero(size > 1).tolist():
        for rank, i in enumerate(np.flatnonzero(group == many).tolist()):
            apart[i] = (rank // 2 + 1) * (1 if rank % 2 == 0 else -1)
    return apart


def _halves(topology: Topology, ends: tuple[End, ...]) -> tuple[tuple[int, int], ...]:
    """Return both ends of a link that leaves the picture."""
    node, port = ends[0]
    there = int(topology.neighbour[node, port]), int(topology.arrival_port[node, port])
    return ends[0], there


def _half(points: Points, stub: Points | None, end: End) -> Points:
    way = np.zeros(2) if stub is None else stub[end]
    return np.array([points[end[0]], points[end[0]] + way])


def _loop(points: Points, node: int, diameter: float) -> Points:
    """Return a small circle that touches a node from outside the picture."""
    away = points[node] - points.mean(axis=0)
    away = away / max(1e-9, float(np.linalg.norm(away)))
    radius = LOOP * diameter / 2
    middle = points[node] + away * (diameter / 2 + 0.6 * radius)
    first = np.arctan2(-away[1], -away[0])
    angle = first + np.linspace(0, 2 * np.pi, 33)
    loop: Points = middle + radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return loop

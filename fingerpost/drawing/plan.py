"""A network laid out in points: nodes, what stands where, and lines that keep clear of nodes.

A line stands for both ways of a link.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from fingerpost.drawing.form import Disc, Form, Points
from fingerpost.drawing.sheet import WIDE, size_for
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.topology import Topology

TALL = 620.0
FARTHEST = 105.0
"""Points between neighbouring nodes, at most."""

LARGEST, SMALLEST = 34.0, 3.2
"""Diameters of nodes."""

BARE = 0.6
"""Diameter of nodes without letters, in those of nodes that have room for some."""

READ = 6.5
"""Points of the smallest letters."""


OFFSETS = (0.0, 0.05, -0.05, 0.1, -0.1, 0.16, -0.16, 0.23, -0.23, 0.3, -0.3, 0.4, -0.4)
BENDS = sorted(product(OFFSETS, OFFSETS), key=lambda b: b[0] ** 2 + b[0] * b[1] + b[1] ** 2)[1:]
"""How far the two inner points of a Bezier curve are beside the straight line, in lengths."""

Bend = tuple[float, float]

STRAIGHT: Bend = (0.0, 0.0)

TRIALS = 20_000
"""Bends that are tried for a line, times nodes: where there are many, a bend is hardly seen."""

SAMPLES = 25

CHUNK = 2_000_000
"""Distances that are held at once."""

LOOP = 0.9
"""Diameter of the loop of a link from a node to itself, in diameters of the node."""

End = tuple[int, int]
"""A node and a port: the link that goes from there."""


def curve(start: Points, end: Points, bend: Bend, samples: int = SAMPLES) -> Points:
    """Return points along the line from `start` to `end`; two if it is straight.

    A cubic Bezier curve, to the left of the straight line where `bend` is positive.
    """
    if not any(bend):
        return np.array([start, end])
    way = end - start
    across = np.array([-way[1], way[0]])
    first, second = start + way / 3 + bend[0] * across, end - way / 3 + bend[1] * across
    t = np.linspace(0, 1, samples)[:, None]
    points: Points = (
        (1 - t) ** 3 * start + 3 * t * (1 - t) * ((1 - t) * first + t * second) + t**3 * end
    )
    return points


def clearance(points: Points, pairs: IntArray) -> Points:
    """Return how near each straight line between two nodes comes to a third one."""
    least = np.full(len(pairs), np.inf)
    step = max(1, CHUNK // max(1, len(points)))
    for low in range(0, len(pairs), step):
        some = pairs[low : low + step]
        distance = _to_segments(points, points[some[:, 0]], points[some[:, 1]])
        row = np.arange(len(some))[:, None]
        distance[row, some] = np.inf
        least[low : low + step] = distance.min(axis=1)
    return least


def bends(points: Points, pairs: IntArray, room: float, apart: IntArray) -> list[Bend]:
    """Return the bend of the line of every pair: none if no other node is within `room` of it.

    Where nothing keeps clear, the line that does best is taken.

    Parameters
    ----------
    apart : (pairs,)
        0 for the only line between two nodes; others, that are to be seen apart, are bent to the
        left where it is positive and to the right where it is negative, seen from the lower node.
    """
    clear = clearance(points, pairs)
    bend: list[Bend] = [STRAIGHT] * len(pairs)
    for i in np.flatnonzero((clear < room) | (apart != 0)).tolist():
        start, end = pairs[i].tolist()
        side = int(apart[i]) * (1 if start < end else -1)
        best, most = STRAIGHT, -1.0 if side else float(clear[i])
        low, high = np.sort(points[[start, end]], axis=0)
        reach = 0.45 * float(np.linalg.norm(high - low)) + room
        near = ((points > low - reach) & (points < high + reach)).all(axis=1)
        near[[start, end]] = False
        others = points[near]
        for choice in BENDS[: max(24, TRIALS // len(points))]:
            if side and not (choice[0] == choice[1] and choice[0] * side > 0):
                continue
            line = curve(points[start], points[end], choice, 17)
            least = _to_segments(others, line[:-1], line[1:]).min() if len(others) else room
            if least > most + 1e-9:
                best, most = choice, least
            if least >= room:
                break
        bend[i] = best
    return bend


def _to_segments(points: Points, start: Points, end: Points) -> Points:
    """Return the distance of every point to every segment; shape (segments, points)."""
    way = end - start
    length = np.maximum((way**2).sum(axis=1), 1e-12)
    to = points[None] - start[:, None]
    along = np.clip((to * way[:, None]).sum(axis=2) / length[:, None], 0, 1)
    distance: Points = np.linalg.norm(to - along[..., None] * way[:, None], axis=2)
    return distance


def length(line: Points) -> float:
    """Return the length of a line."""
    return float(np.linalg.norm(np.diff(line, axis=0), axis=1).sum())


def cut(line: Points, start: float, end: float) -> Points:
    """Return a line without so much of it at its start and its end."""
    along = np.append(0, np.linalg.norm(np.diff(line, axis=0), axis=1).cumsum())
    low, high = min(start, along[-1]), max(along[-1] - end, 0.0)
    at = np.concatenate([[low], along[(along > low) & (along < high)], [max(low, high)]])
    return np.stack([np.interp(at, along, line[:, axis]) for axis in (0, 1)], axis=1)


def head(line: Points, rim: float, size: float, hidden: float) -> tuple[Points, Points]:
    """Return the line up to a head whose tip is `rim` before its end, and the head.

    So much of its start is `hidden` by a node.
    """
    size = min(size, max(0.0, length(line) - rim - hidden) * 0.9)
    tip, base = cut(line, 0, rim)[-1], cut(line, 0, rim + size)[-1]
    way = tip - base
    across = 0.42 * np.array([-way[1], way[0]])
    triangle = np.array([tip, base + across, base - across])
    return cut(line, 0, rim + 0.8 * size), triangle


def shifted(line: Points, by: float) -> Points:
    """Return a line beside another one, to its left; as much as its ends allow."""
    way = line[-1] - line[0]
    across = np.array([-way[1], way[0]]) / max(1e-9, float(np.linalg.norm(way)))
    return line + by * across


@dataclass(frozen=True)
class Strand:
    """A line that is drawn, or two halves of one that leaves the picture and comes back."""

    ends: tuple[End, ...]
    """The links that it stands for, one or both ways; drawn from the node of the first."""
    lines: tuple[Points, ...]
    """From the first node to the second; if there are two, from each node outwards."""
    both: bool
    """Whether a link goes each way."""

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
    stub = np.zeros((*topology.neighbour.shape, 2)) if stub is None else stub
    plain = np.array([not stub[ends[0]].any() for ends, _ in links])
    between = np.flatnonzero(plain & (pairs[:, 0] != pairs[:, 1]))
    found = bends(points, pairs[between], diameter / 2 + min(3.0, diameter / 4), apart[between])
    bend = dict(zip(between.tolist(), found, strict=True))
    for i, (ends, (start, end)) in enumerate(links):
        if not plain[i]:
            there = int(topology.neighbour[ends[0]]), int(topology.arrival_port[ends[0]])
            lines.append(
                tuple(
                    np.array([points[node], points[node] + stub[node, port]])
                    for node, port in (ends[0], there)
                )
            )
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


@dataclass(frozen=True)
class Plan:
    """Where everything is."""

    topology: Topology
    """What is drawn: the whole network, or the quotient that stands for it."""
    form: Form
    points: Points
    """Shape (nodes, 2). In points."""
    diameter: float
    """Of the nodes."""
    texts: Sequence[str]
    """What stands in the nodes; nothing if there is no room."""
    size: float
    """Of these letters."""
    key: Sequence[str]
    """What is to be listed below."""
    strands: list[Strand]
    discs: Sequence[Disc]

    @property
    def strand(self) -> dict[tuple[int, int], Strand]:
        """Return the line of every link."""
        return {end: strand for strand in self.strands for end in strand.ends}

    def moved(self, by: tuple[float, float]) -> "Plan":
        """Return the same elsewhere on the sheet."""
        way = np.array(by)
        return replace(
            self,
            points=self.points + way,
            strands=[replace(s, lines=tuple(x + way for x in s.lines)) for s in self.strands],
            discs=[disc._replace(x=disc.x + by[0], y=disc.y + by[1]) for disc in self.discs],
        )


def plan(topology: Topology, form: Form) -> Plan:
    """Lay out a network: as large as the sheet, and nodes as large as their neighbours allow."""
    spacing = _spacing(form.points)
    wide, high = np.ptp(form.points, axis=0)
    rooms = [FARTHEST / spacing, (WIDE - 60) / max(wide, 1e-9), TALL / max(high, 1e-9)]
    scale = min(rooms)
    points = form.points * scale
    share = 0.62 if not form.outward else 0.7 if topology.directed else 0.8
    diameter = min(LARGEST, share * spacing * scale)
    clear = 2 * (_clear(topology, points) - 3)  # smaller nodes, if that keeps all lines straight
    if clear > 0.36 * spacing * scale:
        diameter = min(diameter, clear)
    diameter = max(SMALLEST, diameter)
    texts, size, key = _texts(form, diameter, topology.nodes)
    if not texts:
        diameter = max(SMALLEST, BARE * diameter)
    stub = None if form.stub is None else form.stub * scale
    return Plan(
        topology,
        form,
        points,
        diameter,
        texts,
        size,
        key,
        strands(topology, points, diameter, stub),
        [Disc(d.x * scale, d.y * scale, d.radius * scale, d.text) for d in form.discs],
    )


def _clear(topology: Topology, points: Points) -> float:
    """Return how near a straight line comes to a third node."""
    node, port = np.nonzero(topology.neighbour >= 0)
    pairs = np.stack([node, topology.neighbour[node, port]], axis=1)
    pairs = pairs[pairs[:, 0] < pairs[:, 1]]
    return float(clearance(points, pairs).min(initial=np.inf))


def _spacing(points: Points) -> float:
    least = np.inf
    for i, point in enumerate(points[:-1]):
        least = min(least, float(np.linalg.norm(points[i + 1 :] - point, axis=1).min()))
    return least if np.isfinite(least) and least > 0 else 1.0


def _texts(form: Form, diameter: float, nodes: int) -> tuple[Sequence[str], float, Sequence[str]]:
    """Return names if they can be read within nodes, else numbers if these can, else nothing."""
    numbers = [str(node) for node in range(nodes)]
    for texts in (form.texts, form.key, numbers):
        if texts is None:
            continue
        if size := size_for(texts, 0.86 * diameter, min(12.0, diameter / 1.5), READ):
            return texts, size, form.key if form.key and texts is not form.key else ()
    return (), 0.0, ()

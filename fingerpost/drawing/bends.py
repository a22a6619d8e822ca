"""Lines between nodes that keep clear of all other nodes: straight, or bent as little as can be."""

from itertools import product

import numpy as np

from fingerpost.drawing.form import Points
from fingerpost.golden.arrays import IntArray

__all__ = ["STRAIGHT", "Bend", "bends", "clearance", "curve"]

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

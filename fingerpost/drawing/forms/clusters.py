"""Groups of nodes, each in a form of its own, side by side: turned so that links are short."""

from collections.abc import Sequence

import numpy as np

from fingerpost.drawing.form import Points, circle
from fingerpost.golden.arrays import IntArray

__all__ = ["on_circle", "radius", "turned"]

ROUNDS, ANGLES = 4, 48

GAP = 1.22
"""How far the middles of neighbouring groups are apart, in sums of their radii."""


def radius(points: Points) -> float:
    """Return how far the farthest point is from the middle, at least that of a node."""
    return max(0.5, float(np.linalg.norm(points, axis=1).max()) + 0.35)


def on_circle(radii: Sequence[float], start: float = np.pi / 2) -> Points:
    """Place discs of these radii around a circle, each with the room that it needs."""
    if len(radii) == 1:
        return np.zeros((1, 2))
    if len(set(radii)) == 1:
        return circle(len(radii), GAP * radii[0] / np.sin(np.pi / len(radii)), start)
    if len(radii) == 2:
        whole = GAP * sum(radii)
        return np.array([[-whole / 2, 0], [whole / 2, 0]])
    low, high = max(radii) * 0.5, GAP * sum(radii)
    for _ in range(60):  # the circle on which neighbours just fit
        middle = (low + high) / 2
        if _angles(radii, middle).sum() > 2 * np.pi:
            low = middle
        else:
            high = middle
    steps = _angles(radii, high)
    angle = start - np.append(0, np.cumsum(steps[:-1]))
    middles: Points = high * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return middles


def _angles(radii: Sequence[float], size: float) -> Points:
    """Return the angle from each disc to the next on a circle of this size."""
    pairs = zip(radii, [*radii[1:], radii[0]], strict=True)
    sines = np.array([GAP * (one + other) / (2 * size) for one, other in pairs])
    angles: Points = 2 * np.arcsin(np.minimum(sines, 1))
    return angles


def turned(
    groups: Sequence[IntArray], shapes: Sequence[Points], middles: Points, links: IntArray
) -> Points:
    """Return the places of all nodes, every group turned and mirrored for short links.

    Parameters
    ----------
    groups : sequence of (members,)
        The nodes of each group; all nodes that there are, counted from 0.
    shapes : sequence of (members, 2)
        Where they are, around the middle of the group.
    middles : (groups, 2)
    links : (links, 2)
        Pairs of nodes.
    """
    count = sum(map(len, groups))
    points, owner, member = np.zeros((count, 2)), np.zeros(count, int), np.zeros(count, int)
    for i, (group, shape) in enumerate(zip(groups, shapes, strict=True)):
        points[group], owner[group], member[group] = shape + middles[i], i, np.arange(len(group))
    across = links[owner[links[:, 0]] != owner[links[:, 1]]]
    both = np.concatenate([across, across[:, ::-1]])
    turns = _turns()
    for _ in range(ROUNDS):
        for i, (group, shape) in enumerate(zip(groups, shapes, strict=True)):
            mine = both[owner[both[:, 0]] == i]
            if not len(mine):
                continue
            places = np.einsum("tij,mj->tmi", turns, shape) + middles[i]
            reach = places[:, member[mine[:, 0]]] - points[mine[:, 1]]
            length = np.linalg.norm(reach, axis=2).sum(axis=1).round(6)
            points[group] = places[int(length.argmin())]
    return points


def _turns() -> Points:
    """Return the rotations, and the rotations of the mirror image."""
    angle = 2 * np.pi * np.arange(ANGLES) / ANGLES
    cos, sin = np.cos(angle), np.sin(angle)
    plain = np.stack([np.stack([cos, -sin], axis=1), np.stack([sin, cos], axis=1)], axis=1)
    mirrored: Points = plain @ np.diag([-1.0, 1.0])
    return np.concatenate([plain, mirrored])

"""Lines with heads, that end at the rim of a node."""

import numpy as np

from fingerpost.drawing.form import Points

__all__ = ["cut", "head", "length", "shifted"]


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

"""What a form says about a network: where its nodes are, and what belongs together."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import BoolArray, IntArray

Points = NDArray[np.float64]

TICKS = 24
"""Numbers around a circle, at most."""


class Disc(NamedTuple):
    """A shaded disc behind nodes that belong together, with a word for them at its middle."""

    x: float
    y: float
    radius: float
    text: str = ""


class Tick(NamedTuple):
    """A word beside a node, to the left of it if `way` is (-1, 0); for nodes without room."""

    node: int
    way: tuple[float, float]
    text: str


@dataclass(frozen=True)
class Form:
    """The form of a network, in units of its own choice."""

    points: Points
    """Shape (nodes, 2). Where the nodes are; y points up."""
    texts: Sequence[str] | None = None
    """What stands in the nodes, if there is room; their numbers if not given."""
    key: Sequence[str] | None = None
    """What the nodes are called, for a list below: names that are too long for nodes."""
    colour: IntArray | None = None
    colours: Sequence[str] = ()
    """Shape (nodes,). The colour of every node, and what each colour says; no legend if they say
    nothing."""
    kind: IntArray | None = None
    kinds: Sequence[str] = ()
    """Shape (nodes, degree). The kind of every link, at the end from which it goes, and what each
    is called."""
    square: BoolArray | None = None
    """Shape (nodes,). Nodes that are squares."""
    stub: Points | None = None
    """Shape (nodes, degree, 2). Links that leave the picture on one side and come back on the
    other: which way each end points. Others are 0."""
    discs: Sequence[Disc] = ()
    ticks: Sequence[Tick] = ()
    """Texts that are drawn next to nodes that have no room for them."""
    outward: bool = False
    """Whether there is room for words around the nodes, away from the middle."""
    note: str = ""
    """A sentence for the subtitle, of what is to be seen."""


def around(count: int) -> list[Tick]:
    """Return the numbers of some nodes on a circle, not too many, for outside it."""
    step = next(s for s in (5, 10, 20, 25, 50, 100, count) if count <= TICKS * s)
    places = circle(count)
    return [
        Tick(node, (float(places[node, 0]), float(places[node, 1])), str(node))
        for node in range(0, count, step)
        if not 0 < count - node < 0.6 * step  # too near to 0
    ]


def circle(count: int, radius: float = 1.0, start: float = np.pi / 2) -> Points:
    """Return places on a circle, clockwise from `start`."""
    angle = start - 2 * np.pi * np.arange(count) / max(1, count)
    return radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)

"""A network laid out in points: nodes, lines, and what stands where."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fingerpost.drawing.form import Disc, Form, Points
from fingerpost.drawing.sheet import WIDE, size_for
from fingerpost.drawing.strands import Strand, clearance, strands
from fingerpost.golden.topology import Topology

__all__ = ["Plan", "plan"]

TALL = 620.0
FARTHEST = 105.0
"""Points between neighbouring nodes, at most."""

LARGEST, SMALLEST = 34.0, 3.2
"""Diameters of nodes."""

BARE = 0.6
"""Diameter of nodes without letters, in those of nodes that have room for some."""

READ = 6.5
"""Points of the smallest letters."""


@dataclass(frozen=True)
class Plan:
    """Where everything is.

    Attributes
    ----------
    topology : Topology
        What is drawn: the whole network, or the quotient that stands for it.
    form : Form
    points : (nodes, 2)
        In points.
    diameter : float
        Of the nodes.
    texts : sequence of str
        What stands in the nodes; nothing if there is no room.
    size : float
        Of these letters.
    key : sequence of str
        What is to be listed below.
    strands : list of Strand
    discs : sequence of Disc
    """

    topology: Topology
    form: Form
    points: Points
    diameter: float
    texts: Sequence[str]
    size: float
    key: Sequence[str]
    strands: list[Strand]
    discs: Sequence[Disc]

    @property
    def strand(self) -> dict[tuple[int, int], Strand]:
        """Return the line of every link."""
        return {end: strand for strand in self.strands for end in strand.ends}


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

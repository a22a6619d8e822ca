"""The section of wires: nodes at their tiles, lengths of links, and what crosses the chip."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure
from matplotlib.path import Path
from matplotlib.ticker import MaxNLocator

from fingerpost.drawing.charts import plain
from fingerpost.drawing.picture import CLASSES, INK, LINK
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.topology import Topology
from fingerpost.report.networks import Subject
from fingerpost.report.page import Cell, Pictures, section, side_by_side

SIDE = 5.0
"""Inches of a picture of tiles."""


def chip(subjects: Sequence[Subject], pictures: Pictures) -> Markup:
    """Return the section; empty where no network has positions."""
    placed = [subject for subject in subjects if subject.info["wires"]]
    shown = []
    for subject in placed:
        found, positions = subject.info["wires"], subject.network.positions()
        assert positions is not None
        said = f"{found['mean']:.2f} tiles in the mean, at most {found['longest']}"
        drawn = _figure(subject.network.topology, positions, found["histogram"])
        label = f"Links of {subject.name} on their tiles, and how many are how long: {said}"
        shown.append(pictures.inline(drawn, label, f"{subject.name}: links by length"))
    facts = None
    if placed:
        told = [_facts(subject.info["wires"]) for subject in placed]
        facts = side_by_side("Wires", [subject.name for subject in placed], told)
    return section("wires", facts=facts, drawings=shown)


def _facts(found: dict[str, Any]) -> dict[str, Cell]:
    columns, rows = found["tiles"]
    return {
        "tiles, columns and rows": f"{columns} x {rows}",
        "length of a link, mean and maximum [tiles]": f"{found['mean']:.2f}, {found['longest']}",
        "length of all links, each direction counted [tiles]": f"{found['total']:,}",
        "links across the middle of the chip": f"{found['bisection']:,}",
        "wires across the middle": f"{found['bisection_wires']:,}"
        if found["bisection_wires"]
        else "not known",
        "longest link [cycles]": found["cycles"],
    }


def _figure(topology: Topology, positions: IntArray, histogram: Sequence[int]) -> Figure:
    """Return the links as lines between tiles, and beside them how many are how long."""
    made = Figure(figsize=(2 * SIDE, SIDE), layout="constrained")
    tiles, bars = made.subplots(1, 2)
    _tiles(tiles, topology, positions)
    bars.bar(np.arange(len(histogram)), histogram, 0.8, color=CLASSES[0], edgecolor=INK)
    bars.set(xlabel="length [tiles]", ylabel="links", ylim=(0, None))
    for axis in (bars.xaxis, bars.yaxis):
        axis.set_major_locator(MaxNLocator(integer=True))
    plain(bars, grid="y")
    return made


def _tiles(axes: Axes, topology: Topology, positions: IntArray) -> None:
    node, port = np.nonzero(topology.neighbour >= 0)
    there = topology.neighbour[node, port]
    once = (node < there) | topology.directed
    lines = np.stack([positions[node[once]], positions[there[once]]], axis=1)
    lengths = np.abs(lines[:, 0] - lines[:, 1]).sum(axis=1)
    # A path for each length, not link: less text, and where links cross it is still darker.
    paths = [
        Path.make_compound_path(*map(Path, lines[lengths == each])) for each in np.unique(lengths)
    ]
    opacity = min(1.0, 200 / max(1, len(lines)) + 0.3)
    look: dict[str, Any] = {"edgecolors": LINK, "linewidths": 0.8, "alpha": opacity}
    axes.add_collection(PathCollection(paths, facecolors="none", **look))
    x, y = positions.T
    axes.scatter(x, y, s=min(30.0, 3000 / len(positions)), color=INK, zorder=2)
    axes.set_aspect("equal")
    axes.invert_yaxis()
    axes.set(xlabel="column", ylabel="row")
    plain(axes)

"""`fingerpost draw`: a picture of a network and of a route through it."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch
from numpy.typing import NDArray

from fingerpost import picture
from golden.network import Routed
from golden.topology import Topology

__all__ = ["LARGEST", "draw"]

LARGEST = 400
"""More nodes than this are a grey disc."""

RADIUS = 241
"""Of the circle, in points, with the figure and axes of `_figure`."""

NAMED_CLASSES = 12
"""More classes than this have no entry of their own in the legend."""

LETTERS = 30
"""A route of more has no room in the title."""

INK, LINK, PAPER = "#22303c", "#a5b1ba", "#ffffff"
CLASSES = (  # light, so that the numbers stand out
    "#8ecae6", "#ffd166", "#a8d5a2", "#f4acb7", "#cdb4db", "#f8ad6d",
    "#80cfc4", "#d9c9a3", "#b5c7f2", "#e6e07a", "#d0a99a", "#bfc8cc",
)  # fmt: skip
PHASES = ("#d1495b", "#2a6fb0", "#3a8f5c", "#8a5fb0")

Points = NDArray[np.float64]


def draw(network: Routed, path: Path, *, route: Mapping[str, Any] | None = None) -> None:
    """Draw a network, and a route as `fingerpost.route.facts` tells it, to an SVG or PNG file.

    The same network gives the same file, byte for byte.

    Raises
    ------
    ValueError
        If the network is too large to be seen, or the file is to be of another kind.
    """
    picture.kind(path)
    if network.topology.nodes > LARGEST:
        raise ValueError(
            f"draw needs a network of at most {LARGEST} nodes to show anything, "
            f"not {network.topology.nodes}"
        )
    with picture.style():
        figure = _figure(network, route)
    picture.save(figure, path, title=network.name)


def _figure(network: Routed, route: Mapping[str, Any] | None) -> Figure:
    topology = network.topology
    circle = topology.picture() is None
    points, apart = _points(topology)
    diameter = min(34.0, 0.8 * RADIUS * apart)  # of a node, in points

    figure = Figure(figsize=(8.4, 8.6), facecolor=PAPER)
    axes = figure.add_axes((0.03, 0.09, 0.94, 0.80))
    axes.set_aspect("equal")
    axes.set_axis_off()
    axes.set_xlim(-1.18, 1.18)
    axes.set_ylim(-1.18, 1.18)

    _links(axes, topology.neighbour, points)
    colours = _nodes(axes, topology.orbit, points, diameter)
    legend = [Line2D([], [], color=LINK, label="link")]
    if len(colours) <= NAMED_CLASSES and len(colours) < topology.nodes:
        legend += [
            Line2D([], [], marker="o", linestyle="", color=colour, markersize=10,
                   markeredgecolor=INK, markeredgewidth=0.6, label=f"class {i}")
            for i, colour in enumerate(colours)
        ]  # fmt: skip
    title = network.name
    if route is not None:
        title = _title(network.name, route)
        away = (diameter / 2 + 9) / RADIUS
        words = points * (1 + away) if circle else points + np.array([0, apart / 2])
        legend += _route(axes, route, points, words, diameter)
    figure.text(0.5, 0.955, title, ha="center", fontsize=19, color=INK, weight="bold")
    figure.text(
        0.5, 0.918, f"{topology.family}, {topology.nodes} nodes, degree {topology.degree}, "
        f"{network.routing.algorithm} routing", ha="center", fontsize=12, color=INK,
    )  # fmt: skip
    figure.legend(
        handles=legend, loc="lower center", ncols=min(len(legend), 6), frameon=False,
        fontsize=11, handlelength=1.6, labelcolor=INK, bbox_to_anchor=(0.5, 0.01),
    )  # fmt: skip
    return figure


def _points(topology: Topology) -> tuple[Points, float]:
    """Return where the nodes are, and how far apart neighbouring ones."""
    cells = topology.picture()
    if cells is None:
        angle = np.pi / 2 - 2 * np.pi * np.arange(topology.nodes) / topology.nodes
        return np.stack([np.cos(angle), np.sin(angle)], axis=1), 2 * np.pi / topology.nodes
    most = cells.max(axis=0)
    apart = 2 / max(1, int(most.max()))
    return (cells - most / 2) * apart, apart


def _title(name: str, route: Mapping[str, Any]) -> str:
    source, destination = route["nodes"][0], route["nodes"][-1]
    letters = " ".join(map(_letter, route["port_names"])) or "nothing to do"
    how = f"by {letters}" if len(letters) <= LETTERS else f"in {route['hops']} hops"
    return f"{name}: {source} to {destination} {how}"


def _letter(port_name: str) -> str:
    return port_name.replace("^-1", "\N{SUPERSCRIPT MINUS}\N{SUPERSCRIPT ONE}")


def _links(axes: Axes, neighbour: NDArray[np.int64], points: Points) -> None:
    start, port = np.nonzero(neighbour >= 0)
    pairs = np.unique(np.sort(np.stack([start, neighbour[start, port]], axis=1), axis=1), axis=0)
    width = min(1.1, 40 / len(points) + 0.25)
    axes.add_collection(LineCollection(list(points[pairs]), colors=LINK, linewidths=width))


def _nodes(axes: Axes, orbit: NDArray[np.int64], points: Points, diameter: float) -> Sequence[Any]:
    """Draw the nodes; return the colours of the classes."""
    count = int(orbit.max()) + 1
    colours: Sequence[Any] = CLASSES[:count]
    if count == len(points):
        colours = CLASSES[:1] * count  # no classes to tell apart
    elif count > len(CLASSES):
        colours = [mpl.colormaps["rainbow"](share) for share in np.linspace(0, 1, count)]
    axes.scatter(
        points[:, 0], points[:, 1], s=diameter**2, c=[colours[i] for i in orbit], edgecolors=INK,
        linewidths=min(0.8, diameter / 10), zorder=4,
    )  # fmt: skip
    if diameter > 9:
        for node, (x, y) in enumerate(points):
            axes.text(
                x, y, str(node), ha="center", va="center_baseline", color=INK, zorder=6,
                fontsize=min(13, diameter * 0.42),
            )  # fmt: skip
    return colours


def _route(
    axes: Axes, route: Mapping[str, Any], points: Points, words: Points, diameter: float
) -> list[Line2D]:
    """Draw the route, what its ends are at `words`; return its entries of the legend."""
    nodes, phases = route["nodes"], route["phases"]
    names = list(dict.fromkeys(phases))
    colour = {name: PHASES[i % len(PHASES)] for i, name in enumerate(names)}
    thickness = max(1.8, min(4.0, diameter / 7))
    for hop, (start, end) in enumerate(pairwise(nodes)):
        shade = colour[phases[hop]]
        axes.add_patch(
            FancyArrowPatch(
                points[start], points[end], arrowstyle="-|>", mutation_scale=5 * thickness,
                shrinkA=diameter / 2, shrinkB=diameter / 2 + 1, linewidth=thickness,
                color=shade, zorder=5, capstyle="butt", joinstyle="miter",
            )
        )  # fmt: skip
        if RADIUS * np.linalg.norm(points[end] - points[start]) < 2 * diameter + 24:
            continue  # no room for a letter; the title has it
        x, y = 0.52 * points[start] + 0.48 * points[end]
        letter = _letter(route["port_names"][hop])
        shape = "circle,pad=0.25" if len(letter) == 1 else "round,pad=0.2,rounding_size=0.5"
        axes.text(
            x, y, letter, ha="center", va="center_baseline", fontsize=11,
            color=shade, weight="bold", zorder=7,
            bbox={"boxstyle": shape, "facecolor": PAPER, "edgecolor": shade},
        )  # fmt: skip
    ends = points[[nodes[0], nodes[-1]]]
    axes.scatter(
        ends[:, 0], ends[:, 1], s=(diameter + 5) ** 2, facecolors="none", edgecolors=INK,
        linewidths=2.2, zorder=5,
    )  # fmt: skip
    for node, word in {nodes[-1]: "destination", nodes[0]: "source"}.items():
        x, y = words[node]
        side = "left" if x > 0.15 else "right" if x < -0.15 else "center"
        above = "bottom" if y > 0.3 else "top" if y < -0.3 else "center"
        axes.text(x, y, word, ha=side, va=above, fontsize=11, color=INK, style="italic")
    return [
        Line2D([], [], color=colour[name], linewidth=3.5, label=name or "route") for name in names
    ]

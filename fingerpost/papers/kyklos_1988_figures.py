"""The networks of kyklos-1988, Figures 1 to 3: a tree above the leaves and one below."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from fingerpost.drawing.picture import CLASSES, INK, PAPER, PHASES, save, style
from fingerpost.golden.topology.kyklos import Kyklos


def draw(topology: Kyklos, title: str, path: Path) -> None:
    """Draw one tree upwards and the other downwards, the nodes of each level by place."""
    up = np.where(topology.tree == 0, 1, -1)
    x = (topology.place + 0.5) * topology.m**topology.level
    points = np.stack([x, up * topology.level], axis=1)
    leaf = topology.level == 0

    with style():
        figure = Figure(figsize=(9.6, 2.2 + 1.1 * topology.n * topology.r), facecolor=PAPER)
        axes = figure.add_axes((0.07, 0.06, 0.79, 0.88))
        for t in range(topology.r):
            child, port = np.nonzero(topology.neighbour[:, : topology.m] >= 0)
            inner = (topology.level[child] > 0) & (topology.tree[child] == t)
            ends = np.stack([child, topology.neighbour[child, port]], axis=1)[inner]
            axes.add_collection(LineCollection(list(points[ends]), colors=PHASES[t], linewidths=1))
        for kind, marker, colour in ((leaf, "s", CLASSES[1]), (~leaf, "o", CLASSES[0])):
            axes.plot(*points[kind].T, marker, color=colour, markeredgecolor=INK, markersize=15)
        for node, (at, height) in enumerate(points):
            label = str(topology.place[node])
            axes.text(at, height, label, ha="center", va="center", fontsize=8, color=INK)
        for t in range(topology.r):
            for v in range(1, topology.n + 1):
                span = topology.m ** topology.z[t, v - 1]
                right, height = topology.leaves + 0.4, v * (1 - 2 * t)
                axes.text(right, height, f"span {span}", va="center", fontsize=10, color=INK)
        levels = np.unique(points[:, 1])
        axes.set_yticks(levels, [f"{abs(int(v))}" for v in levels])
        axes.set_ylabel("level v", color=INK)
        axes.set_xticks([])
        axes.set_xlim(-0.3, topology.leaves + 0.3)
        axes.set_ylim(levels[0] - 0.5, levels[-1] + 0.5)
        for side in axes.spines.values():
            side.set_visible(False)
        figure.suptitle(title, fontsize=14, color=INK, weight="bold")
        trees = [
            Line2D([], [], color=PHASES[t], label=f"tree {t} ({side})")
            for t, side in zip(range(topology.r), ("upper", "lower"), strict=False)
        ]
        nodes = [
            Line2D(
                [],
                [],
                marker=marker,
                color=colour,
                markeredgecolor=INK,
                linestyle="",
                markersize=10,
                label=label,
            )
            for marker, colour, label in (("s", CLASSES[1], "L-node"), ("o", CLASSES[0], "IB-node"))
        ]
        figure.legend(handles=trees + nodes, loc="lower center", ncols=4, frameon=False)
        save(figure, path, title=title)


DRAW: dict[str, Callable[[Path], None]] = {
    "figure-1": lambda path: draw(
        Kyklos(m=2, r=1, n=4), "Figure 1: KYKLOS-II illustrating span, N = 16, r = 1", path
    ),
    "figure-2": lambda path: draw(
        Kyklos(m=2, r=2, n=4, variant="original"),
        "Figure 2: original KYKLOS-II, N = 16, r = 2",
        path,
    ),
    "figure-3": lambda path: draw(
        Kyklos(m=2, r=2, n=4), "Figure 3: proposed KYKLOS-II, N = 16, r = 2", path
    ),
}

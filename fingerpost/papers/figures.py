"""Networks as kyklos-1988 and super-rotator-1996 draw them, and diameters beside Theorem 3."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch

from fingerpost.drawing.forms.permutations import triangles
from fingerpost.drawing.picture import CLASSES, INK, LINK, PAPER, PHASES, save, style
from fingerpost.golden.algebra.group import permutations
from fingerpost.golden.analysis.super_rotator_theorems import claims
from fingerpost.golden.topology.base import Topology, summary
from fingerpost.golden.topology.kyklos import Kyklos
from fingerpost.golden.topology.rotator import Rotator, SuperRotator

Component = tuple[int, int, float, float]
"""A rotator graph: its first node, its letters, and where its middle is drawn."""

COLOURS = {"R": LINK, "A": PHASES[1], "B": PHASES[0]}

RADIUS = {1: 0.0, 2: 0.45, 3: 1.0}
"""Of the ring on which the nodes of R_1, R_2 and R_3 stand."""


def _network(
    axes: Axes, topology: Topology, components: Sequence[Component], letters: int, numbers: bool
) -> None:
    """Draw the components, links R within them, A to others of as many letters, B to others."""
    point = np.zeros((topology.nodes, 2))
    part, size = np.zeros((2, topology.nodes), np.int64)
    for i, (first, dimension, x, y) in enumerate(components):
        ring = triangles(topology.neighbour)(first, dimension)
        angle = (
            np.pi / 2 + np.pi / 6 * (dimension == 3) - 2 * np.pi * np.arange(len(ring)) / len(ring)
        )
        angle += np.pi / 2 * (dimension == 2)
        point[ring] = np.stack([np.cos(angle), np.sin(angle)], axis=1) * RADIUS[dimension] + (x, y)
        part[ring], size[ring] = i, dimension
    start, port = np.nonzero(topology.neighbour >= 0)
    pairs = set(zip(start.tolist(), topology.neighbour[start, port].tolist(), strict=True))
    for u, v in sorted(pairs):
        both = (v, u) in pairs
        if both and v < u:
            continue
        kind = "R" if part[u] == part[v] else "A" if size[u] == size[v] else "B"
        axes.add_patch(
            FancyArrowPatch(
                point[u],
                point[v],
                arrowstyle="<|-|>" if both else "-|>",
                mutation_scale=9,
                connectionstyle=f"arc3,rad={0 if kind == 'R' else 0.16}",
                shrinkA=17,
                shrinkB=17,
                color=COLOURS[kind],
                linewidth=1.2,
                zorder=2 if kind == "R" else 3,
            )
        )
    colour = [CLASSES[i] for i in size]
    axes.scatter(
        point[:, 0], point[:, 1], s=34**2, c=colour, edgecolors=INK, linewidths=0.8, zorder=4
    )
    for node, (x, y) in enumerate(point):
        name = "".join("abcdefgh"[a - 1] for a in permutations(np.array(node), letters))
        text = f"{name}\n({node})" if numbers else name
        axes.text(x, y, text, ha="center", va="center", fontsize=8.5, color=INK, zorder=5)
    axes.set_aspect("equal")
    axes.set_axis_off()
    low, high = point.min(axis=0) - 0.5, point.max(axis=0) + 0.5
    axes.set_xlim(low[0], high[0])
    axes.set_ylim(low[1], high[1])


def _finish(figure: Figure, title: str, legend: Mapping[str, str], path: Path) -> None:
    figure.suptitle(title, fontsize=14, color=INK, weight="bold", y=0.975)
    lines = [Line2D([], [], color=COLOURS[kind], label=text) for kind, text in legend.items()]
    figure.legend(
        handles=lines, loc="lower center", ncols=len(lines), frameon=False, labelcolor=INK
    )
    save(figure, path, title=title)


def _figure_1(path: Path) -> None:
    with style():
        figure = Figure(figsize=(12, 8.4), facecolor=PAPER)
        for n, left, bottom, wide, high in (
            (2, 0.02, 0.62, 0.24, 0.22),
            (3, 0.02, 0.14, 0.28, 0.4),
        ):
            axes = figure.add_axes((left, bottom, wide, high))
            _network(axes, Rotator(n=n), [(0, n, 0, 0)], n, numbers=False)
            axes.set_title(f"order {n}", color=INK)
        axes = figure.add_axes((0.3, 0.07, 0.69, 0.82))
        middle = ((-2.1, 2.1), (2.1, 2.1), (-2.1, -2.1), (2.1, -2.1))
        _network(axes, Rotator(n=4), [(6 * i, 3, *middle[i]) for i in range(4)], 4, numbers=False)
        axes.set_title("order 4", color=INK)
        title = "Figure 1: rotator graphs of dimensions 2, 3 and 4"
        _finish(figure, title, {"R": "g_2 (both ways) and g_3", "A": "g_4"}, path)


def _super(
    nodes: int, components: Sequence[Component], size: tuple[float, float], title: str, letters: int
) -> Callable[[Path], None]:
    """Return what draws a super rotator graph."""

    def draw(path: Path) -> None:
        with style():
            figure = Figure(figsize=size, facecolor=PAPER)
            axes = figure.add_axes((0.01, 0.07, 0.98, 0.84))
            _network(axes, SuperRotator(nodes=nodes), components, letters, numbers=True)
            kinds = {"R": "within a rotator graph", "A": "type A"}
            kinds |= {"B": "type B"} if len({c[1] for c in components}) > 1 else {}
            if sum(c[1] == 3 for c in components) == 1:
                del kinds["A"]
            _finish(figure, title, kinds, path)

    return draw


def _theorem_3(path: Path) -> None:
    nodes = np.arange(2, 121)
    found = [summary(SuperRotator(nodes=int(n)))[0] for n in nodes]
    bound = [claims(int(n)).diameter_bound for n in nodes]
    with style():
        figure = Figure(figsize=(8.4, 4.6), facecolor=PAPER)
        axes = figure.add_axes((0.08, 0.13, 0.89, 0.75))
        axes.step(nodes, bound, where="mid", color=PHASES[0], label="Theorem 3: 2n")
        axes.step(nodes, found, where="mid", color=PHASES[1], label="diameter of SR_n(N)")
        factorials = [2, 6, 24, 120]
        axes.plot(factorials, [1, 2, 3, 4], "o", color=INK, label="rotator graph R_n: n - 1")
        axes.set_xlabel("nodes N", color=INK)
        axes.set_ylabel("diameter (hops)", color=INK)
        axes.set_ylim(0, 11)
        axes.grid(color=LINK, alpha=0.4)
        axes.legend(frameon=False, labelcolor=INK, loc="lower right")
        title = "Diameters of super rotator graphs"
        figure.suptitle(title, fontsize=14, color=INK, weight="bold")
        save(figure, path, title=title)


SUPER_ROTATOR: dict[str, Callable[[Path], None]] = {
    "figure-1": _figure_1,
    "figure-2": _super(
        12, [(0, 3, -2, 0), (6, 3, 2, 0)], (9, 4.8), "Figure 2: type A links between two R_3", 4
    ),
    "figure-3": _super(
        7,
        [(0, 3, 0, 0), (6, 1, 2.6, 0)],
        (6.4, 4.4),
        "Figure 3: type B links between R_3 and R_1",
        4,
    ),
    "example-1": _super(
        13,
        [(0, 3, -2.2, 0), (6, 3, 2.2, 0), (12, 1, 0, -1.8)],
        (9.6, 6.2),
        "Figure 4: super rotator graph with N = 13 nodes",
        4,
    ),
    "example-2": _super(
        23,
        [
            (0, 3, 0, 2.4),
            (6, 3, -3.4, 0.4),
            (12, 3, 3.4, 0.4),
            (18, 2, -1.3, -2.6),
            (20, 2, 1.3, -2.6),
            (22, 1, 0, -1),
        ],
        (12, 9),
        "Figure 5: super rotator graph with N = 23 nodes",
        4,
    ),
    "theorem-3": _theorem_3,
}


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


KYKLOS: dict[str, Callable[[Path], None]] = {
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

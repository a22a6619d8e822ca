"""The networks of super-rotator-1996, Figures 1 to 5, and its diameters beside Theorem 3."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch

from fingerpost.drawing.forms.permutations import triangles
from fingerpost.drawing.picture import CLASSES, INK, LINK, PAPER, PHASES, save, style
from fingerpost.golden.algebra.group import permutations
from fingerpost.golden.analysis.super_rotator_theorems import claims
from fingerpost.golden.topology.base import Topology, summary
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


DRAW: dict[str, Callable[[Path], None]] = {
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

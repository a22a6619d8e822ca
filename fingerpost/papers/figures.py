"""What papers draw: networks side by side, charts and tables; and the figures of networks."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from fingerpost.drawing.form import Form
from fingerpost.drawing.forms import FORMS
from fingerpost.drawing.network import discs, lines, look, nodes
from fingerpost.drawing.picture import CLASSES, INK, LINK, PAPER, PHASES, save, style
from fingerpost.drawing.plan import Plan, plan
from fingerpost.drawing.sheet import Entry, Sheet
from fingerpost.golden.algebra.group import permutations
from fingerpost.golden.analysis.super_rotator_theorems import claims
from fingerpost.golden.topology.base import Topology, summary
from fingerpost.golden.topology.kyklos import Kyklos
from fingerpost.golden.topology.rotator import Rotator, SuperRotator

Draw = Callable[[Path], None]
"""Draws a figure into a file."""

APART = 60.0
"""Points between networks that stand side by side."""


def form(topology: Topology) -> Form:
    """Return the form of its family."""
    return FORMS[topology.family].form(topology)


def networks(
    path: Path,
    title: str,
    parts: Sequence[tuple[Topology, Form, str]],
    more: Callable[[Sheet, Plan], None] = lambda sheet, laid: None,
) -> None:
    """Draw networks side by side, in their forms, each above a word; `more` adds to each."""
    with style():
        sheet, legend, left = Sheet(), dict[Entry, None](), 0.0
        for topology, shape, word in parts:
            laid = plan(topology, shape)
            low, high = laid.points.min(axis=0), laid.points.max(axis=0)
            laid = laid.moved((left - float(low[0]), 0.0))
            discs(sheet, laid)
            looks, kinds = look(laid)
            lines(sheet, laid, looks)
            legend |= dict.fromkeys([*nodes(sheet, laid, {}), *kinds])
            wide = float(high[0] - low[0])
            if word:
                sheet.text(left + wide / 2, float(low[1]) - laid.diameter - 12, word, 11.0)
            more(sheet, laid)
            left += wide + laid.diameter + APART
        save(sheet.finish(title, [], list(legend)), path, title=title)


@contextmanager
def charts(
    path: Path, title: str, x: str, y: str, panels: Sequence[str] = ("",)
) -> Iterator[Sequence[Axes]]:
    """Yield the axes of a chart with one panel or several, and write it behind that."""
    with style():
        figure = Figure(figsize=(8.4, 5.6), facecolor=PAPER, layout="constrained")
        every: Sequence[Axes] = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for axes, panel in zip(every, panels, strict=True):
            axes.set_title(panel, color=INK)
            axes.set_xlabel(x, color=INK)
            axes.grid(color=LINK, alpha=0.4)
        every[0].set_ylabel(y, color=INK)
        yield every
        every[0].set_ylim(bottom=0)
        figure.suptitle(title, color=INK)
        figure.legend(
            *every[0].get_legend_handles_labels(),
            loc="outside lower center",
            ncols=3,
            frameon=False,
        )
        save(figure, path, title=title)


def as_printed(axes: Axes, x: Any, y: Any, colour: str, label: str = "") -> None:
    """Mark what is printed, in the colour of the line that it belongs to."""
    axes.plot(
        x, y, "o", color=PAPER, markeredgecolor=colour, markeredgewidth=1.6, label=label or None
    )


def table(
    path: Path, title: str, rows: Sequence[Sequence[str]], shaded: Callable[[int, int], bool]
) -> None:
    """Draw a table, some of its cells shaded."""
    with style():
        figure = Figure(figsize=(7.2, 0.6 + 0.34 * len(rows)), facecolor=PAPER)
        axes = figure.add_axes((0.04, 0.02, 0.92, 0.84))
        axes.set_axis_off()
        texts = [[cell.replace("^-1", "\u207b\u00b9") for cell in row] for row in rows]
        colours = [
            [CLASSES[0] if shaded(i, j) else PAPER for j in range(len(row))]
            for i, row in enumerate(rows)
        ]
        drawn = axes.table(texts, cellColours=colours, cellLoc="center", bbox=Bbox.unit())
        for cell in drawn.get_celld().values():
            cell.set_edgecolor(LINK)
            cell.get_text().set_color(INK)
        axes.set_title(title, color=INK)
        save(figure, path, title=title)


def word(node: int, letters: int) -> str:
    """Return the label of a node of a (super) rotator graph as super-rotator-1996 writes it."""
    return "".join("abcdefgh"[a - 1] for a in permutations(np.array(node), letters))


def _rotators(path: Path) -> None:
    parts = [
        (
            graph,
            replace(form(graph), texts=[word(node, n) for node in range(graph.nodes)]),
            f"R_{n}",
        )
        for n in (2, 3, 4)
        for graph in [Rotator(n=n)]
    ]
    networks(path, "Figure 1: rotator graphs of dimensions 2, 3 and 4", parts)


def _super(size: int, title: str) -> Draw:
    """Return what draws a super rotator graph, and lists the labels of its nodes by number."""

    def draw(path: Path) -> None:
        graph = SuperRotator(nodes=size)
        texts = [f"{node} {word(node, 4)}" for node in range(size)]
        networks(path, title, [(graph, replace(form(graph), texts=texts), "")])

    return draw


def _theorem_3(path: Path) -> None:
    sizes = np.arange(2, 121)
    with charts(path, "Diameters of super rotator graphs", "nodes N", "diameter (hops)") as (axes,):
        bound = [claims(int(n)).diameter_bound for n in sizes]
        axes.step(sizes, bound, where="mid", color=PHASES[0], label="Theorem 3: 2n")
        found = [summary(SuperRotator(nodes=int(n)))[0] for n in sizes]
        axes.step(sizes, found, where="mid", color=PHASES[1], label="diameter of SR_n(N)")
        label = "rotator graph R_n: n - 1"
        axes.plot([2, 6, 24, 120], [1, 2, 3, 4], "o", color=INK, label=label)


SUPER_ROTATOR: dict[str, Draw] = {
    "figure-1": _rotators,
    "figure-2": _super(12, "Figure 2: type A links between two R_3"),
    "figure-3": _super(7, "Figure 3: type B links between R_3 and R_1"),
    "example-1": _super(13, "Figure 4: super rotator graph with N = 13 nodes"),
    "example-2": _super(23, "Figure 5: super rotator graph with N = 23 nodes"),
    "theorem-3": _theorem_3,
}


def _kyklos(number: int, title: str, path: Path, *, r: int, original: bool = False) -> None:
    """Draw a KYKLOS of 16 leaves by places, with the number and the span of each level beside."""
    graph = Kyklos(m=2, r=r, n=4, variant="original" if original else "proposed")

    def levels(sheet: Sheet, laid: Plan) -> None:
        left, right = laid.points[:, 0].min() - 30, laid.points[:, 0].max() + 30
        sheet.text(left, float(laid.points[0, 1]), "0", 9.0)
        for (t, v), node in np.ndenumerate(graph.first):
            height = float(laid.points[node, 1])
            sheet.text(left, height, str(v + 1), 9.0)
            sheet.text(right, height, f"span {2 ** graph.z[t, v]}", 9.0, side="left")

    shape = replace(form(graph), texts=list(map(str, graph.place.tolist())))
    networks(path, f"Figure {number}: {title}, N = 16, r = {r}", [(graph, shape, "")], levels)


KYKLOS: dict[str, Draw] = {
    "figure-1": partial(_kyklos, 1, "KYKLOS-II illustrating span", r=1),
    "figure-2": partial(_kyklos, 2, "original KYKLOS-II", r=2, original=True),
    "figure-3": partial(_kyklos, 3, "proposed KYKLOS-II", r=2),
}

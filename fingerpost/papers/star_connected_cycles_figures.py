"""Figs. 4 to 6 of star-connected-cycles-1995, with what its tables print as circles."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fingerpost.drawing.palette import INK, LINK, PAPER, PHASES
from fingerpost.drawing.picture import save, style
from fingerpost.golden.analysis.scc import averages, mean_move_between, simulated

__all__ = ["draw_figure_4", "draw_figure_5", "draw_figure_6"]

SIZES = tuple(range(3, 10))

Series = tuple[str, str, Sequence[float], Sequence[str] | None]
"""Name, colour, our values, and the printed ones, each for n = 3, 4, ..."""


def _axes(title: str, x: str, y: str) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(8.4, 5.6), facecolor=PAPER, layout="constrained")
    axes = figure.add_subplot()
    axes.set_title(title, color=INK)
    axes.set_xlabel(x, color=INK)
    axes.set_ylabel(y, color=INK)
    axes.grid(color=LINK, alpha=0.4)
    return figure, axes


def _draw(path: Path, title: str, y: str, series: Sequence[Series]) -> None:
    """Draw averages against n."""
    with style():
        figure, axes = _axes(title, "n", y)
        for name, colour, values, printed in series:
            ours = {"linestyle": "-"} if printed else {"linestyle": "--", "zorder": 3}
            axes.plot(SIZES, values, color=colour, linewidth=2, label=name, **ours)
            if printed:
                axes.plot(
                    SIZES,
                    [float(value) for value in printed],
                    "o",
                    color=PAPER,
                    markeredgecolor=colour,
                    markeredgewidth=1.6,
                )
        axes.plot([], [], "o", color=PAPER, markeredgecolor=INK, label="as printed")
        axes.set_ylim(bottom=0)
        axes.legend(frameon=False, labelcolor=INK)
    save(figure, path, title=title)


def draw_figure_4(path: Path, printed: Mapping[str, Sequence[str]]) -> None:
    """Draw the average distance and its parts under minimal routing."""
    minimal = [averages(n, "minimal") for n in SIZES]
    _draw(
        path,
        "Average distances under minimal routing",
        "links of a route, average",
        [
            ("distance", INK, [a.length for a in minimal], printed["average distance"]),
            ("MI local links", PHASES[0], [a.mi for a in minimal], printed["MI local links"]),
            ("lateral links", PHASES[1], [a.lat for a in minimal], printed["lateral links"]),
            ("MB local links", PHASES[2], [a.mb for a in minimal], printed["MB local links"]),
        ],
    )


def draw_figure_5(path: Path, printed: Mapping[str, Sequence[str]]) -> None:
    """Draw the average number of MB local links of the algorithms."""
    bound = [float(mean_move_between(n)) for n in SIZES]
    series: list[Series] = [("random, Eq. (12)", INK, bound, None)]
    for name, colour in zip(("random", "greedy", "minimal"), PHASES, strict=False):
        values = [averages(n, name).mb for n in SIZES]
        series.append((name, colour, values, printed[name]))
    _draw(
        path, "MB local links and routing algorithms", "MB local links of a route, average", series
    )


def draw_figure_6(path: Path) -> None:
    """Draw how many nodes of SCC_9 have a route of each length to the identity."""
    counts = {
        "minimal": averages(9, "minimal").distribution,
        "greedy": averages(9, "greedy").distribution,
        "random, a route from each node": simulated(9),
        "random, worst case": averages(9, "random, worst case").distribution,
    }
    with style():
        figure, axes = _axes(
            "Distribution of route lengths in SCC(9), 2,903,040 nodes",
            "length of the route to the identity (hops)",
            "nodes with a route of this length",
        )
        for (name, count), colour in zip(counts.items(), (INK, *PHASES), strict=False):
            axes.plot(count, color=colour, linewidth=2, label=name)
        axes.yaxis.set_major_formatter("{x:,.0f}")
        axes.set_xlim(left=0)
        axes.set_ylim(bottom=0)
        axes.legend(frameon=False, labelcolor=INK)
    save(figure, path, title="Distribution of route lengths in SCC(9)")

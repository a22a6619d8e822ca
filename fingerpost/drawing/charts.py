"""How charts look: axes with few lines, and series, alike for a family in every chart.

Any two of the colours differ by 15 or more (CIEDE2000) for all readers, on light and on dark pages;
`tests/fingerpost/drawing/test_charts.py` computes it. Series of one colour differ in marker and
dashes, and no mark has only its colour to say whose it is.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, MaxNLocator, NullLocator, StrMethodFormatter

from fingerpost.drawing import picture
from fingerpost.drawing.picture import COLOURS, GRID
from fingerpost.golden.topology import FAMILIES
from fingerpost.hdl.lib.text import printable

MOST = 8
"""Ticks of an axis."""

SPAN = 5.0
"""Between the ends of an axis, at least."""

SERIES = (1, 1.5, 2, 3, 5, 7), (1, 2, 5), (1, 3), (1,)
"""The numbers of a decade that have ticks, the finest series first."""


def plain(axes: Axes, grid: Literal["x", "y", "both"] = "both") -> None:
    """Draw no frame, and a grid behind all else."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis=grid, color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)


def logarithmic(axes: Axes, which: Literal["x", "y"], values: Iterable[float]) -> None:
    """Make one of two axes logarithmic, wide enough for some values, with 3 to 8 ticks.

    Parameters
    ----------
    values : iterable of float
        What is drawn along it; numbers that are not positive are left out.
    """
    some = [value for value in values if value > 0] or [1.0]
    low, high = min(some) / 1.15, max(some) * 1.15
    wider = max(1.0, math.sqrt(SPAN * low / high))
    low, high = low / wider, high * wider
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks: list[float] = []
    for series in SERIES:
        ticks = [base * 10.0**ten for ten in decades for base in series]
        ticks = [tick for tick in ticks if low <= tick <= high]
        if len(ticks) <= MOST:
            break
    axis = axes.xaxis if which == "x" else axes.yaxis
    axes.set(**{f"{which}scale": "log", f"{which}lim": (low, high)})
    axis.set_major_locator(FixedLocator(ticks))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(StrMethodFormatter("{x:,.10g}"))


def load_histogram(facts: Mapping[str, Any]) -> Figure:
    """Return the histogram of an answer of `fingerpost loads`: links by load."""
    edges, counts = facts["histogram"]["edges"], facts["histogram"]["links"]
    made = Figure(figsize=(7, 4), layout="constrained")
    axes = made.subplots()
    axes.stairs(counts, edges, fill=True, color=picture.CLASSES[0], edgecolor=picture.INK)
    axes.axvline(facts["link_load"]["mean"], color=picture.BLUE, linestyle="--", label="mean")
    axes.axvline(facts["link_load"]["max"], color=picture.RUST, label="busiest link")
    title = f"{facts['network']}, {facts['algorithm']} routing, {facts['traffic']} traffic"
    axes.set(title=printable(title), xlim=(0, None), ylim=(0, None), ylabel="links")
    axes.set_xlabel("channel load at injection rate 1 [flits per cycle]")
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.spines[["top", "right"]].set_visible(False)
    made.legend(loc="outside lower center", ncols=2, frameon=False)
    return made


MARKERS = "osD^vP*X<>pdhH8"
DASHES = "-", (0, (6, 2)), (0, (3, 1.5, 1, 1.5)), (0, (1.5, 1))
FILLS = "full", "none", "left", "right", "top", "bottom"

FIRST = (
    *("borel", "torus", "mesh", "metacyclic", "kyklos", "star"),
    *("hypercube", "rotator", "super-rotator", "scc", "metacyclic-digraph", "metacyclic-cubic"),
)
"""Lines of charts in the order of their styles; families that are not named follow."""

TOP = 0.96
"""Where the marker of a vertical line is, as a share of the height."""

ORDER = (*FIRST, *(family for family in FAMILIES if family not in FIRST))

Style = dict[str, Any]


def style(number: int) -> Style:
    """Return the style of a series by its number: what `Axes.plot` takes; 120 differ."""
    turn = number // len(COLOURS)
    return {
        "color": COLOURS[number % len(COLOURS)],
        "marker": MARKERS[number % len(MARKERS)],
        "linestyle": DASHES[turn % len(DASHES)],
        "linewidth": 1.4,
        "markersize": 5,
    }


def line(row: Mapping[str, Any]) -> str:
    """Return what a network is called in charts: its family, or which of the grids it is.

    Examples
    --------
    >>> line({"family": "grid", "network": "torus-8x8"}), line({"family": "star", "network": "x"})
    ('torus', 'star')
    """
    kind = str(row["network"]).partition("-")[0]
    return kind if row["family"] == "grid" and kind in ORDER else str(row["family"])


def of_family(name: str) -> Style:
    """Return the style of what `line` returns."""
    return style(ORDER.index(name) if name in ORDER else len(ORDER))


def variant(look: Style, number: int) -> Style:
    """Return the style of another series of the same family: 24 differ in dashes and markers."""
    dashes = DASHES[(DASHES.index(look["linestyle"]) + number) % len(DASHES)]
    return look | {"linestyle": dashes, "fillstyle": FILLS[number // len(DASHES) % len(FILLS)]}


def of_curves(curves: Sequence[Mapping[str, Any]]) -> list[Style]:
    """Return a style for each network: that of its family, or in turn if a family comes twice."""
    names = [line(curve) if "family" in curve else "" for curve in curves]
    if len(set(names)) == len(names) and "" not in names:
        return [of_family(name) for name in names]
    return [style(number) for number in range(len(names))]


def upright(axes: Axes, x: float, look: Style, **more: Any) -> None:
    """Draw a vertical line that carries the marker of its series."""
    axes.axvline(x, color=look["color"], zorder=1, **{"linewidth": 0.9, **more})
    mark = {key: look[key] for key in ("color", "marker", "markersize")}
    axes.plot([x], [TOP], linestyle="", transform=axes.get_xaxis_transform(), **mark)

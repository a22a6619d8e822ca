"""Axes of charts: few lines; logarithmic ones with a few ticks, however short they are."""

import math
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, MaxNLocator, NullLocator, StrMethodFormatter

from fingerpost.drawing import picture
from fingerpost.drawing.picture import GRID
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
    axes.set_title(printable(title))
    axes.set_xlim(0)
    axes.set_ylim(0)
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("channel load at injection rate 1 [flits per cycle]")
    axes.set_ylabel("links")
    axes.spines[["top", "right"]].set_visible(False)
    made.legend(loc="outside lower center", ncols=2, frameon=False)
    return made

"""Axes of charts: few lines; logarithmic ones with a few ticks, however short they are."""

import math
from collections.abc import Iterable
from typing import Literal

from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, NullLocator, StrMethodFormatter

from fingerpost.drawing.picture import GRID

__all__ = ["logarithmic", "plain"]

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

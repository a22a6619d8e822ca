"""A survey as one picture: distance, throughput and tables against the number of nodes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator

from fingerpost import picture
from fingerpost.survey.row import Row

__all__ = ["draw", "least_mean_distance"]

DENSE, INK, GRID = "#d1495b", "#22303c", "#dde2e6"
LOOKS = {
    "metacyclic": ("#d1495b", "*", 11),
    "borel": ("#e09f3e", "D", 6),
    "star": ("#3a8f5c", "o", 5),
    "scc": ("#4fb3bf", "s", 5),
    "rotator": ("#8a5fb0", "^", 5),
    "super-rotator": ("#b48ad0", "v", 5),
    "kyklos": ("#a0522d", "P", 6),
    "mesh": ("#22303c", "X", 5),
    "torus": ("#77808a", "X", 5),
    "hypercube": ("#2a6fb0", "h", 6),
}
"""Colour, marker and its size for what is drawn as one line; families by their own names."""

OTHER = "#77808a", ".", 6

TITLE = "Dense networks of degree 4, and others"


def draw(rows: Sequence[Row], path: Path) -> None:
    """Draw the rows of `survey` into an SVG or PNG file."""
    with picture.style():
        figure = _figure(rows)
    picture.save(figure, path, title=TITLE)


def least_mean_distance(nodes: int, degree: int = 4) -> float:
    """Return the mean distance that no graph of a degree can pass below: all words differ.

    Examples
    --------
    >>> round(least_mean_distance(17), 2)  # 4 neighbours, 12 nodes behind them
    1.75
    """
    left, hops, total, level = nodes - 1, 1, 0, degree
    while left > 0:
        here = min(left, level)
        total += hops * here
        left, hops, level = left - here, hops + 1, level * (degree - 1)
    return total / (nodes - 1)


def _line(row: Row) -> str:
    """Return the line that a row belongs to."""
    if row["family"] != "grid":
        return str(row["family"])
    return str(row["network"]).partition("-")[0]


def _figure(rows: Sequence[Row]) -> Figure:
    figure = Figure(figsize=(8.0, 10.5), layout="constrained")
    distance, throughput, bits = figure.subplots(3, 1, sharex=True, height_ratios=(4, 4, 3))
    lines: dict[str, list[Row]] = {}
    for row in rows:
        lines.setdefault(_line(row), []).append(row)
    for name, some in lines.items():
        look = _look(name)
        # A network comes once for each of its routings.
        once = list({row["network"]: row for row in some}.values())
        _plot(distance, once, "mean_distance", look)
        best = [row for row in some if row["saturation"] is not None]
        best.sort(key=lambda row: (row["nodes"], row["saturation"]))
        _plot(throughput, list({row["network"]: row for row in best}.values()), "saturation", look)
        for algorithm in sorted({row["algorithm"] for row in some}):
            with_tables = [r for r in some if r["algorithm"] == algorithm and r["table_bits"]]
            dotted = {"linestyle": ":"} if algorithm == "two-phase" else {}
            _plot(bits, with_tables, "table_bits", look | dotted)
    most = max(row["nodes"] for row in rows)
    nodes = np.unique(np.geomspace(8, most, 120).astype(int))
    floor = [least_mean_distance(int(n)) for n in nodes]
    distance.plot(nodes, floor, color=INK, linewidth=1, linestyle="--", zorder=1)
    throughput.plot(
        nodes, [min(1, 4 / d) for d in floor], color=INK, linewidth=1, linestyle="--", zorder=1
    )
    table = nodes * 3.0
    bits.plot(nodes, table, color=INK, linewidth=1, linestyle="-.", zorder=1)
    distance.set_ylabel("mean distance [hops]")
    throughput.set_ylabel("saturation\n[flits/terminal/cycle]")
    bits.set_ylabel("tables of a router [bits]")
    bits.set_xlabel("nodes")
    distance.set_ylim(0)
    throughput.set_yscale("log")
    throughput.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    throughput.yaxis.set_major_formatter("{x:g}")
    throughput.minorticks_off()
    bits.set_yscale("log")
    bits.yaxis.set_major_formatter("{x:,.0f}")
    for axes in (distance, throughput, bits):
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(color=GRID, linewidth=0.6)
        axes.set_axisbelow(True)
    distance.set_title(TITLE, color=INK)
    figure.legend(
        handles=_key(lines), loc="outside lower center", ncols=3, frameon=False, fontsize=9
    )
    return figure


def _look(name: str) -> dict[str, Any]:
    colour, marker, size = LOOKS.get(name, OTHER)
    return {"color": colour, "marker": marker, "markersize": size}


def _plot(axes: Axes, rows: Sequence[Row], key: str, look: dict[str, Any]) -> None:
    if rows:
        axes.plot([r["nodes"] for r in rows], [r[key] for r in rows], **{"linewidth": 1.2, **look})


def _key(lines: dict[str, list[Row]]) -> list[Line2D]:
    """Return the entries of the legend, with the degrees of each line."""
    handles = []
    for name, rows in sorted(lines.items(), key=lambda item: [*LOOKS, item[0]].index(item[0])):
        degrees = sorted({row["degree"] for row in rows})
        shown = f"{degrees[0]}" if len(degrees) == 1 else f"{degrees[0]} to {degrees[-1]}"
        handles.append(
            Line2D([], [], label=f"{name}, degree {shown}", linewidth=1.2, **_look(name))
        )
    handles += [
        Line2D(
            [], [], color=INK, linestyle="--", linewidth=1, label="no graph of degree 4 is better"
        ),
        Line2D(
            [],
            [],
            color=INK,
            linestyle="-.",
            linewidth=1,
            label="a table of all nodes, 3 bits each",
        ),
        Line2D([], [], color=DENSE, linestyle=":", linewidth=1.2, label="two-phase routing"),
    ]
    return handles

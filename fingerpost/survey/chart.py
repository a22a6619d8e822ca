"""A survey as one picture: distance, throughput and tables against the number of nodes."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.typing import LineStyleType

from fingerpost.drawing import picture
from fingerpost.drawing.charts import ORDER, line, logarithmic, of_family, plain
from fingerpost.drawing.picture import INK, NIGHT

Row = Mapping[str, Any]
"""One of those of `fingerpost.survey.survey`."""

NAMED = 60
"""Letters of the names of networks that fit into a title."""


def draw(rows: Sequence[Row], path: Path) -> None:
    """Draw the rows of `survey` into an SVG or PNG file."""
    picture.draw(path, lambda: figure(rows), spoken(rows))


def spoken(rows: Sequence[Row]) -> str:
    """Return what the picture shows in words: the mean distance in the largest of each line."""
    largest = {line(row): row for row in sorted(rows, key=lambda row: int(row["nodes"]))}
    said = ", ".join(
        f"{name} {row['mean_distance']:.1f} hops at {row['nodes']:,} nodes"
        for name, row in largest.items()
    )
    return f"{title(rows)}: mean distance, saturation and tables against nodes; {said}"


def title(rows: Sequence[Row]) -> str:
    """Return what the rows are of: the known networks, those that were named, or how many."""
    if any(row["kind"] != "given" for row in rows):
        return "Dense networks of degrees 3 and 4, and others"
    names = list(dict.fromkeys(str(row["network"]) for row in rows))
    listed = ", ".join(names)
    if len(listed) <= NAMED:
        return listed
    sizes = sorted({int(row["nodes"]) for row in rows})
    return f"{len(names)} networks of {sizes[0]:,} to {sizes[-1]:,} nodes"


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


def figure(rows: Sequence[Row]) -> Figure:
    """Return the picture."""
    made = Figure(figsize=(8.0, 10.5), layout="constrained")
    distance, throughput, bits = made.subplots(3, 1, sharex=True, height_ratios=(4, 4, 3))
    lines: dict[str, list[Row]] = {}
    for row in rows:
        lines.setdefault(line(row), []).append(row)
    for name, some in lines.items():
        look = of_family(name)
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
    degrees = {int(row["degree"]) for row in rows}
    degree = 4 if 4 in degrees else max(2, *degrees)  # whose bound is drawn
    sizes = [int(row["nodes"]) for row in rows]
    least = max(degree + 2, min(8, *sizes))
    nodes = np.unique(np.geomspace(least, max(least, *sizes), 120).astype(int))
    floor = [least_mean_distance(int(n), degree) for n in nodes]
    bound: dict[str, Any] = {"color": NIGHT, "linewidth": 1, "zorder": 1}
    distance.plot(nodes, floor, **bound, linestyle="--")
    throughput.plot(nodes, [min(1, degree / d) for d in floor], **bound, linestyle="--")
    table = nodes * 3.0
    bits.plot(nodes, table, **bound, linestyle="-.")
    most = max(*floor, *(row["mean_distance"] for row in rows))
    distance.set(ylabel="mean distance [hops]", ylim=(0, 1.08 * most))
    throughput.set_ylabel("saturation\n[flits/terminal/cycle]")
    bits.set(xlabel="nodes", ylabel="tables of a router [bits]")
    logarithmic(throughput, "y", [row["saturation"] or 0 for row in rows])
    logarithmic(bits, "y", [*table, *(row["table_bits"] for row in rows)])
    for axes in (distance, throughput, bits):
        logarithmic(axes, "x", [*nodes, *sizes])
        plain(axes)
    distance.set_title(title(rows), color=INK)
    made.legend(
        handles=_key(lines, degree), loc="outside lower center", ncols=3, frameon=False, fontsize=9
    )
    return made


def _plot(axes: Axes, rows: Sequence[Row], key: str, look: dict[str, Any]) -> None:
    if rows:
        axes.plot([r["nodes"] for r in rows], [r[key] for r in rows], **look)


def _key(lines: dict[str, list[Row]], degree: int) -> list[Line2D]:
    """Return the entries of the legend, with the degrees of each line."""
    handles = []
    for name, some in sorted(lines.items(), key=lambda item: [*ORDER, item[0]].index(item[0])):
        degrees = sorted({row["degree"] for row in some})
        shown = f"{degrees[0]}" if len(degrees) == 1 else f"{degrees[0]} to {degrees[-1]}"
        handles.append(Line2D([], [], label=f"{name}, degree {shown}", **of_family(name)))
    known: list[tuple[str, str, LineStyleType]] = [
        (f"bound of any graph of degree {degree}", NIGHT, "--"),
        ("one port of 3 bits for each node", NIGHT, "-."),
    ]
    if any(row["algorithm"] == "two-phase" for rows in lines.values() for row in rows):
        known.append(("two-phase routing", NIGHT, ":"))
    handles += [
        Line2D([], [], color=colour, linestyle=dashes, linewidth=1.2, label=label)
        for label, colour, dashes in known
    ]
    return handles

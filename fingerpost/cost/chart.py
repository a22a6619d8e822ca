"""What several networks cost as one picture: area and speed against the number of nodes."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from fingerpost.drawing import picture
from fingerpost.drawing.charts import line, logarithmic, of_family, plain, variant
from fingerpost.drawing.picture import INK

Row = Mapping[str, Any]

ORDER = "median", "min", "max"
"""Fmax of the placements: the point, and the ends of its bar."""


def draw(rows: Sequence[Row], path: Path) -> None:
    """Draw the rows of `cost` into an SVG or PNG file: area above, Fmax below.

    Parameters
    ----------
    rows : sequence of mapping
        As `fingerpost.cost.cost.facts` gives them, all of one kind of part on one device.
    path : Path
    """
    title = f"The {rows[0]['part']} on {rows[0]['device']}"
    picture.draw(path, lambda: figure(rows, title), spoken(rows, title))


def spoken(rows: Sequence[Row], title: str) -> str:
    """Return what the picture shows in words: the largest network of each line."""
    said = [
        f"{name} {some[-1]['sites']:,} sites, {some[-1]['fmax_mhz']['median']:.0f} MHz"
        f" at {some[-1]['nodes']:,} nodes"
        for name, some in lines(rows).items()
    ]
    return f"{title}: sites and Fmax against nodes; {'; '.join(said)}"


def lines(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Return what is one line each: a family and algorithm; of what else differs, one of each."""
    sizes = {(row["data_width"], row["buffer_depth"]) for row in rows}
    hops = {row["hop_cycles"] for row in rows}
    services = {row["service"] for row in rows}
    found: dict[str, list[Row]] = {}
    for row in sorted(rows, key=lambda row: int(row["nodes"])):
        name = f"{line(row)}, {row['routing']}"
        if len(sizes) > 1:
            name += f", {row['data_width']} bits, depth {row['buffer_depth']}"
        if len(hops) > 1:
            name += f", {row['hop_cycles']} cycles a hop"
        if len(services) > 1 and row["service"]:
            name += f", {row['service']} service"
        found.setdefault(name, []).append(row)
    return found


def figure(rows: Sequence[Row], title: str) -> Figure:
    """Return the chart."""
    made = Figure(figsize=(7.6, 7.4), layout="constrained")
    area, speed = made.subplots(2, 1, sharex=True)
    handles = []
    seen: list[str] = []
    for name, some in lines(rows).items():
        family = line(some[0])
        look = variant(of_family(family), seen.count(family))
        seen.append(family)
        nodes = [row["nodes"] for row in some]
        area.plot(nodes, [row["sites"] for row in some], **look)
        median, least, most = ([row["fmax_mhz"][of] for row in some] for of in ORDER)
        below = [m - x for m, x in zip(median, least, strict=True)]
        above = [x - m for m, x in zip(median, most, strict=True)]
        speed.errorbar(nodes, median, (below, above), capsize=2, elinewidth=0.8, **look)
        handles.append(Line2D([], [], label=name, **look))
    logarithmic(area, "x", [row["nodes"] for row in rows])
    area.set_ylabel("sites")
    speed.set(xlabel="nodes", ylabel="Fmax [MHz]")
    for axes in (area, speed):
        axes.set_ylim(0)
        plain(axes)
    area.set_title(title, color=INK)
    made.legend(handles=handles, loc="outside lower center", ncols=2, frameon=False, fontsize=8)
    return made

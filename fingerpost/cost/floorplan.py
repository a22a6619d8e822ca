"""The floor plan of a placed network: each tile in the colour of the node that has most of it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from fingerpost.drawing import picture
from fingerpost.drawing.network import BLANK, colours
from fingerpost.drawing.picture import FAILED, GRID
from fingerpost.drawing.plan import TALL
from fingerpost.drawing.sheet import WIDE, Entry, Sheet

LETTERS = 10.0
"""Points of the number of a node."""


def draw(row: Mapping[str, Any], path: Path) -> None:
    """Draw the placement of a network into an SVG or PNG file.

    Parameters
    ----------
    row : mapping
        As `fingerpost.cost.cost.facts` gives it of a network.
    """
    picture.draw(path, lambda: figure(row), title(row))


def title(row: Mapping[str, Any]) -> str:
    """Return what the picture is."""
    return f"{row['network']} on {row['device']}"


def figure(row: Mapping[str, Any]) -> Figure:
    """Return the picture: tiles, the number of each node in their middle, the slowest path."""
    sheet, nodes = Sheet(), row["nodes"]
    places = np.array([[x, y] for x, y, _ in row["tiles"]])
    of = np.array([-1 if node is None else node for _, _, node in row["tiles"]])
    inside = places[of >= 0]
    low, high = inside.min(axis=0), inside.max(axis=0) + 1
    size = min(WIDE, TALL) / float((high - low).max())

    def at(x: Any, y: Any) -> Any:
        """Return where the middle of a tile is: row 0 of the chip is the upper one."""
        return (np.stack([x - low[0], high[1] - 1 - y], axis=-1) + 0.5) * size

    wide, tall = (high - low).tolist()
    image = np.full((tall, wide), np.nan)
    for (x, y), node in zip(places, of, strict=True):
        if low[0] <= x < high[0] and low[1] <= y < high[1]:  # pins are outside
            image[y - low[1], x - low[0]] = node + 1
    shades = [GRID, *colours(nodes)[:nodes]]
    sheet.axes.imshow(
        np.ma.masked_invalid(image),
        cmap=ListedColormap(shades),
        vmin=0,
        vmax=nodes,
        extent=(0, wide * size, 0, tall * size),
        interpolation="nearest",
        aspect="auto",
        zorder=1,
    )
    sheet.include(np.array([[0, 0], [wide * size, tall * size]]))
    for node in range(nodes):
        if (of == node).any():
            x, y = at(*np.median(places[of == node], axis=0))
            sheet.text(float(x), float(y), str(node), LETTERS, bbox=BLANK)
    entries = [Entry("cells of no node", GRID, "s")] if (of == -1).any() else []
    if row["paths"]:
        x, y = np.array(row["paths"][0]["places"]).T
        way = at(x, y)
        sheet.axes.plot(*way.T, color=FAILED, linewidth=2, zorder=5)
        sheet.axes.plot(*way[0], "o", color=FAILED, markersize=5, zorder=5)
        entries.append(Entry("slowest path, from its dot", FAILED))
    line = (
        f"{row['sites']:,} LUT4 sites, {row['fmax_mhz']['median']:.0f} MHz; "
        "each tile in the colour of the node that has most of it"
    )
    return sheet.finish(title(row), [line], entries)

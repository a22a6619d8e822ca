"""Large networks as a matrix: from which node, downwards, to which, to the right."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.colors import ListedColormap

from fingerpost.drawing.form import Points
from fingerpost.drawing.network import letter, scale
from fingerpost.drawing.picture import FAILED, INK, KINDS, LINK, PHASES
from fingerpost.drawing.sheet import Entry, Sheet
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.topology import Topology
from fingerpost.golden.topology.faulty import Faulty

__all__ = ["adjacency"]

SIDE, CELLS = 540, 300
"""Points of the matrix, and cells at most: one cell may stand for many pairs of nodes."""


def adjacency(
    sheet: Sheet, topology: Topology, route: Mapping[str, Any] | None, load: Points | None
) -> list[Entry]:
    """Draw which node has a link to which, and return the legend."""
    whole = topology.whole if isinstance(topology, Faulty) else topology
    n = whole.nodes
    cells = min(n, CELLS)
    node, port = np.nonzero(whole.neighbour >= 0)
    row, column = node * cells // n, whole.neighbour[node, port] * cells // n
    if load is not None:
        legend = _loads(sheet, row, column, load[node, port], cells)
    else:
        legend = _ports(sheet, row, column, port, whole, cells)
    if isinstance(topology, Faulty):
        bad = topology.failed_links[node, port]
        lost = np.isin(node, topology.lost) | np.isin(whole.neighbour[node, port], topology.lost)
        for which, colour, label in ((lost & ~bad, LINK, "lost"), (bad, FAILED, "failed link")):
            if which.any():
                x, y = _at(node[which], whole.neighbour[node, port][which], n)
                sheet.axes.plot(x, y, "x", color=colour, markersize=6, markeredgewidth=1.6)
                legend.append(Entry(label, colour, "x"))
    _frame(sheet, n)
    if route is not None:
        legend += _route(sheet, route, n)
    return legend


def _at(row: Any, column: Any, n: int) -> tuple[Any, Any]:
    """Return where the cell of a pair of nodes is."""
    return (np.asarray(column) + 0.5) * SIDE / n, SIDE - (np.asarray(row) + 0.5) * SIDE / n


def _image(sheet: Sheet, values: Points, colours: list[str], high: float) -> None:
    shown = np.ma.masked_less(values, 0)
    sheet.axes.imshow(
        shown,
        cmap=ListedColormap(colours),
        vmin=0,
        vmax=high,
        extent=(0, SIDE, 0, SIDE),
        interpolation="nearest",
        aspect="auto",
        zorder=1,
    )
    sheet.axes.set_axis_off()


def _ports(
    sheet: Sheet, row: IntArray, column: IntArray, port: IntArray, topology: Topology, cells: int
) -> list[Entry]:
    """Colour cells by port; where ports share one, the last."""
    cell = np.full((cells, cells), -1.0)
    cell[row, column] = port
    shades = [KINDS[i % len(KINDS)] for i in range(topology.degree)]
    _image(sheet, cell, shades, max(1, topology.degree - 1))
    if topology.degree > len(KINDS):
        return []
    return [
        Entry(letter(topology.port_name(p)), shades[p], "s") for p in sorted(set(port.tolist()))
    ]


def _loads(sheet: Sheet, row: IntArray, column: IntArray, load: Points, cells: int) -> list[Entry]:
    cell = np.full((cells, cells), -1.0)
    high = float(load.max())
    share = load / high if high > 0 else load
    np.maximum.at(cell, (row, column), share)
    _image(sheet, cell, scale(), 1.0)
    return []


def _frame(sheet: Sheet, n: int) -> None:
    sheet.axes.plot([0, SIDE, SIDE, 0, 0], [0, 0, SIDE, SIDE, 0], color=INK, linewidth=0.8)
    sheet.include(np.array([[0, 0], [SIDE, SIDE]]))
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        node = round(share * (n - 1))
        x, y = _at(node, node, n)
        sheet.axes.plot([x, x], [SIDE, SIDE + 4], color=INK, linewidth=0.8)
        sheet.axes.plot([-4, 0], [y, y], color=INK, linewidth=0.8)
        sheet.text(float(x), SIDE + 12, str(node), 9.0)
        sheet.text(-8, float(y), str(node), 9.0, side="right")
    sheet.text(SIDE / 2, SIDE + 26, "a link to node (to the right) from node (downwards)", 9.0)


def _route(sheet: Sheet, route: Mapping[str, Any], n: int) -> list[Entry]:
    """Draw the hops as marks in their cells, and the way on the diagonal between them."""
    names = list(dict.fromkeys(route["phases"]))
    nodes = route["nodes"]
    for hop, phase in enumerate(route["phases"]):
        colour = PHASES[names.index(phase) % len(PHASES)]
        x, y = _at(nodes[hop], nodes[hop + 1], n)
        (left, here), (right, there) = (
            _at(nodes[hop], nodes[hop], n),
            _at(nodes[hop + 1], nodes[hop + 1], n),
        )
        sheet.axes.plot([left, x, right], [here, y, there], color=colour, linewidth=1.6, zorder=3)
        sheet.axes.plot([x], [y], "o", color=colour, markeredgecolor=INK, markersize=8, zorder=4)
    for node, word in ((nodes[-1], "destination"), (nodes[0], "source")):
        x, y = _at(node, node, n)
        sheet.axes.plot([x], [y], "o", color="white", markeredgecolor=INK, markersize=7, zorder=5)
        sheet.text(
            float(x) + 8,
            float(y),
            word,
            10.5,
            style="italic",
            side="left",
            box={
                "boxstyle": "round,pad=0.1",
                "facecolor": "white",
                "edgecolor": "none",
                "alpha": 0.85,
            },
        )
    return [Entry(name or "route", PHASES[i % len(PHASES)], "o") for i, name in enumerate(names)]

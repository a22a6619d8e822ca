"""How series of charts look: a colour, a marker and dashes; a family looks the same in every chart.

Any two of the colours differ by 15 or more (CIEDE2000) for all readers, on light and on dark pages;
`tests/fingerpost/drawing/test_styles.py` computes it. Series of one colour differ in marker and
dashes, and no mark has only its colour to say whose it is.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes

from fingerpost.drawing.picture import COLOURS
from fingerpost.golden.topology import FAMILIES

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
    axes.plot(
        [x],
        [TOP],
        color=look["color"],
        marker=look["marker"],
        markersize=look["markersize"],
        linestyle="",
        transform=axes.get_xaxis_transform(),
    )

"""A sheet on which a unit is a point, and which grows with what is drawn on it; sizes of words."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import EllipseCollection
from matplotlib.figure import Figure
from matplotlib.typing import LineStyleType

from fingerpost.drawing.form import Points
from fingerpost.drawing.picture import INK, PAPER
from fingerpost.hdl.lib.text import printable

MARKS = "-_./:,"
"""Behind which a long word is rather broken."""

WIDE = 580.0
"""Points that a picture is wide, so that 9 points are read well in a README."""

MARGIN, TITLE, SMALL = 14.0, 17.0, 11.0


@lru_cache(maxsize=4096)
def width(text: str, size: float, weight: str = "normal") -> float:
    """Return the width of a line in points, in the font of `fingerpost.drawing.picture.style`."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextToPath

    font = FontProperties(family="DejaVu Sans", weight=weight, size=size)
    found = TextToPath().get_text_width_height_descent(text, font, ismath=False)
    return float(found[0])


def height(lines: int, size: float) -> float:
    """Return the height of some lines in points."""
    return 1.2 * size * lines


def size_for(texts: Iterable[str], room: float, most: float, least: float) -> float:
    """Return the size at which all texts fit into so many points; 0 if that is below `least`."""
    widest = max((width(text, 10.0) for text in texts), default=0.0)
    size = min(most, 10 * room / widest) if widest else most
    return size if size >= least else 0.0


def wrapped(text: str, size: float, room: float, weight: str = "normal") -> list[str]:
    """Break a text into lines that fit, between words or, where a word is too long, within it."""
    lines = [""]
    for word in printable(text).split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if width(longer, size, weight) <= room:
            lines[-1] = longer
            continue
        if lines[-1]:
            lines.append("")
        for letter in word:
            if lines[-1] and width(lines[-1] + letter, size, weight) > room:
                rest = min(
                    (lines[-1][::-1].find(mark) for mark in MARKS if mark in lines[-1]), default=0
                )
                keep = len(lines[-1]) - (rest if rest < len(lines[-1]) // 2 else 0)
                lines[-1:] = lines[-1][:keep], lines[-1][keep:]
            lines[-1] += letter
    return lines


@dataclass(frozen=True)
class Entry:
    """A line of the legend: a stroke or a mark, in a colour, and what it means."""

    label: str
    colour: str
    mark: str = ""
    thickness: float = 2.5
    dashes: LineStyleType = "-"


class Sheet:
    """Axes in points, and the box of all that has been drawn on them.

    Attributes
    ----------
    low, high : (2,)
        The corners of the box.
    """

    def __init__(self) -> None:
        self.figure = Figure(figsize=(1, 1), facecolor=PAPER)
        self.axes: Axes = self.figure.add_axes((0, 0, 1, 1))
        self.axes.set_axis_off()
        self.low, self.high = np.full(2, np.inf), np.full(2, -np.inf)

    def include(self, points: Points, margin: float = 0.0) -> None:
        """Let the box reach around some points."""
        self.low = np.minimum(self.low, points.min(axis=0) - margin)
        self.high = np.maximum(self.high, points.max(axis=0) + margin)

    def text(
        self, x: float, y: float, text: str, size: float, *, side: str = "center", **look: Any
    ) -> None:
        """Write a line: its middle is at height y, its start, end or middle at x.

        `look` is as matplotlib takes it.
        """
        text = printable(text)
        wide, high = width(text, size, look.get("weight", "normal")), height(1, size)
        left = {"left": x, "center": x - wide / 2, "right": x - wide}[side]
        margin = 4.0 if look.get("bbox") else 1.0
        self.include(np.array([[left, y - high / 2], [left + wide, y + high / 2]]), margin)
        look.setdefault("color", INK)
        look.setdefault("zorder", 6)
        self.axes.text(x, y, text, ha=side, va="center_baseline", fontsize=size, **look)

    def circles(self, points: Points, diameter: float, *, order: float, **look: Any) -> None:
        """Draw circles around points, all of one size; `look` is as matplotlib takes it."""
        self.axes.add_collection(
            EllipseCollection(
                diameter,
                diameter,
                0,
                units="xy",
                offsets=points,
                offset_transform=self.axes.transData,
                zorder=order,
                clip_on=False,
                **look,
            )
        )

    def finish(self, title: str, lines: Sequence[str], legend: Sequence[Entry]) -> Figure:
        """Write title and lines above, the legend below, and give the figure its size."""
        room = max(WIDE, float(self.high[0] - self.low[0]))
        middle = float(self.low[0] + self.high[0]) / 2
        top = float(self.high[1]) + 12
        above = [(line, SMALL, "normal") for text in lines for line in wrapped(text, SMALL, room)]
        above = [(line, TITLE, "bold") for line in wrapped(title, TITLE, room, "bold")] + above
        for line, size, weight in reversed(above):
            top += height(1, size) / 2
            self.text(middle, top, line, size, weight=weight)
            top += height(1, size) / 2
        self._legend(legend, middle, room)
        self.include(np.array([[middle - room / 2, top], [middle + room / 2, top]]))
        size = self.high - self.low + 2 * MARGIN
        self.figure.set_size_inches(*(size / 72))
        self.axes.set_xlim(self.low[0] - MARGIN, self.high[0] + MARGIN)
        self.axes.set_ylim(self.low[1] - MARGIN, self.high[1] + MARGIN)
        return self.figure

    def _legend(self, legend: Sequence[Entry], middle: float, room: float) -> None:
        """Lay the entries in rows, each in the middle."""
        rows: list[list[Entry]] = [[]]
        for entry in legend:
            if rows[-1] and sum(map(_wide, [*rows[-1], entry])) > room:
                rows.append([])
            rows[-1].append(entry)
        y = float(self.low[1]) - 10
        for row in rows:
            y -= height(1, SMALL) + 2
            x = middle - (sum(map(_wide, row)) - 16) / 2
            for entry in row:
                self._entry(entry, x, y)
                x += _wide(entry)

    def _entry(self, entry: Entry, x: float, y: float) -> None:
        look: dict[str, Any] = {"color": entry.colour, "zorder": 6}
        if entry.mark:
            edge, wide = (entry.colour, 2.2) if entry.mark == "x" else (INK, 0.7)
            look |= {"markersize": 10, "markeredgecolor": edge, "markeredgewidth": wide}
            self.axes.plot([x + 10], [y], entry.mark, **look)
        else:
            look |= {"linewidth": entry.thickness, "linestyle": entry.dashes}
            self.axes.plot([x, x + 20], [y, y], solid_capstyle="butt", **look)
        self.text(x + 26, y, entry.label, SMALL, side="left")

    def scale(self, high: float, colours: Sequence[str], label: str) -> None:
        """Draw a scale of colours below all else, from 0 to a greatest value."""
        middle, y = float(self.low[0] + self.high[0]) / 2, float(self.low[1]) - 22
        edges = middle - 120 + 240 * np.arange(len(colours)) / len(colours)
        look: dict[str, Any] = {"color": colours, "linewidth": 0, "antialiased": False}
        self.axes.bar(edges, 10, 240 / len(colours), y - 5, align="edge", **look)
        for share in (0.0, 0.5, 1.0):
            x = middle + 240 * (share - 0.5)
            self.axes.plot([x, x], [y - 9, y - 5], color=INK, linewidth=0.8)
            self.text(x, y - 16, f"{share * high:.3g}", SMALL)
        self.text(middle, y - 33, label, SMALL)


def _wide(entry: Entry) -> float:
    return 26 + width(entry.label, SMALL) + 16

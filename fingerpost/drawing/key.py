"""A list of numbers and names below a picture, in as many columns as there is room for."""

from collections.abc import Sequence

from fingerpost.drawing.sheet import WIDE, Sheet
from fingerpost.drawing.words import height, width, wrapped

__all__ = ["listed"]

SIZE = 9.0


def listed(sheet: Sheet, names: Sequence[str]) -> None:
    """Write what the nodes are called, column by column; too long a name takes several lines."""
    entries = [wrapped(f"{node}  {name}", SIZE, WIDE) for node, name in enumerate(names)]
    widest = max(width(line, SIZE) for entry in entries for line in entry) + 18
    columns = max(1, min(int((WIDE + 18) // widest), len(entries)))
    rows = -(-len(entries) // columns)
    left = float(sheet.low[0] + sheet.high[0] - columns * widest) / 2 + 9
    top = float(sheet.low[1]) - 16
    for column in range(columns):
        y = top
        for entry in entries[column * rows : (column + 1) * rows]:
            for line in entry:
                sheet.text(left + column * widest, y, line, SIZE, side="left")
                y -= height(1, SIZE) + 1

"""What a sweep found, as people read it, and the files of it."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from fingerpost.sweeps.output import Output
from fingerpost.sweeps.sweep import Swept

__all__ = ["render", "save", "shown"]


def save(swept: Swept, output: Output, *, title: str = "") -> list[Path]:
    """Write the chart, the rows, and the curves as JSON, all or none; return the files."""
    from fingerpost.sweeps import chart

    return output.save(partial(chart.draw, swept.facts, title=title), swept.rows, swept.facts)


COLUMNS = "nodes", "channels", "zero", "saturation", "bound", "accepted", "least"


def render(facts: Mapping[str, Any]) -> str:
    """Return the curves as a table, a line each."""
    names = [f"{curve['network']}, {curve['routing']}" for curve in facts["curves"]]
    width = max(map(len, names))
    lines = ["  ".join((" " * width, *COLUMNS))]
    for name, curve in zip(names, facts["curves"], strict=True):
        best = max(curve["points"], key=lambda point: float(point["accepted"]))
        cells = (
            str(curve["nodes"]),
            str(curve["virtual_channels"]),
            shown(curve["zero_load_latency"], 1),
            shown(curve["saturation"], 3),
            shown(curve["bound"], 3),
            f"{best['accepted']:.3f}",
            f"{best['accepted_least']:.3f}",
        )
        row = (cell.rjust(len(column)) for cell, column in zip(cells, COLUMNS, strict=True))
        lines.append("  ".join((name.ljust(width), *row)))
    return "\n".join(
        (
            *lines,
            "",
            f"{facts['traffic']} traffic, {facts['cycles']} cycles measured",
            "zero: latency at zero load, in cycles; loads in flits per terminal and cycle",
            "accepted: the most at any load, and the least of a terminal there",
        )
    )


def shown(value: float | None, digits: int) -> str:
    """Return a number with so many digits behind the point, or that there is none."""
    return "none" if value is None else f"{value:.{digits}f}"

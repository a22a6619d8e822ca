"""What a sweep found, as people read it, and the files that it is written to."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table

from fingerpost.console import SCHEMA
from fingerpost.files import check, write
from fingerpost.sweep import chart, tables
from fingerpost.sweep.sweep import Swept

__all__ = ["beside", "check_files", "render", "save"]


def beside(output: Path, suffix: str) -> Path:
    """Return the file of a sweep that is called `output`, of one kind."""
    return output.with_name(f"{output.name}.{suffix}")


def check_files(output: Path, suffixes: Sequence[str]) -> None:
    """See whether the files of a sweep can be written; see `files.check`."""
    for suffix in suffixes:
        check(beside(output, suffix))


def save(swept: Swept, output: Path, *, table: str, picture: str, title: str = "") -> list[Path]:
    """Write the chart, the rows, and the curves as JSON; return the files."""
    names = [beside(output, suffix) for suffix in (picture, table, "json")]
    chart.draw(swept.facts, names[0], title=title)
    tables.save(swept.rows, names[1])
    text = json.dumps({"schema": SCHEMA, **swept.facts}, allow_nan=False, indent=1) + "\n"
    write(names[2], lambda scratch: scratch.write_text(text) and None)
    return names


def render(facts: Mapping[str, Any]) -> RenderableType:
    """Return the curves as a table, a line each."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="")
    table.add_column("network")
    table.add_column("routing")
    columns = (
        "nodes",
        "channels",
        "zero load",
        "saturation",
        "bound",
        "most accepted",
        "least served",
    )
    for column in columns:
        table.add_column(column, justify="right")
    for curve in facts["curves"]:
        points = curve["points"]
        best = max(points, key=lambda point: float(point["accepted"]))
        table.add_row(
            curve["network"],
            curve["routing"],
            str(curve["nodes"]),
            str(curve["virtual_channels"]),
            _shown(curve["zero_load_latency"], 1),
            _shown(curve["saturation"], 3),
            _shown(curve["bound"], 3),
            f"{best['accepted']:.3f}",
            f"{best['accepted_least']:.3f}",
        )
    said = f"{facts['traffic']} traffic, {facts['cycles']} cycles, {len(facts['seeds'])} seeds"
    unit = "latency at zero load in cycles; loads in flits per terminal and cycle"
    return Group(table, "", f"{said}; {unit}")


def _shown(value: float | None, digits: int) -> str:
    return "none" if value is None else f"{value:.{digits}f}"

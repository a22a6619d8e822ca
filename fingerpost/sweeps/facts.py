"""What a sweep found, as people read it, and the files that it is written to."""

import json
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from fingerpost.hdl.emit.staged import staged
from fingerpost.jobs.console import SCHEMA
from fingerpost.jobs.files import check, write_text
from fingerpost.sweeps import tables
from fingerpost.sweeps.sweep import Swept

__all__ = ["beside", "called", "check_files", "render", "save"]


ENDINGS = {"svg", "png"}, {"csv", "parquet"}, {"json", "jsonl"}
"""Of pictures, of tables, and of the other files of a sweep."""

NEEDS = {"svg": "matplotlib", "png": "matplotlib", "parquet": "pyarrow"}
"""Packages that only some files need."""


def called(output: Path, *, picture: str, table: str) -> tuple[Path, str, str]:
    """Return what the files are called, without an ending, and the kinds of picture and table.

    `output` may be the name of one of them, whose suffix then gives its kind.

    Examples
    --------
    >>> called(Path("curves.png"), picture="svg", table="csv")
    (PosixPath('curves'), 'png', 'csv')
    """
    ending = output.suffix.removeprefix(".").lower()
    pictures, tables, _ = ENDINGS
    if any(ending in kinds for kinds in ENDINGS):
        output = output.with_suffix("")
    return output, ending if ending in pictures else picture, ending if ending in tables else table


def beside(output: Path, suffix: str) -> Path:
    """Return the file of a sweep that is called `output`, of one kind."""
    return output.with_name(f"{output.name}.{suffix}")


def check_files(output: Path, suffixes: Sequence[str]) -> None:
    """See whether the files of a sweep can be written, before the work; see `files.check`.

    Raises
    ------
    ModuleNotFoundError
        If a package is not installed that one of them needs.
    """
    for suffix in suffixes:
        check(beside(output, suffix))
        if suffix in NEEDS:
            import_module(NEEDS[suffix])


def save(swept: Swept, output: Path, *, table: str, picture: str, title: str = "") -> list[Path]:
    """Write the chart, the rows, and the curves as JSON, all or none; return the files."""
    from fingerpost.sweeps import chart

    names = [beside(output, suffix).name for suffix in (picture, table, "json")]
    with staged(output.parent) as folder:
        chart.draw(swept.facts, folder / names[0], title=title)
        tables.save(swept.rows, folder / names[1])
        text = json.dumps({"schema": SCHEMA, **swept.facts}, allow_nan=False, indent=1) + "\n"
        write_text(folder / names[2], text)
    return [output.with_name(name) for name in names]


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
            _shown(curve["zero_load_latency"], 1),
            _shown(curve["saturation"], 3),
            _shown(curve["bound"], 3),
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


def _shown(value: float | None, digits: int) -> str:
    return "none" if value is None else f"{value:.{digits}f}"

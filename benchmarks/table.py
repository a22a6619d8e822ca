"""What benchmarks share: the command line, and the rows that they print as a table or as JSON."""

import json
import os
import re
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

WIDTH = 180
"""Of the page, a terminal or not: no figure is cut."""


def arguments(doc: str | None, *positional: str, **options: Any) -> Namespace:
    """Return what the command line asks for, of which the docstring of the benchmark tells.

    Parameters
    ----------
    positional : str
        Names of arguments, of which there may be any number.
    options : Any
        By their names what they are by default: False of a flag, a tuple of a list with commas.
    """
    parser = ArgumentParser(description=doc, formatter_class=RawDescriptionHelpFormatter)
    for name in positional:
        parser.add_argument(name, nargs="*")
    for name, default in {**options, "json": False}.items():
        how: dict[str, Any] = {"type": type(default), "default": default}
        if default is False:
            how = {"action": "store_true"}
        elif isinstance(default, tuple):
            kind = type(default[0])
            how["type"] = lambda text, kind=kind: tuple(map(kind, text.split(",")))
        parser.add_argument(f"--{name}", **how)
    return parser.parse_intermixed_args()


def kept(path: Path, row: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return the row that a file keeps; if there is none, measure it and keep it there."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(row()))
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def tell(asked: Namespace, title: str, rows: Iterable[dict[str, Any]], /, **about: object) -> None:
    """Print rows as soon as they are there to standard error; then a table, or one JSON object."""
    found = []
    for row in rows:
        found.append(row)
        print(*(_cell(value) for value in row.values()), file=sys.stderr, flush=True)
    if asked.json:
        print(json.dumps({"rows": found, **about}))
        return
    columns = [*dict.fromkeys(key for row in found for key in row)]
    heads = [column.replace("_", " ") for column in columns]
    show(title, heads, ([_cell(row.get(key)) for key in columns] for row in found))


def _cell(value: object) -> str:
    """Return a value, in short; of a list of records the last value of each."""
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3f}"
    if isinstance(value, list | tuple):
        return " ".join(map(_cell, value))
    if isinstance(value, dict):
        return _cell([*value.values()][-1])
    return "" if value is None else f"{value:,}" if type(value) is int else str(value)


def show(title: str, columns: Sequence[str], rows: Iterable[Iterable[object]]) -> None:
    """Print a table, numbers to the right, under a title that tells the machine's cores."""
    cells = [[str(cell) for cell in row] for row in rows]
    table = Table(box=None, padding=(0, 3, 0, 0), header_style="")
    for name, column in zip(columns, zip(*cells, strict=True), strict=True):
        numbers = all(re.fullmatch(r"[\d,./]*( s)?", cell) for cell in column)
        table.add_column(name, justify="right" if numbers else "left", no_wrap=True)
    for row in cells:
        table.add_row(*row)
    console = Console(highlight=False, markup=False, width=WIDTH)
    console.print(f"\n{title} ({os.cpu_count()} cores)", style="bold")
    console.print(table)


def run(*parts: Callable[[], None]) -> None:
    """Run the parts whose names the command line gives, or all; name them if one is unknown."""
    known = {part.__name__: part for part in parts}
    wanted = sys.argv[1:] or [*known]
    if not {*wanted} <= {*known}:
        sys.exit(f"Parts are {', '.join(known)}, not {' '.join(wanted)}")
    for name in wanted:
        known[name]()

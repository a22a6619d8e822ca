"""What benchmarks share: the table that they print, and the choice of their parts."""

import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence

from rich.console import Console
from rich.table import Table

WIDTH = 180
"""Of the page, a terminal or not: no figure is cut."""


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


def show_rows(title: str, columns: Mapping[str, str], rows: Iterable[Mapping[str, object]]) -> None:
    """Print a table of records; `columns` has the format of a record for each heading."""
    show(title, [*columns], [[form.format_map(row) for form in columns.values()] for row in rows])


def run(*parts: Callable[[], None]) -> None:
    """Run the parts whose names the command line gives, or all; name them if one is unknown."""
    known = {part.__name__: part for part in parts}
    wanted = sys.argv[1:] or [*known]
    if not {*wanted} <= {*known}:
        sys.exit(f"Parts are {', '.join(known)}, not {' '.join(wanted)}")
    for name in wanted:
        known[name]()

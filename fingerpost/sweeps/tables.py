"""The rows of a sweep as a table: CSV or Parquet."""

import csv
from collections.abc import Sequence
from pathlib import Path

from fingerpost.jobs.files import write
from fingerpost.sweeps.point import Row

__all__ = ["TABLES", "save"]

TABLES = "csv", "parquet"
"""The kinds of tables, by the end of the file's name."""


def save(rows: Sequence[Row], path: Path) -> None:
    """Write the rows to a CSV or Parquet file; what is not known is an empty cell, or null."""
    write(path, lambda scratch: (_parquet if path.suffix == ".parquet" else _csv)(rows, scratch))


def _csv(rows: Sequence[Row], path: Path) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _parquet(rows: Sequence[Row], path: Path) -> None:
    from pyarrow import Table
    from pyarrow.parquet import write_table

    write_table(Table.from_pylist(list(rows)), path)

"""The files of a sweep or a survey: NAME.svg, NAME.csv, NAME.json, and NAME.jsonl, its state."""

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Self

from fingerpost.hdl.emit.files import staged
from fingerpost.jobs.console import SCHEMA
from fingerpost.jobs.files import check, write, write_text
from fingerpost.jobs.provenance import KEY, line, provenance
from fingerpost.sweeps.schedule import Row

ENDINGS = {"svg", "png"}, {"csv", "parquet"}, {"json", "jsonl"}
"""Of pictures, of tables, and of the other files."""

NEEDS = {"svg": "matplotlib", "png": "matplotlib", "parquet": "pyarrow"}
"""Packages that only some files need."""


@dataclass(frozen=True)
class Output:
    """Files of one name.

    Attributes
    ----------
    name : Path
        Without an ending.
    picture, table : str
        The endings of these two.

    Examples
    --------
    >>> Output.called(Path("curves.png"), picture="svg", table="csv")
    Output(name=PosixPath('curves'), picture='png', table='csv')
    """

    name: Path
    picture: str
    table: str

    @classmethod
    def called(cls, output: Path, *, picture: str, table: str) -> Self:
        """Return the files that are called `output`, and see whether they can be written.

        It may be the name of one of them, whose suffix then gives its kind.

        Raises
        ------
        ValueError
            See `fingerpost.jobs.files.check`.
        ModuleNotFoundError
            If a package is not installed that one of them needs.
        """
        ending = output.suffix.removeprefix(".").lower()
        pictures, tables, _ = ENDINGS
        found = cls(
            output.with_suffix("") if any(ending in kinds for kinds in ENDINGS) else output,
            ending if ending in pictures else picture,
            ending if ending in tables else table,
        )
        for suffix in (found.picture, found.table, "json", "jsonl"):
            check(found._file(suffix))
            if suffix in NEEDS:
                import_module(NEEDS[suffix])
        return found

    def _file(self, suffix: str) -> Path:
        return self.name.with_name(f"{self.name.name}.{suffix}")

    @property
    def state(self) -> Path:
        """Return the file from which an interrupted job resumes."""
        return self._file("jsonl")

    def save(
        self, draw: Callable[[Path], None], rows: Sequence[Row], facts: Mapping[str, Any]
    ) -> list[Path]:
        """Write picture, rows and facts, all or none; return the files."""
        files = [self._file(suffix) for suffix in (self.picture, self.table, "json")]
        with staged(self.name.parent) as folder:
            picture, table, answer = (folder / file.name for file in files)
            draw(picture)
            rows_to = _parquet if self.table == "parquet" else _csv
            write(table, lambda scratch: rows_to(rows, scratch))
            text = json.dumps(
                {"schema": SCHEMA, KEY: provenance(), **facts}, allow_nan=False, indent=1
            )
            write_text(answer, f"{text}\n")
        return files


def _csv(rows: Sequence[Row], path: Path) -> None:
    """Write rows below a comment on how they were made; what is not known is an empty cell."""
    with path.open("w", newline="", encoding="utf-8", errors="backslashreplace") as file:
        file.write(f"# {KEY}: {line()}\n")
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _parquet(rows: Sequence[Row], path: Path) -> None:
    from pyarrow import Table
    from pyarrow.parquet import write_table

    table = Table.from_pylist(list(rows))
    write_table(table.replace_schema_metadata({KEY: line()}), path)

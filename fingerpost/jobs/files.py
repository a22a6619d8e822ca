"""Files that are complete or not there, and what can be known before the work for them is done.

A sweep or a survey has several of one name, see `Output`.
"""

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from secrets import token_hex
from typing import Any, Self

from fingerpost.hdl.emit.files import naming, staged
from fingerpost.jobs.console import SCHEMA
from fingerpost.jobs.provenance import KEY, line, provenance

Row = Mapping[str, Any]

ENDINGS = {"svg", "png"}, {"csv", "parquet"}, {"json", "jsonl"}
"""Of pictures, of tables, and of the other files."""

NEEDS = {"svg": "matplotlib", "png": "matplotlib", "parquet": "pyarrow"}
"""Packages that only some files need."""


def check(path: Path) -> None:
    """See whether a file can be written, as far as one can see.

    Raises
    ------
    ValueError
        If `path` is something that must not be replaced, a directory or a device, or its folder is
        not there: it is not made, for it may be misspelt.
    """
    if path.exists() and not path.is_file():
        raise ValueError(f"{path}: is no file, so it cannot be written")
    if not path.parent.is_dir():
        raise ValueError(f"{path}: there is no folder {path.parent}; make it first")


def check_folder(path: Path) -> None:
    """See whether a folder is one, or can be made.

    Raises
    ------
    ValueError
        If `path`, or what it should be in, is there and no folder.
    """
    there = next(place for place in (path, *path.parents, Path("/")) if place.exists())
    if not there.is_dir():
        raise ValueError(f"{path}: {there} is no folder, so nothing can be written into it")


def write_text(path: Path, text: str) -> None:
    """Write a file of text, in UTF-8 and with line feeds; see `write`."""
    how = {"encoding": "utf-8", "errors": "backslashreplace", "newline": "\n"}
    write(path, lambda scratch: scratch.write_text(text, **how))


def write(path: Path, fill: Callable[[Path], object]) -> None:
    """Let `fill` write a file beside `path`, which then takes its place.

    Raises
    ------
    ValueError
        If it cannot be written, see `check`.
    OSError
        If the disk is full, or may not be written on.
    """
    asked, path = path, path.resolve()  # a link stays a link
    check(path)
    scratch = path.with_name(f".{path.stem[:100]}.{token_hex(4)}{path.suffix}")
    try:
        with naming(asked):
            fill(scratch)
            scratch.replace(path)
    finally:
        with suppress(OSError):  # a file system that may not be written on refuses this, too
            scratch.unlink()


@dataclass(frozen=True)
class Output:
    """The files of a sweep or a survey: NAME.svg, NAME.csv, NAME.json, and NAME.jsonl, its state.

    Examples
    --------
    >>> Output.called(Path("curves.png"), picture="svg", table="csv")
    Output(name=PosixPath('curves'), picture='png', table='csv')
    """

    name: Path
    """Without an ending."""
    picture: str
    table: str
    """The endings of these two."""

    @classmethod
    def called(cls, output: Path, *, picture: str, table: str) -> Self:
        """Return the files that are called `output`, and see whether they can be written.

        It may be the name of one of them, whose suffix then gives its kind.

        Raises
        ------
        ValueError
            See `check`.
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


def check_names(what: str, names: Sequence[str]) -> None:
    """Refuse two networks of one name, whose rows could not be told apart.

    Raises
    ------
    ValueError
        If there are two.
    """
    for name in names:
        if names.count(name) > 1:
            raise ValueError(
                f"{what} needs networks of different names, not {name} twice; change the key name "
                "in one of the files"
            )

"""What `fingerpost reproduce` compares: cells of printed tables and figures, beside ours."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from functools import cache
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

import yaml

PAPERS = (
    "vertex_transitivity_1992",
    "two_phase_1995",
    "star_connected_cycles_1995",
    "kyklos_1988",
    "super_rotator_1996",
    "hwang_wright",
)
"""The modules of the papers."""

Value = int | float | str

Ours = tuple[str, str, Value]
"""Row and column of a cell that is printed, and what fingerpost computes."""


def same(printed: str, ours: Value) -> bool:
    """Return whether `ours` is what is printed, to the digits that are printed."""
    try:
        wanted, found = Decimal(printed), Decimal(str(float(ours)))
    except (InvalidOperation, ValueError):
        return printed == str(ours)
    exponent = wanted.as_tuple().exponent
    assert isinstance(exponent, int)  # no table prints an infinity
    half = Decimal(5).scaleb(exponent - 1)
    return abs(found - wanted) <= half + Decimal("1e-9")


@dataclass(frozen=True)
class Cell:
    """One cell of a table, or one value read off a figure."""

    row: str
    column: str
    """Where it stands."""
    printed: str
    """What the paper says, as printed: the number of its digits is the precision."""
    ours: Value
    """What fingerpost computes."""
    corrected: str | None = None
    """What should have been printed, where the paper is known to be wrong."""
    reason: str = ""
    """Why the paper is wrong there; goes with `corrected`."""

    @property
    def verdict(self) -> str:
        """Return ``equal``, ``explained`` (ours is the correction) or ``unexplained``."""
        if same(self.printed, self.ours):
            return "equal"
        if self.corrected is not None and self.reason and same(self.corrected, self.ours):
            return "explained"
        return "unexplained"


@dataclass(frozen=True)
class Item:
    """A table, figure, theorem or example of a paper."""

    name: str
    """The paper and the item, such as ``two-phase-1995/table-3``."""
    title: str
    """What it is about."""
    cells: Callable[[bool], Iterable[Cell]]
    """Computes the cells. Called with False it leaves out what takes more than a few seconds."""
    draw: Callable[[Path], None] | None = None
    """Draws it into an SVG file."""


@dataclass(frozen=True)
class Printed:
    """An item as printed."""

    title: str
    cells: dict[tuple[str, str], str] = field(default_factory=dict)
    """What stands in a row and column."""
    corrected: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    """What should stand there, and why, where the paper is wrong."""

    def row(self, name: str) -> list[str]:
        """Return the cells of a row."""
        return [text for (row, _), text in self.cells.items() if row == name]

    def cell(self, row: str, column: str, ours: Value) -> Cell:
        """Return a cell beside ours."""
        wrong = self.corrected.get((row, column), (None, ""))
        return Cell(row, column, self.cells[row, column], ours, *wrong)


@cache
def _file() -> dict[str, Any]:
    text = Path(__file__).with_name("printed.yaml").read_text(encoding="utf-8")
    read: dict[str, Any] = yaml.load(text, yaml.CSafeLoader)
    return read


@cache
def printed(name: str) -> Printed:
    """Return an item of `printed.yaml`, which tells how it is written there."""
    about = _file()[name]
    cells = {
        (row, column): text
        for row, columns in about.get("cells", {}).items()
        for column, text in columns.items()
    }
    for table in about.get("tables", ()):
        lines = ([cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines())
        _, *columns = next(lines)
        cells |= {
            (row, column): text
            for row, *texts in lines
            for column, text in zip(columns, texts, strict=True)
        }
    wrong = {(row, column): (text, why) for row, column, text, why in about.get("corrected", ())}
    return Printed(about["title"], cells, wrong)


Computes = Callable[..., Iterable[Ours | Cell]]
"""Computes what is beside the cells that are printed, or cells where formulas are. Where that may
take more than a few seconds, it is called with whether it may."""


def item(name: str, ours: Computes, draw: Callable[[Path], None] | None = None) -> Item:
    """Return an item."""
    given = signature(ours).parameters

    def cells(full: bool) -> Iterator[Cell]:
        for each in ours(full) if given else ours():
            yield each if isinstance(each, Cell) else printed(name).cell(*each)

    return Item(name, printed(name).title, cells, draw)


def items() -> list[Item]:
    """Return the items of all papers."""
    modules = (import_module(f"fingerpost.papers.{paper}") for paper in PAPERS)
    return [each for module in modules for each in module.ITEMS]

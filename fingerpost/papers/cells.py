"""What `fingerpost reproduce` compares: cells of printed tables and figures, beside ours."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path

Value = int | float | str


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
    """One cell of a table, or one value read off a figure.

    Parameters
    ----------
    row, column : str
        Where it stands.
    printed : str
        What the paper says, as printed: the number of its digits is the precision.
    ours : int, float or str
        What fingerpost computes.
    corrected : str, optional
        What should have been printed, where the paper is known to be wrong.
    reason : str
        Why the paper is wrong there; goes with `corrected`.
    """

    row: str
    column: str
    printed: str
    ours: Value
    corrected: str | None = None
    reason: str = ""

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
    """A table, figure, theorem or example of a paper.

    Parameters
    ----------
    name : str
        The paper and the item, such as ``two-phase-1995/table-3``.
    title : str
        What it is about.
    cells : callable
        Computes the cells. Called with False it leaves out what takes more than a few seconds.
    draw : callable, optional
        Draws it into an SVG file.
    """

    name: str
    title: str
    cells: Callable[[bool], Iterable[Cell]]
    draw: Callable[[Path], None] | None = None

from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from fingerpost.papers.cells import Item, same
from fingerpost.papers.hwang_wright import ITEMS, equation_2_1

CELLS = {
    "figure-1": (3, 3),
    "theorem-2.1": (4 * 7 + 2, 4 * 7 + 2 * 3),
    "definition": (4, 4),
    "chordal-ring": (4 * 2, 4 * 3),
}
"""How many cells an item has, quick and in full."""


def paper_item(item: Item) -> str:
    paper, name = item.name.split("/")
    assert paper == "hwang-wright"
    return name


def test_every_item_is_counted() -> None:
    assert [paper_item(item) for item in ITEMS] == list(CELLS)


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("item", ITEMS, ids=paper_item)
def test_cells_are_as_printed_or_explained(item: Item, full: bool) -> None:
    cells = list(item.cells(full))
    assert len(cells) == CELLS[paper_item(item)][full]
    assert len({(cell.row, cell.column) for cell in cells}) == len(cells)
    verdict = "explained" if paper_item(item) == "definition" else "equal"
    for cell in cells:
        assert cell.verdict == verdict, cell
        assert cell.corrected is None or not same(cell.printed, cell.corrected)


def test_the_printed_formula_by_hand() -> None:
    half = Fraction(1, 2)
    assert equation_2_1(3, half, half, half, half) == Fraction(3, 32) + Fraction(18, 512)
    assert equation_2_1(2, half, half, half, half) == Fraction(1, 4) * Fraction(9, 16)


@pytest.mark.parametrize("item", [item for item in ITEMS if item.draw], ids=paper_item)
def test_figures_are_the_same_svg_every_time(item: Item, tmp_path: Path) -> None:
    assert item.draw is not None
    for name in ("one.svg", "two.svg"):
        item.draw(tmp_path / name)
    drawn = (tmp_path / "one.svg").read_bytes()
    assert drawn == (tmp_path / "two.svg").read_bytes()
    assert ET.fromstring(drawn).tag == "{http://www.w3.org/2000/svg}svg"

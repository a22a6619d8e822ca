import re
from pathlib import Path

import pytest

from fingerpost.papers.cells import Cell, Item, same
from fingerpost.papers.two_phase_1995 import ITEMS

CELLS = {
    "section-2": (2, 3),
    "table-1": (26, 26),
    "example": (10, 10),
    "figure-2": (6, 6),
    "section-5": (12, 12),
    "table-3": (2 + 16 * 4, 2 + 16 * 4),
    "table-4": (2 + 8 * 4, 2 + 16 * 4),
    "figure-3": (6, 6),
    "figure-4": (2, 6),
}
"""How many cells an item has, quick and in full."""

EXPLAINED = {
    ("section-2", "n = 38764"): "12",
    ("section-5", "p = 7"): "14",
}


def paper_item(item: Item) -> str:
    paper, name = item.name.split("/")
    assert paper == "two-phase-1995"
    return name


def check(item: Item, *, full: bool) -> None:
    name = paper_item(item)
    cells = list(item.cells(full))
    assert len(cells) == CELLS[name][full]
    assert len({(cell.row, cell.column) for cell in cells}) == len(cells)
    for cell in cells:
        assert cell.verdict != "unexplained", cell
        if cell.corrected is not None:
            assert EXPLAINED[name, cell.row] == cell.corrected
            assert cell.verdict == "explained"
            assert not same(cell.printed, cell.corrected)


def test_every_item_is_counted() -> None:
    assert [paper_item(item) for item in ITEMS] == list(CELLS)


@pytest.mark.parametrize("item", ITEMS, ids=paper_item)
def test_cells_are_as_printed_or_explained(item: Item) -> None:
    check(item, full=False)


@pytest.mark.regress
@pytest.mark.parametrize("item", ITEMS, ids=paper_item)
def test_all_cells_are_as_printed_or_explained(item: Item) -> None:
    check(item, full=True)


def find(name: str) -> Item:
    return next(item for item in ITEMS if paper_item(item) == name)


def test_cells_of_table_3_in_full() -> None:
    # Read off the printed page once more, cell by cell, set 2.
    cells = {cell.row: cell for cell in find("table-3").cells(True) if cell.column == "set 2"}
    assert {row: cell.printed for row, cell in cells.items()} == {
        "t1": "7", "t2": "8", "D": "8", "avg": "5.74", "D1": "6", "D2": "7",
        "CR d=1 max": "39", "CR d=1 avg": "18.40", "CR d=2 max": "32", "CR d=2 avg": "14.17",
        "CR d=3 max": "26", "CR d=3 avg": "10.83", "CR d=4 max": "17", "CR d=4 avg": "7.33",
        "two-phase max": "13", "two-phase avg": "8.12",
    }  # fmt: skip


def test_a_wrong_figure_would_be_noticed() -> None:
    cell = next(cell for cell in find("table-3").cells(True) if cell.row == "CR d=4 avg")
    assert cell.verdict == "equal"
    wrong = Cell(cell.row, cell.column, "6.66", cell.ours)
    assert wrong.verdict == "unexplained"


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("figure-2", {"q", "2q", "6q", "A"}),
        (
            "figure-3",
            {
                "shortest",
                "two-phase",
                "CR d=1",
                "CR d=4",
                "average as printed",
                "path length (hops)",
                "nodes at this path length",
            },
        ),
    ],
)
def test_figures(name: str, texts: set[str], tmp_path: Path) -> None:
    draw = find(name).draw
    assert draw is not None
    for file in ("a.svg", "b.svg"):
        draw(tmp_path / file)
    svg = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert texts <= set(re.findall(r"<!-- (.*?) -->", svg))
    assert svg == (tmp_path / "b.svg").read_text(encoding="utf-8")


def test_only_figures_are_drawn() -> None:
    drawn = [paper_item(item) for item in ITEMS if item.draw is not None]
    assert drawn == ["figure-2", "figure-3", "figure-4"]

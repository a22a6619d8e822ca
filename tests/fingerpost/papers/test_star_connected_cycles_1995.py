from pathlib import Path

import pytest

from fingerpost.papers.cells import Item, same
from fingerpost.papers.star_connected_cycles_1995 import ITEMS

CELLS = {
    "section-2": (4 * 5 + 6, 4 * 5 + 7),
    "section-3": (4, 4),
    "section-4": (8, 8),
    "table-1": (7 * 6, 7 * 7),
    "table-2": (5 * 6, 5 * 7),
    "figure-4": (2 * 6, 2 * 7),
    "figure-5": (6, 7),
    "figure-6": (0, 4),
}
"""How many cells an item has, quick and in full."""

EXPLAINED = {
    ("section-2", "local links", "n = 3"): "6",
    ("table-1", "diameter", "n = 7"): "30",
    ("table-1", "diameter", "n = 9"): "48",
    ("table-1", "local links", "n = 9"): "18.095",
    ("table-1", "average distance", "n = 9"): "26.146",
    ("table-2", "minimal", "n = 9"): "26.146",
    ("table-2", "greedy", "n = 4"): "5.306",
    ("table-2", "greedy", "n = 9"): "26.571",
    ("table-2", "random, simulated", "n = 3"): "3.083",
    ("table-2", "random, simulated", "n = 6"): "12.859",
}


def paper_item(item: Item) -> str:
    paper, name = item.name.split("/")
    assert paper == "star-connected-cycles-1995"
    return name


def check(item: Item, *, full: bool) -> None:
    name = paper_item(item)
    cells = list(item.cells(full))
    assert len(cells) == CELLS[name][full]
    assert len({(cell.row, cell.column) for cell in cells}) == len(cells)
    for cell in cells:
        assert cell.verdict != "unexplained", cell
        expected = EXPLAINED.get((name, cell.row, cell.column))
        assert cell.corrected == expected
        assert cell.verdict == ("equal" if expected is None else "explained")
        assert expected is None or not same(cell.printed, expected)


def test_every_item_is_counted() -> None:
    assert [paper_item(item) for item in ITEMS] == list(CELLS)


@pytest.mark.parametrize("item", ITEMS, ids=paper_item)
def test_cells_are_as_printed_or_explained(item: Item) -> None:
    check(item, full=False)


@pytest.mark.regress
@pytest.mark.parametrize("item", ITEMS, ids=paper_item)
def test_all_cells_are_as_printed_or_explained(item: Item) -> None:
    check(item, full=True)


@pytest.mark.regress
@pytest.mark.parametrize("item", [item for item in ITEMS if item.draw], ids=paper_item)
def test_figures_are_drawn_the_same_every_time(item: Item, tmp_path: Path) -> None:
    assert item.draw is not None
    for name in ("one.svg", "two.svg"):
        item.draw(tmp_path / name)
    first, second = ((tmp_path / name).read_bytes() for name in ("one.svg", "two.svg"))
    assert first == second
    assert b"<svg" in first

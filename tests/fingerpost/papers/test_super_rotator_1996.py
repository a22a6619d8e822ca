from collections import Counter
from pathlib import Path

import pytest

from fingerpost.papers.cells import Item, same
from fingerpost.papers.super_rotator_1996 import ITEMS

CELLS = {
    "figure-1": 4 * 4 + 3 + 2 + 4 + 1,
    "figure-2": 3,
    "figure-3": 2 + 4 + 1,
    "example-1": 3 + 2 + 1 + 4 + 2,
    "example-2": 3 + 5 + 4 + 10,
    "theorem-1": 6,
    "theorem-2": 8,
    "theorem-3": 3,
    "theorem-4": 118,
    "theorem-5": 2 * 118,
    "theorem-6": 3,
}

# N below 120 where no class with links A has a class below it: N = 6..10, 12, 18, ...
BELOW_THE_BOUND = [2, 3, 4, *range(6, 11), 12, 18, *range(24, 29), *range(30, 35), 36, 42]
BELOW_THE_BOUND += [48, 72, 96]


def name(item: Item) -> str:
    paper, name = item.name.split("/")
    assert paper == "super-rotator-1996"
    return name


def check(item: Item, full: bool) -> Counter[str]:
    cells = list(item.cells(full))
    assert len({(cell.row, cell.column) for cell in cells}) == len(cells)
    for cell in cells:
        assert cell.verdict != "unexplained", cell
        if cell.corrected is not None:
            assert cell.reason
            assert not same(cell.printed, cell.corrected)
    return Counter(cell.verdict for cell in cells)


def test_items_are_those_of_the_paper() -> None:
    assert [name(item) for item in ITEMS] == list(CELLS)


@pytest.mark.parametrize("item", ITEMS, ids=name)
def test_every_cell_is_equal_or_explained(item: Item) -> None:
    verdicts = check(item, full=False)
    assert verdicts.total() == CELLS[name(item)]
    if name(item) == "theorem-5":
        assert verdicts["explained"] == 2 * len(BELOW_THE_BOUND)
    else:
        assert verdicts["explained"] == (name(item) == "figure-3")


@pytest.mark.regress
@pytest.mark.parametrize("item", ITEMS, ids=name)
def test_every_cell_in_full(item: Item) -> None:
    assert check(item, full=True).total() >= CELLS[name(item)]


def test_theorem_5_is_a_bound_where_errata_say() -> None:
    (item,) = (item for item in ITEMS if name(item) == "theorem-5")
    rows = {cell.row for cell in item.cells(False) if cell.verdict == "explained"}
    assert rows == {f"N = {nodes}" for nodes in BELOW_THE_BOUND}


@pytest.mark.parametrize("item", [item for item in ITEMS if item.draw], ids=name)
def test_figures(item: Item, tmp_path: Path) -> None:
    assert item.draw is not None
    drawn = []
    for path in (tmp_path / "a.svg", tmp_path / "b.svg"):
        item.draw(path)
        drawn.append(path.read_text())
    assert drawn[0] == drawn[1]
    assert "<svg" in drawn[0]

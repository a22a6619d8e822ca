import re
from pathlib import Path

import pytest

from fingerpost.papers.cells import Item, same
from fingerpost.papers.kyklos_1988 import ITEMS

BY_NAME = {item.name: item for item in ITEMS}
WRONG_IN_PRINT = {  # by item, how many cells
    "kyklos-1988/section-2": 10,
    "kyklos-1988/section-6": 13,
    "kyklos-1988/appendix-c": 26,
}


def test_items() -> None:
    assert [name.removeprefix("kyklos-1988/") for name in BY_NAME] == [
        "table-1", "table-2", "table-3", "table-b-1", "section-2", "section-4", "section-5",
        "example-1", "example-2", "section-6", "section-7", "appendix-c",
        "figure-1", "figure-2", "figure-3", "figure-4",
    ]  # fmt: skip


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.name)
def test_every_cell_is_equal_or_explained(item: Item) -> None:
    cells = list(item.cells(False))
    assert cells
    assert [cell for cell in cells if cell.verdict == "unexplained"] == []
    explained = [cell for cell in cells if cell.verdict == "explained"]
    assert len(explained) == WRONG_IN_PRINT.get(item.name, 0)
    assert len({(cell.row, cell.column) for cell in cells}) == len(cells)
    for cell in cells:
        assert (cell.corrected is None) == (cell.verdict == "equal")
        if cell.corrected is not None:
            assert not same(cell.printed, float(cell.corrected))


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("table-1", 6 * 6 + 6 * 4),
        ("table-2", 64),
        ("table-3", 6 * 5 + 5 * 4),
        ("table-b-1", 3 * 6 * 7 + 7 + 3),
    ],
)
def test_every_printed_cell_is_there(name: str, count: int) -> None:
    assert len(list(BY_NAME[f"kyklos-1988/{name}"].cells(True))) == count


@pytest.mark.parametrize(("figure", "branches"), [(1, 15), (2, 30), (3, 30)])
def test_figures_show_all_nodes(figure: int, branches: int, tmp_path: Path) -> None:
    path = tmp_path / "figure.svg"
    draw = BY_NAME[f"kyklos-1988/figure-{figure}"].draw
    assert draw is not None
    draw(path)
    svg = path.read_text()
    # The text of every label is in a comment: 16 leaves, and as many nodes over them.
    labels = [int(label) for label in re.findall(r"<!-- (\d+) -->", svg)]
    levels = list(range(5)) + list(range(1, 5)) * (branches // 15 - 1)
    places = [o for v in range(1, 5) for o in range(2 ** (4 - v))] * (branches // 15)
    assert sorted(labels) == sorted([*range(16), *places, *levels])
    assert set(re.findall(r"<!-- (span \d+) -->", svg)) == {f"span {2**z}" for z in range(4)}
    again = tmp_path / "again.svg"
    draw(again)
    assert again.read_text() == svg

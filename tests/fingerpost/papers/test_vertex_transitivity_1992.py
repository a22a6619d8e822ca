from pathlib import Path

import pytest

from fingerpost.papers.cells import Item
from fingerpost.papers.vertex_transitivity_1992 import ITEMS

COUNTS = {"example": 5 + 3 * 4, "figure-2": 20 * 4, "paths": 1 + 3, "table-3": 4 * 3 + 4}


def test_items_are_those_of_the_paper() -> None:
    assert [item.name for item in ITEMS] == [f"vertex-transitivity-1992/{name}" for name in COUNTS]


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.name)
@pytest.mark.parametrize("full", [False, True])
def test_every_cell_is_as_printed(item: Item, full: bool) -> None:
    cells = list(item.cells(full))
    assert len(cells) == COUNTS[item.name.split("/")[1]]
    assert {cell.verdict for cell in cells} == {"equal"}
    assert {cell.corrected for cell in cells} == {None}
    assert len({(cell.row, cell.column) for cell in cells}) == len(cells)


def test_figure_2_is_drawn(tmp_path: Path) -> None:
    (item,) = (item for item in ITEMS if item.draw is not None)
    assert item.draw is not None
    drawings = [tmp_path / "one.svg", tmp_path / "two.svg"]
    for drawing in drawings:
        item.draw(drawing)
    one, two = (drawing.read_bytes() for drawing in drawings)
    assert one == two
    assert one.startswith(b"<?xml")

"""All items of all papers: as many cells as are printed, each equal or explained; figures."""

import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from fingerpost.commands import reproduce as report
from fingerpost.papers.hwang_wright import equation_2_1
from fingerpost.papers.items import Cell, Item, items, same
from tests.fingerpost.common import Run

ITEMS = items()
BY_NAME = {item.name: item for item in ITEMS}

COUNTED = """
vertex-transitivity-1992  example 17, figure-2 80, paths 4, table-3 16
two-phase-1995            section-2 2..3, table-1 26, example 10, figure-2 6, section-5 12!1
two-phase-1995            table-3 66, table-4 34..66, figure-3 6, figure-4 2..6
star-connected-cycles-1995 section-2 26..27!1, section-3 4, section-4 8, table-1 42..49!1
star-connected-cycles-1995 table-2 30..35!3, figure-4 12..14, figure-5 6..7, figure-6 0..4
kyklos-1988               table-1 60, table-2 64, table-3 50, table-b-1 136, section-2 13!10
kyklos-1988               section-4 8, section-5 5, example-1 7, example-2 10, section-6 52!13
kyklos-1988               section-7 14, appendix-c 35!26, figure-1 4, figure-2 2
kyklos-1988               figure-3 2, figure-4 1
super-rotator-1996        figure-1 26, figure-2 3, figure-3 7!1, example-1 12, example-2 22
super-rotator-1996        theorem-1 6, theorem-2 8, theorem-3 3, theorem-4 118
super-rotator-1996        theorem-5 236!50, theorem-6 3
hwang-wright              figure-1 3, theorem-2.1 30..34, definition 4!4, chordal-ring 8..12
"""
"""Cells of each item: quick, or quick..full; behind "!" those wrong in print, when quick."""

LONG = (*(f"super-rotator-1996/theorem-{number}" for number in (1, 2, 6)), "two-phase-1995/table-4")
"""Long; `make test` has them in tests/golden/analysis."""

CORRECTED = {
    ("two-phase-1995/section-2", "n = 38764"): "12",
    ("two-phase-1995/section-5", "p = 7"): "14",
    ("star-connected-cycles-1995/section-2", "local links", "n = 3"): "6",
    ("star-connected-cycles-1995/table-1", "diameter", "n = 7"): "30",
    ("star-connected-cycles-1995/table-1", "diameter", "n = 9"): "48",
    ("star-connected-cycles-1995/table-1", "local links", "n = 9"): "18.095",
    ("star-connected-cycles-1995/table-1", "average distance", "n = 9"): "26.146",
    ("star-connected-cycles-1995/table-2", "minimal", "n = 9"): "26.146",
    ("star-connected-cycles-1995/table-2", "greedy", "n = 4"): "5.306",
    ("star-connected-cycles-1995/table-2", "greedy", "n = 9"): "26.571",
    ("star-connected-cycles-1995/table-2", "random, simulated", "n = 3"): "3.083",
    ("star-connected-cycles-1995/table-2", "random, simulated", "n = 6"): "12.859",
}
"""What docs/reference/errata.md says of cells of two papers."""

# N below 120 where no class with links A has a class below it: N = 6..10, 12, 18, ...
BELOW_THE_BOUND = [2, 3, 4, *range(6, 11), 12, 18, *range(24, 29), *range(30, 35), 36, 42]
BELOW_THE_BOUND += [48, 72, 96]


def counted() -> Iterator[tuple[str, int, int, int]]:
    """Yield of each item its name, and how many cells are quick, in full, and wrong in print."""
    for line in COUNTED.strip().splitlines():
        paper, _, items = line.partition(" ")
        for name, quick, full, wrong in re.findall(r"(\S+) (\d+)(?:\.\.(\d+))?(?:!(\d+))?", items):
            yield f"{paper}/{name}", int(quick), int(full or quick), int(wrong or 0)


def cases() -> list[Any]:
    """Return each item quick, and in full where that is more, or takes long."""
    long = pytest.mark.regress
    quick = [
        pytest.param(name, False, n, wrong, id=name, marks=[long] if name in LONG else [])
        for name, n, _, wrong in counted()
    ]
    more = [
        pytest.param(name, True, full, None, id=f"{name}-full", marks=long)
        for name, n, full, _ in counted()
        if full > n or name.startswith("super-rotator")
    ]
    return quick + more


def test_every_item_is_counted() -> None:
    assert [name for name, *_ in counted()] == [
        name for paper in dict.fromkeys(n.split("/")[0] for n, *_ in counted())
        for name in BY_NAME if name.startswith(f"{paper}/")
    ]  # fmt: skip
    assert {name for name, *_ in counted()} == {*BY_NAME}
    assert len(BY_NAME) == len(ITEMS)


@pytest.mark.parametrize(("name", "full", "count", "wrong"), cases())
def test_cells_are_as_printed_or_explained(
    name: str, full: bool, count: int, wrong: int | None
) -> None:
    cells = list(BY_NAME[name].cells(full))
    assert len(cells) >= count if name.startswith("super") and full else len(cells) == count
    assert len({(cell.row, cell.column) for cell in cells}) == len(cells)
    for cell in cells:
        assert cell.verdict == ("equal" if cell.corrected is None else "explained"), cell
        assert cell.corrected is None or not same(cell.printed, cell.corrected)
        if cell.corrected is not None and name.startswith(("two-phase", "star-connected")):
            known = CORRECTED.get((name, cell.row)) or CORRECTED[name, cell.row, cell.column]
            assert cell.corrected == known
    assert wrong is None or sum(cell.corrected is not None for cell in cells) == wrong


def test_theorem_5_is_a_bound_where_errata_say() -> None:
    cells = BY_NAME["super-rotator-1996/theorem-5"].cells(False)
    rows = {cell.row for cell in cells if cell.verdict == "explained"}
    assert rows == {f"N = {nodes}" for nodes in BELOW_THE_BOUND}


def test_cells_of_table_3_in_full() -> None:
    # Read off the printed page once more, cell by cell, set 2.
    cells = {c.row: c for c in BY_NAME["two-phase-1995/table-3"].cells(True) if c.column == "set 2"}
    assert {row: cell.printed for row, cell in cells.items()} == {
        "t1": "7", "t2": "8", "D": "8", "avg": "5.74", "D1": "6", "D2": "7",
        "CR d=1 max": "39", "CR d=1 avg": "18.40", "CR d=2 max": "32", "CR d=2 avg": "14.17",
        "CR d=3 max": "26", "CR d=3 avg": "10.83", "CR d=4 max": "17", "CR d=4 avg": "7.33",
        "two-phase max": "13", "two-phase avg": "8.12",
    }  # fmt: skip
    wrong = Cell("CR d=4 avg", "set 2", "7.34", cells["CR d=4 avg"].ours)
    assert wrong.verdict == "unexplained"


def test_the_printed_formula_of_hwang_and_wright_by_hand() -> None:
    half = Fraction(1, 2)
    assert equation_2_1(3, half, half, half, half) == Fraction(3, 32) + Fraction(18, 512)
    assert equation_2_1(2, half, half, half, half) == Fraction(1, 4) * Fraction(9, 16)


DRAWN = [item for item in ITEMS if item.draw is not None]
TEXTS = {
    "two-phase-1995/figure-2": {"q", "2q", "6q", "A"},
    "two-phase-1995/figure-3": {
        "shortest", "two-phase", "CR d=1", "CR d=4", "average as printed", "path length (hops)",
        "nodes at this path length",
    },
    **{f"kyklos-1988/figure-{n}": {f"span {2**z}" for z in range(4)} for n in (1, 2, 3)},
}  # fmt: skip


@pytest.mark.regress
@pytest.mark.parametrize(
    "item",
    [
        pytest.param(x, marks=[pytest.mark.regress] if x.name.startswith("star-connected") else [])
        for x in DRAWN
    ],
    ids=lambda item: item.name,
)
def test_figures_are_the_same_svg_every_time(item: Item, tmp_path: Path) -> None:
    assert item.draw is not None
    for name in ("one.svg", "two.svg"):
        item.draw(tmp_path / name)
    drawn = (tmp_path / "one.svg").read_text(encoding="utf-8")
    assert drawn == (tmp_path / "two.svg").read_text(encoding="utf-8")
    assert "<svg" in drawn
    assert TEXTS.get(item.name, set()) <= {*re.findall(r"<!-- (.*?) -->", drawn)}


@pytest.mark.parametrize(("figure", "trees"), [(1, 1), (2, 2), (3, 2)])
def test_figures_of_kyklos_show_all_nodes(figure: int, trees: int, tmp_path: Path) -> None:
    draw = BY_NAME[f"kyklos-1988/figure-{figure}"].draw
    assert draw is not None
    draw(tmp_path / "figure.svg")
    # The text of every label is in a comment: 16 leaves, as many nodes over them, and the levels.
    labels = re.findall(r"<!-- (\d+) -->", (tmp_path / "figure.svg").read_text(encoding="utf-8"))
    levels = [*range(5), *[*range(1, 5)] * (trees - 1)]
    places = [o for v in range(1, 5) for o in range(2 ** (4 - v))] * trees
    assert sorted(map(int, labels)) == sorted([*range(16), *places, *levels])


@pytest.mark.parametrize(
    ("printed", "ours", "equal"),
    [
        ("5.54", 5.545, True), ("5.54", 5.5349, False),  # rounding half either way
        ("7", 7.4, True), ("7", 7.6, False), ("-10", -10, True),
        ("A B", "A B", True), ("A B", "B A", False), ("yes", 1, False),
    ],
)  # fmt: skip
def test_equal_to_the_printed_digits(printed: str, ours: float | str, equal: bool) -> None:
    assert same(printed, ours) == equal


def test_only_the_correction_explains_a_difference() -> None:
    cell = Cell("row", "column", "31", 30, corrected="30", reason="by search")
    assert cell.verdict == "explained"
    assert Cell("row", "column", "31", 31, corrected="30", reason="by search").verdict == "equal"
    assert Cell("row", "column", "31", 29, corrected="30", reason="x").verdict == "unexplained"
    assert Cell("row", "column", "31", 30, corrected="30").verdict == "unexplained"
    assert Cell("row", "column", "31", 30).verdict == "unexplained"


def test_items_are_chosen_by_name_paper_or_pattern() -> None:
    names = [item.name for item in report.choose(ITEMS, ["*/table-3"])]
    assert names == ["vertex-transitivity-1992/table-3", "two-phase-1995/table-3",
                     "kyklos-1988/table-3"]  # fmt: skip
    assert all(i.name.startswith("hwang-wright/") for i in report.choose(ITEMS, ["hwang-wright"]))
    assert report.choose(ITEMS, []) == list(ITEMS)
    with pytest.raises(ValueError, match=r"^reproduce needs items among .*, not 'table-9'$"):
        report.choose(ITEMS, ["table-9"])


def test_command(run: Run, tmp_path: Path) -> None:
    ended = run("reproduce", "vertex-transitivity-1992", "--figures", tmp_path, "--json")
    assert (ended.status, ended.err) == (0, "")
    assert ended.json["unexplained"] == 0
    assert ended.json["equal"] == sum(item["equal"] for item in ended.json["items"]) == 117
    assert [path.name for path in tmp_path.iterdir()] == ["vertex-transitivity-1992-figure-2.svg"]
    shown = run("reproduce", "kyklos-1988/section-2").out
    assert "explained: level v has m^(n-v) nodes, not m^v" in shown
    listed = run("reproduce", "--list", "--json").json["items"]
    assert listed == [item.name for item in ITEMS]


def test_a_difference_is_told_and_ends_in_status_1(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = Item("paper/table", "a table", lambda full: [Cell("n = 4", "D", "8", 9)])
    monkeypatch.setattr("fingerpost.commands.reproduce.known", lambda: [wrong])
    ended = run("reproduce")
    assert ended.status == 1
    assert "  n = 4  D             8     9  unexplained" in ended.out

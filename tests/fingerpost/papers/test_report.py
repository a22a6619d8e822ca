from pathlib import Path

import pytest

from fingerpost.commands import reproduce as report
from fingerpost.papers.items import Cell, Item, items, same
from tests.fingerpost.common import Run

ITEMS = items()


@pytest.mark.parametrize(
    ("printed", "ours", "equal"),
    [
        ("5.54", 5.5407, True),
        ("5.54", 5.545, True),  # rounding half either way
        ("5.54", 5.5349, False),
        ("7", 7, True),
        ("7", 7.4, True),
        ("7", 7.6, False),
        ("-10", -10, True),
        ("A B", "A B", True),
        ("A B", "B A", False),
        ("yes", 1, False),
    ],
)
def test_equal_to_the_printed_digits(printed: str, ours: float | str, equal: bool) -> None:
    assert same(printed, ours) == equal


def test_only_the_correction_explains_a_difference() -> None:
    cell = Cell("row", "column", "31", 30, corrected="30", reason="by search")
    assert cell.verdict == "explained"
    assert Cell("row", "column", "31", 31, corrected="30", reason="by search").verdict == "equal"
    assert Cell("row", "column", "31", 29, corrected="30", reason="x").verdict == "unexplained"
    assert Cell("row", "column", "31", 30, corrected="30").verdict == "unexplained"
    assert Cell("row", "column", "31", 30).verdict == "unexplained"


def test_names_of_items_are_unique() -> None:
    assert len({item.name for item in ITEMS}) == len(ITEMS)


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

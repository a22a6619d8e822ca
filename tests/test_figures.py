"""The page of measurements is what the command writes, and its rows can be measured again."""

import json
import sys
from typing import Any

import pytest

from benchmarks import figures

ROWS = figures.read()

SAVED: dict[str, Any] = json.loads(figures.SAVED.read_text(encoding="utf-8"))


def test_the_page_is_what_the_command_writes() -> None:
    written = figures.PAGE.read_text(encoding="utf-8")
    assert figures.text(ROWS, SAVED) == written, "run `python -m benchmarks.figures`"


def test_each_row_has_a_figure_with_day_and_commit() -> None:
    assert {*SAVED["rows"]} == {row.name for row in ROWS}
    for name, found in SAVED["rows"].items():
        assert found["figure"] or found["table"], name
        assert len(found["date"]) == 10, name
        assert len(found["commit"].rstrip("+")) == 8, name


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_tables_have_the_columns_of_the_row(row: figures.Row) -> None:
    widths = {len(line) for line in SAVED["rows"][row.name].get("table", [])}
    assert widths <= {len(row.columns)}
    assert bool(row.each) == bool(row.columns)


def test_a_row_is_made_of_the_answer_of_its_command(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = "import json; print(json.dumps({'rows': [{'n': 1, 'v': 0.25}, {'n': 2, 'v': 0.5}]}))"
    row = figures.Row(
        "one", "Section", "what", f'{sys.executable} -c "{program}"', 0.1,
        figure="{{ answer.rows | length }} rows",
        each="answer.rows",
        columns={"n": "{{ row.n }}", "v": "{{ '%.1f' | format(row.v) }}"},
    )  # fmt: skip
    found = figures.measure(row)
    assert found["figure"] == "2 rows"
    assert found["table"] == [["1", "0.2"], ["2", "0.5"]]
    assert found["commit"] == figures.commit()
    saved = {"rows": {"one": found}, "machine": "a machine"}
    page = figures.text([row], saved)
    assert f"{found['date']}, {found['commit']}" in page
    assert "\n| 2 | 0.5 |\n" in page
    for name, path in (("SAVED", tmp_path / "s.json"), ("PAGE", tmp_path / "page.md")):
        monkeypatch.setattr(figures, name, path)
    figures.SAVED.write_text(json.dumps(saved))
    monkeypatch.setattr(figures, "read", lambda: [row])
    monkeypatch.setattr(figures, "commit", lambda: "ffffffff")
    monkeypatch.setattr(sys, "argv", ["figures", "--minutes", "1"])
    figures.main()
    assert json.loads(figures.SAVED.read_text())["rows"]["one"]["commit"] == "ffffffff"
    # What was measured at this commit is not measured again, so an interrupted run resumes.
    monkeypatch.setattr(figures, "measure", lambda row: pytest.fail(row.name))
    figures.main()

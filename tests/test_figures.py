"""The page of measurements is what the command writes, and its rows can be measured again."""

import json
import sys
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from benchmarks import figures
from benchmarks.booksim import TERMINAL_LINKS, lowest, main, stable
from fingerpost.netfile.source import load_any

ROWS = figures.read()

SAVED: dict[str, Any] = json.loads(figures.SAVED.read_text(encoding="utf-8"))


def test_the_page_is_what_the_command_writes() -> None:
    written = figures.PAGE.read_text(encoding="utf-8")
    assert figures.text(ROWS, SAVED) == written, "run `python -m benchmarks.figures`"


def test_each_row_has_a_figure_with_day_and_commit_and_its_columns() -> None:
    assert {*SAVED["rows"]} == {row.name for row in ROWS}
    for row in ROWS:
        found = SAVED["rows"][row.name]
        assert found["figure"] or found["table"], row.name
        assert (len(found["date"]), len(found["commit"].rstrip("+"))) == (10, 8), row.name
        assert {len(line) for line in found.get("table", [])} <= {len(row.columns)}, row.name
        assert bool(row.each) == bool(row.columns), row.name


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


DATA = Path(__file__).parents[1] / "docs/validation/booksim-2026-11-28.json"
CASES: list[dict[str, Any]] = json.loads(DATA.read_text())["networks"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: Path(case["network"]).stem)
def test_booksim_counts_three_cycles_a_router_and_two_links(case: dict[str, Any]) -> None:
    topology = load_any(DATA.parent / case["network"]).topology
    graph = nx.Graph(
        (node, int(other)) for node, row in enumerate(topology.neighbour) for other in row[row >= 0]
    )
    nodes = case["terminals"]
    assert nodes == len(graph)
    hops = nx.average_shortest_path_length(graph) * (nodes - 1) / nodes  # to the source too
    first, *others = case["points"]
    assert first["load"] == 0.01
    assert first["latency"] == pytest.approx(3 * (hops + 1) + TERMINAL_LINKS, rel=0.01)
    loads = [point["load"] for point in case["points"]]
    assert loads == sorted(loads)
    kept = [stable(point, nodes, case["cycles"]) for point in case["points"]]
    assert kept == sorted(kept, reverse=True)
    latencies = [first["latency"], *(point["latency"] for point in others)]
    assert latencies == sorted(latencies)


def test_tables_are_those_of_booksim() -> None:
    """Next hops of router 0, as BookSim's `AnyNet::route` printed them, by destination."""
    topology = load_any(DATA.parent / "random-40.yaml").topology
    hops = lowest(topology)
    printed = (
        "36 19 19 19 19 19 9 19 9 32 32 36 36 19 9 9 19 19 19 36 "
        "36 36 36 32 32 32 32 19 32 9 19 32 32 19 36 36 36 9 32"
    )
    assert topology.neighbour[0, hops[1:, 0]].tolist() == [int(x) for x in printed.split()]


def test_both_are_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "both.svg"
    main([str(DATA), "random-40", "--cycles", "300", "-o", str(picture), "--json"])
    curves = json.loads(capsys.readouterr().out)["curves"]
    theirs, equal, file = curves
    assert [curve["network"] for curve in curves] == ["random-40"] * 3
    assert [len(curve["points"]) > 3 for curve in curves] == [True] * 3
    assert theirs["stable"] == 0.55
    assert equal["zero_load"] == pytest.approx(theirs["zero_load"], rel=0.1)
    assert picture.read_text().count("<title>") == 1
    assert file["zero_load"] < equal["zero_load"] * 0.75  # two cycles a hop, not three
    assert file["accepted_at_1"] > equal["accepted_at_1"]

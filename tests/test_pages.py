"""Pages of the docs: commands print what they show, links lead somewhere, pictures are there.

Of the pictures of README.md the first follows from its data, and commands print the second. The
page of measurements is what its command writes, and its rows can be measured again.
"""

import json
import os
import re
import subprocess
import sys
from html import unescape
from itertools import accumulate
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from benchmarks import figures
from benchmarks.booksim import TERMINAL_LINKS, lowest, main, stable
from fingerpost.drawing.picture import DARK, adapting
from fingerpost.drawing.timing import Diagram, Trace, row, svg
from fingerpost.netfile.source import load_any
from scripts import pages, readme
from scripts.pictures import PICTURES, SHOWN, described, title
from scripts.waves.diagrams import DEPTH, DIAGRAMS
from tests.fingerpost.common import without_progress

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


def blocks(text: str) -> list[tuple[str, str]]:
    """The blocks of commands, each with the lines that the page shows behind it."""
    found = re.findall(r"^```(sh|text)\n(.*?)^```$", text, flags=re.M | re.S)
    said = [body if kind == "text" else "" for kind, body in [*found[1:], ("sh", "")]]
    return [(body, shown) for (kind, body), shown in zip(found, said, strict=True) if kind == "sh"]


def agree(shown: str, printed: str) -> bool:
    """Whether lines were printed as shown, `...` being whatever is left out."""
    parts = [re.escape(part) for part in shown.rstrip().split("...")]
    lines = "\n".join(line.rstrip() for line in printed.splitlines())
    return re.search(f"^{'.*?'.join(parts)}$", lines, flags=re.M | re.S) is not None


def run(command: list[str], folder: Path) -> str:
    """Run a command in a folder where `fingerpost` is that of this checkout; return its words."""
    tools = folder.parent / "bin"
    tools.mkdir(exist_ok=True)
    program = tools / "fingerpost"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m fingerpost "$@"\n')
    program.chmod(0o755)
    folder.mkdir(exist_ok=True)
    path = f"{tools}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    ended = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "COLUMNS": "80"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, f"{command[-1]}{ended.stdout}"
    return without_progress(ended.stdout)


@pytest.mark.regress
@pytest.mark.parametrize(("page", "count"), [("tutorial", 17), ("explanation/theory", 4)])
def test_commands_print_what_the_page_shows(tmp_path: Path, page: str, count: int) -> None:
    found = blocks((DOCS / f"{page}.md").read_text(encoding="utf-8"))
    assert len(found) == count
    for commands, shown in found:
        printed = run(["bash", "-euc", commands], tmp_path / "empty")
        assert not shown or agree(shown, printed), f"{commands}{printed}"
    if page == "tutorial":
        assert (tmp_path / "empty/verilog/eight_network.v").exists()
        # Matplotlib names clip paths by the last bits of floats, which depend on the processor.
        drawn, shown = (
            re.sub(r"\bp[0-9a-f]{10}\b", "", picture.read_text(encoding="utf-8"))
            for picture in (tmp_path / "empty/eight.svg", DOCS / "tutorial.svg")
        )
        assert drawn == shown


@pytest.mark.regress
def test_the_page_on_python(tmp_path: Path) -> None:
    text = (DOCS / "reference/python.md").read_text(encoding="utf-8")
    parts = re.findall(r"^```python\n(.*?)^```$", text, flags=re.M | re.S)
    assert len(parts) == 4
    page = tmp_path / "page.md"
    page.write_text("".join(parts))
    run(["fingerpost", "examples", "-o", "networks"], tmp_path / "empty")
    run([sys.executable, "-m", "doctest", str(page)], tmp_path / "empty")


@pytest.mark.regress
def test_the_notebook(tmp_path: Path) -> None:
    """Its cells run one after another, and its Verilog has the links of its graph."""
    empty = tmp_path / "empty"
    run([sys.executable, "-c", pages.program()], empty)
    saved = json.loads((empty / "curves.json").read_text(encoding="utf-8"))
    assert [curve["network"] for curve in saved["curves"]] == ["mine", "torus"]
    manifest = json.loads((empty / "verilog/mine.json").read_text(encoding="utf-8"))
    graph = nx.random_regular_graph(4, 16, seed=2)
    found = {(link["node"], link["to_node"]) for link in manifest["links"]}
    assert found == {*graph.to_directed().edges}


def test_the_page_of_the_notebook_has_its_cells() -> None:
    page = pages.notebook()
    assert all(text in page for _, text in pages.cells())
    assert page.startswith("# Your own graph")


PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def anchors(page: Path) -> set[str]:
    """The names of the headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), flags=re.M)
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {heading.replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere_and_pictures_say_what_they_show(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if link.startswith(("http://", "https://")):
            continue
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        assert target.exists(), f"{link} is not there"
        assert not anchor or anchor in anchors(target), f"{link} has no such heading"
    text = page.read_text(encoding="utf-8")
    assert described(page, text) == text, "run `make pictures`"
    for said, name in SHOWN.findall(text):
        assert len(said.split()) > 4, f"{name}: {said!r} does not say what it shows"
        assert title(page.parent / name)
        if "curves/" in name:  # the figures, too
            drawn = (page.parent / name).read_text(encoding="utf-8")
            for figure in re.findall(r"<!-- .*saturates at ([\d.]+) -->", drawn):
                assert f" {figure}" in said


def test_the_pictures_of_the_page_are_those_that_are_drawn() -> None:
    page = (ROOT / "docs/reference/networks.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"\]\(([^)]*\.svg)\)", page))
    assert {f"../pictures/{name}.svg" for name in PICTURES} >= shown - {"../borel-21.svg"}
    for file in shown:
        assert "</svg>" in (ROOT / "docs/reference" / file).read_text(encoding="utf-8")
    assert len(shown) == len(PICTURES)


def test_pictures_of_the_docs_follow_the_colour_scheme() -> None:
    pictures = sorted((ROOT / "docs").rglob("*.svg"))
    assert len(pictures) > 40
    for path in pictures:
        text = path.read_text(encoding="utf-8")
        assert f"<style>{DARK}</style>" in text[: text.index(">", text.index("<svg")) + 200], path
        # Their paper is in them, so that they are read wherever they are shown.
        assert re.search(r"(?i)fill(: |=\")#fff", text), path


@pytest.mark.parametrize("name", DIAGRAMS)
def test_timing_diagrams_are_what_the_hardware_does(name: str) -> None:
    drawn = (DOCS / f"design/waves/{name}.svg").read_text(encoding="utf-8")
    diagram = DIAGRAMS[name]()
    made = adapting(svg(diagram), diagram.title)
    assert made == drawn, "run `make waves`, and look at what has changed"
    page = (DOCS / "design/waves.md").read_text(encoding="utf-8")
    assert page.count(f"(waves/{name}.svg)") == 1
    assert {path.stem for path in (DOCS / "design/waves").iterdir()} == set(DIAGRAMS)


def test_a_flit_takes_two_cycles_and_uses_all_credits() -> None:
    link = DIAGRAMS["link"]()
    valid, credit = link.trace("link_valid"), link.trace("link_credit")
    assert valid.index(1) - link.trace("inject_valid").index(1) == 2
    before = (0, *credit[:-1])  # a credit counts in the cycle after its own
    taken = [*accumulate(int(a) - int(b) for a, b in zip(valid, before, strict=True))]
    assert (max(taken), taken[-1]) == (DEPTH, 0)
    assert [str(DEPTH - each) for each in taken] == list(link.trace("credits left"))
    # Flit and credit together take four cycles: so the fourth comes as long after the first.
    starts = [cycle for cycle, on in enumerate(valid) if on]
    assert [later - start for start, later in zip(starts, starts[3:], strict=False)] == [4, 4, 4]


def test_rows_of_diagrams() -> None:
    trace = Trace("x", (0, 0, 1, "", "H 1", "H 1", "2", "2", "T 3", 1, 1))
    drawn = {"name": "x", "wave": "0.1x3.4.51.", "data": ["H 1", "2", "T 3"]}
    assert row(trace) == drawn
    assert Diagram({"": (trace,)}).trace("x") == trace.seen


SESSION = (readme.ROOT / "docs/session.svg").read_text(encoding="utf-8")


INFO, GENERATE, _ = readme.SESSION


@pytest.mark.parametrize("command", [INFO, pytest.param(GENERATE, marks=pytest.mark.regress)])
def test_the_session_is_what_the_commands_print(
    command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = readme.ROOT / "networks/borel-21.yaml"
    (tmp_path / network.name).write_bytes(network.read_bytes())
    monkeypatch.chdir(tmp_path)
    shown = unescape(SESSION)
    assert f">$ fingerpost {' '.join(command)}<" in shown
    printed = readme.kept(readme.said(command), readme.SESSION[command])
    assert len(printed) > 3
    assert all(f">{line}<" in shown for line in printed)


ROWS = figures.read()

SAVED: dict[str, Any] = json.loads(figures.SAVED.read_text(encoding="utf-8"))


def test_the_page_is_what_the_command_writes() -> None:
    written = figures.PAGE.read_text(encoding="utf-8")
    assert figures.text(ROWS, SAVED) == written, "run `python -m benchmarks.figures`"


def test_each_row_has_a_figure_with_day_and_commit_and_its_columns() -> None:
    assert {*SAVED["rows"]} == {each.name for each in ROWS}
    for each in ROWS:
        found = SAVED["rows"][each.name]
        assert found["figure"] or found["table"], each.name
        assert (len(found["date"]), len(found["commit"].rstrip("+"))) == (10, 8), each.name
        assert {len(line) for line in found.get("table", [])} <= {len(each.columns)}, each.name
        assert bool(each.each) == bool(each.columns), each.name


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

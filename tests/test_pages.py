"""Pages of the docs: commands print what they show, links lead somewhere, pictures are there.

Of the pictures of README.md the first follows from its data, and commands print the second.
"""

import json
import os
import re
import subprocess
import sys
from html import unescape
from itertools import accumulate
from pathlib import Path

import networkx as nx
import pytest

from fingerpost.drawing.picture import DARK, adapting
from fingerpost.drawing.timing import Diagram, Trace, row, svg
from scripts import pages, readme
from scripts.pictures import PICTURES, SHOWN, described, title
from scripts.waves.diagrams import DEPTH, DIAGRAMS

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
    return ended.stdout


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

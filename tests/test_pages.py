"""What pages of the docs show is what the commands print: their blocks are run, in order."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"

LONG = "## 6."
"""From this heading on the tutorial takes longer: Verilog and simulators."""

SLOW = "fingerpost simulate"
"""It compiles the model; `make regress` waits for that."""


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


def walk(text: str, folder: Path) -> int:
    walked = blocks(text)
    for commands, shown in walked:
        printed = run(["bash", "-euc", commands], folder)
        assert not shown or agree(shown, printed), f"{commands}{printed}"
    return len(walked)


@pytest.mark.regress
def test_the_first_half_of_the_tutorial(tmp_path: Path) -> None:
    text, found, _ = (DOCS / "tutorial.md").read_text(encoding="utf-8").partition(LONG)
    assert found
    quick = re.sub(rf"^```sh\n{SLOW}.*?^```$.*?^```$", "", text, count=1, flags=re.M | re.S)
    assert walk(quick, tmp_path / "empty") == 11
    # Matplotlib names clip paths by the last bits of floats, which depend on the processor.
    drawn, shown = (
        re.sub(r"\bp[0-9a-f]{10}\b", "", picture.read_text(encoding="utf-8"))
        for picture in (tmp_path / "empty/eight.svg", DOCS / "tutorial.svg")
    )
    assert drawn == shown


@pytest.mark.regress
def test_the_whole_tutorial(tmp_path: Path) -> None:
    assert walk((DOCS / "tutorial.md").read_text(encoding="utf-8"), tmp_path / "empty") == 17
    assert (tmp_path / "empty/verilog/eight_network.v").exists()


@pytest.mark.regress
def test_the_theory(tmp_path: Path) -> None:
    assert (
        walk((DOCS / "explanation/theory.md").read_text(encoding="utf-8"), tmp_path / "empty") == 4
    )


@pytest.mark.regress
@pytest.mark.parametrize(
    "part",
    ["asked", "simulated"],  # it compiles, and simulates
)
def test_the_page_on_python(tmp_path: Path, part: str) -> None:
    blocks = re.findall(
        r"^```python\n(.*?)^```$",
        (DOCS / "reference/python.md").read_text("utf-8"),
        flags=re.M | re.S,
    )
    assert len(blocks) == 3
    page = tmp_path / "page.md"
    page.write_text("".join(x for x in blocks if part == "simulated" or "simulate(" not in x))
    run(["fingerpost", "examples", "-o", "networks"], tmp_path / "empty")
    run([sys.executable, "-m", "doctest", str(page)], tmp_path / "empty")


def test_a_line_that_differs_is_seen() -> None:
    printed = "name    eight   \nlinks   22\nrouting table\n"
    assert agree("name    eight\n...\nrouting table\n", printed)
    assert agree("links   2...\n", printed)
    assert not agree("name    seven\n", printed)
    assert not agree("routing table\n...\nlinks   22\n", printed)
    assert not agree("inks   22\n", printed)
    assert not agree("links   2\n", printed)

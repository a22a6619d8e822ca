"""What is kept of a compilation, by the types of a call; the plain form, also without numba."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from fingerpost.golden.jit import compile as jit
from fingerpost.golden.jit.compile import SETTING
from tests.fingerpost.common import without_progress
from tests.golden.test_caches import DAMAGES

ROOT = Path(__file__).parents[3]

SQUARE = """
from fingerpost.golden.jit.compile import called
@called
def square(x):
    return x * x
"""

PROGRAM = "import sys, square; print(*(square.square(eval(x)) for x in sys.argv[1:]))"


def square(x: Any) -> Any:
    return x * x


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder for what is compiled."""
    monkeypatch.setattr(jit, "_folder", lambda: tmp_path)
    return tmp_path


def missed(*numbers: float) -> int:
    """Return how often a new process would have to compile."""
    function: Any = jit.called(square).compiled
    assert [function(number) for number in numbers] == [number**2 for number in numbers]
    return sum(function.stats.cache_misses.values())


def test_types_are_kept_apart(kept: Path) -> None:
    assert [missed(3, 2.5), missed(3, 2.5), missed(2.5)] == [2, 0, 0]
    assert len([*kept.glob("*.code")]) == 2


def test_what_is_kept_is_not_linked(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert missed(3) == 1
    monkeypatch.setattr(jit, "linked", None)
    assert missed(3) == 0


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_what_is_damaged_is_compiled_again(damage: Callable[[Path], object], kept: Path) -> None:
    assert missed(3) == 1
    (file,) = kept.glob("*.code")
    damage(file)
    assert missed(3) == 1
    assert missed(3) == file.is_dir()


def test_a_folder_that_cannot_be_written_costs_time_only(monkeypatch: pytest.MonkeyPatch) -> None:
    for place in (Path("/proc/none"), None):
        monkeypatch.setattr(jit, "_folder", lambda place=place: place)
        assert [missed(3), missed(3)] == [1, 1]


@pytest.mark.regress
def test_processes_that_compile_at_once(tmp_path: Path) -> None:
    (tmp_path / "square.py").write_text(SQUARE)
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *numbers],
            cwd=tmp_path,
            env={**os.environ, "XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for numbers in (["2", "2.5"], ["2.5", "2"], ["2"])
    ]
    said = [process.communicate()[0].split() for process in processes]
    assert said == [["4", "6.25"], ["6.25", "4"], ["4"]]
    assert len([*tmp_path.rglob("*.code")]) == 2


HIDE = "import sys; sys.modules['numba'] = sys.modules['llvmlite'] = None; "
"""Lets the import of both fail, as where they are not installed."""

MAIN = "from fingerpost.cli.main import main; sys.exit(main(sys.argv[1:]))"


def python(code: str, *arguments: str, form: str = "") -> CompletedProcess[str]:
    """Run a program in a process of its own; numbers that wrap around are errors."""
    return subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-c", code, *arguments],
        env=os.environ | {SETTING: form},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.parametrize("name", ["petersen", "borel-21-deflection"])
def test_a_simulation_without_numba_is_plain_and_says_so(name: str) -> None:
    arguments = "simulate", f"networks/{name}.yaml", "--cycles", "200", "--json"
    ended = python(HIDE + MAIN, *arguments)
    assert ended.returncode in (0, 5)
    why = "numba is not installed"
    said = f"fingerpost: {name} runs as plain Python, hundreds of times slower: {why}\n"
    assert without_progress(ended.stderr) == said
    facts = json.loads(ended.stdout)
    assert (facts["engine"], facts["why"]) == ("plain", why)


FORM = """
import sys
from fingerpost.golden.engine import engine
from fingerpost.golden.traffic import Windows
from fingerpost.netfile.source import load_any
network = load_any(sys.argv[1])
windows = Windows(network, 0.2, 200, packets=100) if sys.argv[2:] else None
traffic, *more = windows or [Windows(network, 0.2, 50).joined()]
model = engine(network, [traffic], compiled=False)
for each in [*more, None]:
    model.run(50)
    if windows:
        model.exchange(each)
print(model.name, sum(model.runs[0].received) > 0, "numba" in sys.modules)
"""


@pytest.mark.parametrize(
    ("name", "windows"),
    [
        ("petersen", ()),
        ("petersen", ("windows",)),
        ("mesh-4x4-flow", ()),
        ("borel-21-deflection", ()),
    ],
)
def test_an_engine_that_is_not_to_be_compiled_imports_no_numba(
    name: str, windows: tuple[str, ...]
) -> None:
    ended = python(FORM, f"networks/{name}.yaml", *windows)
    assert (ended.stderr, ended.stdout) == ("", "plain True False\n")


def test_there_are_two_forms() -> None:
    ended = python("import sys; " + MAIN, "simulate", "networks/petersen.yaml", form="plan")
    message = f"fingerpost: {SETTING} needs to be compiled or plain, not 'plan'\n"
    assert (ended.returncode, ended.stderr, ended.stdout) == (2, message, "")

"""What is kept of a compilation, by the types of a call."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fingerpost.golden.jit import compile as jit
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

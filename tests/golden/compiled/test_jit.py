"""What is kept of a compilation when two processes compile at once."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]

SQUARE = """
from fingerpost.golden.compiled.jit import called
@called
def square(x):
    return x * x
"""

PROGRAM = """
import os, sys, time
from pathlib import Path
import square

number, replace = sys.argv[1], os.replace

def after(flag):
    end = time.monotonic() + 4  # it does not come if the other process waits for this one
    while not Path(flag).exists() and time.monotonic() < end:
        time.sleep(0.01)

def slow(source, target):
    step = number, Path(target).suffix
    if step == ("2.5", ".nbi"):
        Path("2.5 has read the index").touch()
    if step in WAITS:
        after(WAITS[step])
    replace(source, target)
    if step == ("2", ".nbi"):
        Path("2 has written the index").touch()

WAITS = {
    ("2", ".nbi"): "2.5 has read the index",
    ("2.5", ".nbi"): "2 has written the index",
    ("2", ".nbc"): "2.5 is done",
}
os.replace = slow
print(square.square(eval(number)))
Path(number + " is done").touch()
"""
"""Numba replaces the index (.nbi), then the code (.nbc): here so that 2.5 gets the code of 2."""


def begun(number: str, folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, number],
        cwd=folder,
        env={**os.environ, "XDG_CACHE_HOME": str(folder), "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.regress
def test_two_signatures_at_once_are_kept_apart(tmp_path: Path) -> None:
    (tmp_path / "square.py").write_text(SQUARE)
    processes = [begun("2", tmp_path), begun("2.5", tmp_path)]
    assert [float(process.communicate()[0]) for process in processes] == [4, 6.25]
    assert (tmp_path / "2 has written the index").exists()
    assert float(begun("2.5", tmp_path).communicate()[0]) == 6.25

"""A lock excludes threads and processes, and is free again however its holder ends."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from fingerpost.hdl.emit.files import locked

ROOT = Path(__file__).parents[2]

HOLDER = """
import sys
from pathlib import Path
from fingerpost.hdl.emit.files import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def holder(path: Path) -> subprocess.Popen[str]:
    """Return a process that holds a lock until its input ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, path],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    assert process.stdout.readline() == "held\n"
    return process


@pytest.mark.parametrize("killed", [False, True])
def test_another_process_is_refused_until_the_first_has_ended(killed: bool, tmp_path: Path) -> None:
    path = tmp_path / "x"
    with holder(path) as process:
        with pytest.raises(ValueError, match=r"^x is in use$"), locked(path, busy="x is in use"):
            pass
        if killed:
            process.kill()
        process.communicate(None if killed else "")
    with locked(path, busy="x is in use"):
        pass
    assert not [*tmp_path.iterdir()]


def test_threads_take_turns(tmp_path: Path) -> None:
    path, inside, seen = tmp_path / "x", 0, set()

    def work(_: int) -> None:
        nonlocal inside
        for _ in range(20):
            with locked(path):
                inside += 1
                os.sched_yield()
                seen.add(inside)
                inside -= 1

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert seen == {1}
    assert not [*tmp_path.iterdir()]


def test_names_what_cannot_be_locked(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as error, locked(tmp_path / "nowhere" / "x"):
        pass
    assert error.value.filename == str(tmp_path / "nowhere" / "x")

"""Files that are complete or not there, and tools that write them once."""

import errno
import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from fingerpost.jobs import files
from fingerpost.jobs.tools import run_once


def refuse_to_work(*_: Any, **__: Any) -> None:
    raise AssertionError("this is work, and what it is for cannot be written")


def test_a_folder_that_can_be_made_is_fine(tmp_path: Path) -> None:
    files.check_folder(tmp_path)
    files.check_folder(tmp_path / "a" / "b")
    files.check_folder(Path("a/b"))


def test_a_file_is_written_over_but_a_device_is_not(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("old", encoding="utf-8")
    files.write(tmp_path / "x", lambda path: path.touch())
    assert not (tmp_path / "x").read_text(encoding="utf-8")
    for path in (tmp_path, Path("/dev/null")):
        with pytest.raises(ValueError, match=r"is no file, so it cannot be written$"):
            files.write(path, refuse_to_work)


def test_a_file_system_that_may_not_be_written_on_is_told_by_the_name_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, *_: Any, **__: Any) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))

    for method in ("open", "unlink"):  # Linux refuses to remove even what is not there
        monkeypatch.setattr(Path, method, refuse)
    with pytest.raises(OSError, match="Read-only") as error:
        files.write_text(tmp_path / "x.svg", "text")
    assert error.value.filename == str(tmp_path / "x.svg")


def test_threads_that_write_one_file_do_not_mix(tmp_path: Path) -> None:
    def work(text: str) -> None:
        for _ in range(50):
            files.write_text(tmp_path / "x", text)
            assert len(set((tmp_path / "x").read_text(encoding="utf-8"))) == 1

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, (letter * 10_000 for letter in "abcd")))
    assert [file.name for file in tmp_path.iterdir()] == ["x"]


TOOL = """#!/bin/sh
test "$1" = --version && exit
echo ran >> calls
sleep 0.2
cat in > out
"""


def test_a_tool_runs_once_for_all_that_wait(tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    tool.write_text(TOOL)
    tool.chmod(0o755)
    (tmp_path / "in").write_text("one")

    def ask(_: int) -> str:
        run_once([str(tool), "-x"], tmp_path, reads=["in"], writes="out")
        return (tmp_path / "out").read_text()

    started = time.monotonic()
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(ask, range(4))) == {"one"}
    assert (tmp_path / "calls").read_text().splitlines() == ["ran"]
    assert time.monotonic() - started >= 0.2
    (tmp_path / "in").write_text("two")
    assert ask(0) == "two"
    names = {file.name for file in tmp_path.iterdir()}
    assert names == {"tool", "in", "out", "calls", "out.made-of"}

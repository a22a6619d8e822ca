"""Tools that run once, also where several ask for the same file."""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from fingerpost.jobs.tools import run_once

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

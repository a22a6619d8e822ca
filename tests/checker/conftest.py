import os
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

import fingerpost.checker.deadlock

RUN = fingerpost.checker.deadlock.run_yosys


@cache
def run_once(texts: tuple[tuple[str, str], ...], script: str, *results: str) -> list[str]:
    return RUN(dict(texts), script, *results)


def run_yosys(texts: Mapping[str, str], script: str, *results: str) -> list[str]:
    """Run Yosys once for all tests that leave the Verilog as it is."""
    return run_once(tuple(texts.items()), script, *results)


@pytest.fixture(autouse=True)
def with_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    places = str(Path(sys.executable).parent), os.environ["PATH"]
    monkeypatch.setenv("PATH", os.pathsep.join(places))
    monkeypatch.setattr(fingerpost.checker.deadlock, "run_yosys", run_yosys)

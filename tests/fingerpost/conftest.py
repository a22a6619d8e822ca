import os
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from distributed import LocalCluster

from fingerpost.cli.main import main
from fingerpost.golden.network.network import Network
from fingerpost.netfile.source import load
from fingerpost.testbench.benches.bench import Bench
from fingerpost.testbench.cosim import Result
from tests.fingerpost.common import NETWORKS, Ended, Run
from tests.fingerpost.cost.tools import RING, cost, tools

__all__ = ["cost", "tools"]


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    # A short job on a busy machine is no long one, of which something would be told.
    monkeypatch.setattr("fingerpost.jobs.console.WAIT", 1000.0)

    def run(*arguments: object) -> Ended:
        status = main([str(argument) for argument in arguments])
        return Ended(status, *capfd.readouterr())

    return run


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Be in an empty folder."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session")
def cluster() -> Iterator[str]:
    """A scheduler and a worker in this process."""
    with LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address="localhost:0"
    ) as local:
        yield local.scheduler_address


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A stand-in for `testbench.cosim.run`: `calls` is what it was asked, `finds` what it answers.

    `details` tells what the bench reports.
    """
    bench = SimpleNamespace(calls=[], finds={}, details=lambda bench: {bench.counted: 441})

    def run(asked: Bench, *, simulator: str, **rest: Any) -> Result:
        rest.pop("progress", lambda *_: None)(1, 2)
        bench.calls.append((asked, simulator, rest))
        print("a tool in Python is talking")
        os.write(1, b"a tool in C is talking\n")
        found = {"mismatches": 0, "message": "", "seconds": 1.25, "build_seconds": 2.5,
                 "waveform": None, "results_xml": "results.xml", **bench.finds}  # fmt: skip
        found["details"] = bench.details(asked) | found.get("details", {})
        return Result(asked, simulator, **found)

    monkeypatch.setattr("fingerpost.testbench.cosim.run", run)
    return bench


@pytest.fixture
def ring(tmp_path: Path) -> Path:
    path = tmp_path / "ring.yaml"
    path.write_text(RING)
    return path


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "search.jsonl"


@pytest.fixture
def slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut the work of a small search up."""
    monkeypatch.setattr("fingerpost.search.spaces.WORK", 200)


@pytest.fixture(scope="session")
def borel21() -> Path:
    return NETWORKS / "borel-21.yaml"


@pytest.fixture(scope="session")
def network(borel21: Path) -> Network:
    return load(borel21)

"""A sweep on a Dask scheduler with worker processes of its own, one of which is killed."""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from distributed import Client

from fingerpost.netfile.source import load
from fingerpost.sweeps.output import Output
from fingerpost.sweeps.sweep import save, sweep
from tests.fingerpost.common import NETWORKS, UNIFORM, scheduler

SWEEP: dict[str, Any] = {"loads": [0.1, 0.2, 0.3, 0.4], "seeds": [0, 1], "cycles": 600}
TOOLS = Path(sys.executable).parent


def result(
    address: str, output: Path, progress: Callable[[int, int], None] = lambda done, total: None
) -> list[bytes]:
    """Sweep; return the files."""
    networks = [load(NETWORKS / f"{name}.yaml") for name in ("borel-21", "petersen")]
    files = Output.called(output, table="csv", picture="svg")
    swept = sweep(networks, UNIFORM, **SWEEP, cluster=address, state=files.state, progress=progress)
    return [file.read_bytes() for file in save(swept, files)]


@pytest.mark.regress
def test_worker_that_is_killed_changes_nothing(tmp_path: Path) -> None:
    with scheduler(TOOLS, tmp_path) as address:
        one = result(address, tmp_path / "one")
    killed: list[int] = []
    with scheduler(TOOLS, tmp_path, workers=2) as address, Client(address) as client:
        client.wait_for_workers(2, timeout=60)

        def kill(done: int, total: int) -> None:
            if done == 5 and not killed:
                pids = client.run(os.getpid)
                busy = client.processing()
                victim = max(pids, key=lambda worker: len(busy[worker]))
                assert busy[victim]  # it is in the middle of its work
                killed.append(pids[victim])
                os.kill(pids[victim], signal.SIGKILL)

        two = result(address, tmp_path / "two", kill)
        assert len(client.scheduler_info()["workers"]) == 1
    assert killed
    assert two == one
    lines = (tmp_path / "two.jsonl").read_text().splitlines()
    assert len(set(lines)) == len(lines)
    assert sorted(lines) == sorted((tmp_path / "one.jsonl").read_text().splitlines())

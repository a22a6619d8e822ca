"""A sweep on a Dask scheduler with worker processes of its own, one of which is killed."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from distributed import Client

from fingerpost.netfile.source import load
from fingerpost.sweeps.facts import save
from fingerpost.sweeps.output import Output
from fingerpost.sweeps.sweep import sweep
from tests.fingerpost.common import NETWORKS, UNIFORM

ROOT = NETWORKS.parent
SWEEP: dict[str, Any] = {"loads": [0.1, 0.2, 0.3, 0.4], "seeds": [0, 1], "cycles": 600}


@contextmanager
def processes(folder: Path, workers: int) -> Iterator[str]:
    """Start a scheduler and workers that are not restarted."""
    file = folder / f"scheduler-{workers}.json"
    commands = [("scheduler", "--port", "0", "--dashboard-address", "localhost:0")]
    commands += [("worker", "--no-nanny", "--nthreads", "1", "--no-dashboard")] * workers
    running = []
    try:
        for kind, *options in commands:
            program = [sys.executable, "-m", "distributed.cli.dask_" + kind, *options]
            running.append(
                subprocess.Popen(
                    [*program, "--scheduler-file", str(file)],
                    cwd=folder,
                    env={**os.environ, "PYTHONPATH": str(ROOT)},
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
            )
        end = time.monotonic() + 60
        while not file.exists():
            assert time.monotonic() < end
            time.sleep(0.1)
        with Client(scheduler_file=str(file)) as client:
            client.wait_for_workers(workers, timeout=60)
            address = client.scheduler.address
        yield address
    finally:
        for process in running:
            process.kill()
            process.wait()


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
    with processes(tmp_path, 1) as address:
        one = result(address, tmp_path / "one")
    killed: list[int] = []
    with processes(tmp_path, 2) as address, Client(address) as client:

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

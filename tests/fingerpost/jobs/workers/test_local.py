import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from fingerpost.jobs.workers import local, results
from tests.fingerpost.common import NETWORKS
from tests.fingerpost.jobs.workers import work


@pytest.fixture(autouse=True)
def two_cores(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let two workers work, and see to it that none is left."""
    monkeypatch.setattr(local, "_cores", lambda: 2)
    yield
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def worked(
    what: Callable[..., Any],
    units: Iterable[Any],
    arguments: Callable[[Any], Sequence[Any]] = lambda unit: [unit],
) -> list[tuple[Any, Any]]:
    ahead = iter(units)
    with results(
        what, lambda count: list(islice(ahead, count)), arguments, None, job="Test"
    ) as ended:
        return sorted(ended)


def test_every_unit_comes_with_its_result() -> None:
    assert worked(work.square, range(30)) == [(number, number**2) for number in range(30)]


def test_without_work_there_is_no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "_Worker", None)
    assert worked(work.square, []) == []


def test_units_may_depend_on_results() -> None:
    ahead, found = [2], []
    with results(
        work.square,
        lambda count: [ahead.pop() for _ in range(min(count, len(ahead)))],
        lambda unit: [unit],
        None,
        job="Test",
    ) as ended:
        for unit, result in ended:
            found.append((unit, result))
            if result < 1000:
                ahead.append(result)
    assert found == [(2, 4), (4, 16), (16, 256), (256, 65536)]


def test_cores_have_one_worker_with_one_thread_which_ctrl_c_does_not_reach() -> None:
    found = [seen for _, seen in worked(work.seen, range(20))]
    assert 1 <= len({seen["process"] for seen in found}) <= 2
    assert os.getpid() not in {seen["process"] for seen in found}
    assert all(seen["threads"] == "1" and seen["deaf"] for seen in found)


def test_unit_whose_worker_is_lost_is_done_again(tmp_path: Path) -> None:
    found = worked(work.die_once, range(7), lambda unit: [str(tmp_path), unit])
    assert found == [(number, number) for number in range(7)]
    assert {file.name for file in tmp_path.iterdir()} == {"0", "2", "4", "6"}


def test_unit_that_ends_every_worker_is_an_error() -> None:
    message = (
        "^Test lost 3 workers with the same work, the last one with exit status -9: is there too "
        r"little memory\?$"
    )
    with pytest.raises(OSError, match=message):
        worked(work.die, [1])


def test_what_work_raises_comes_here_with_its_traceback() -> None:
    with pytest.raises(ValueError, match=r"^5 is refused\n") as error:
        worked(work.refuse, [5])
    assert "in refuse" in error.value.__notes__[0]


def test_workers_end_with_whoever_stops_listening(tmp_path: Path) -> None:
    units = iter([work.square, work.wait])
    with results(
        apply,
        lambda count: list(islice(units, count)),
        lambda unit: [unit.__name__, 3 if unit is work.square else str(tmp_path / "mark")],
        None,
        job="Test",
    ) as ended:
        assert next(ended) == (work.square, 9)


def apply(name: str, argument: Any) -> Any:
    return getattr(work, name)(argument)


def test_workers_end_when_the_process_that_started_them_is_killed(tmp_path: Path) -> None:
    """They are in the middle of work. A script needs no guard against being imported by them."""
    mark = tmp_path / "mark"
    program = (
        "from fingerpost.jobs.workers import results\n"
        "from tests.fingerpost.jobs.workers import work\n"
        f"units = [{str(mark)!r}]\n"
        "ready = lambda count: [units.pop() for _ in range(min(count, len(units)))]\n"
        "with results(work.wait, ready, lambda unit: [unit], None, job='Test') as ended:\n"
        "    list(ended)\n"
    )
    script = tmp_path / "script.py"
    script.write_text(program, encoding="utf-8")
    path = {**os.environ, "PYTHONPATH": str(NETWORKS.parent)}
    parent = subprocess.Popen([sys.executable, str(script)], env=path)
    try:
        until(lambda: mark.exists() and mark.read_text(encoding="utf-8") != "")
    finally:
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    worker = Path("/proc", mark.read_text(encoding="utf-8"), "cmdline")
    until(lambda: not worker.exists() or not worker.read_bytes())


def until(happened: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.05)

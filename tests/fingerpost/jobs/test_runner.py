"""The runner of long jobs: its state, its workers, and what is left of both when it ends."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from distributed import Client

from fingerpost.jobs import workers
from fingerpost.jobs.provenance import provenance
from fingerpost.jobs.runner import Job, Listed, kept, run
from fingerpost.netfile.source import load, read
from fingerpost.search import facts as search
from fingerpost.soak import facts as soak
from fingerpost.survey.survey import given, survey
from fingerpost.sweeps.sweep import sweep
from tests.fingerpost.common import (
    NETWORKS,
    NOWHERE,
    SMALL_SEARCH,
    SMALL_SWEEP,
    Run,
    scheduler,
    words,
)
from tests.fingerpost.jobs import work
from tests.hdl.emit.test_files import limited


@pytest.fixture(autouse=True)
def two_cores(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let two workers work, and see to it that none is left."""
    monkeypatch.setattr(workers, "_cores", lambda: 2)
    yield
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def rows(
    function: Callable[..., Any],
    points: Sequence[Any],
    arguments: Callable[[Any], Sequence[Any]] = lambda point: [point],
    settings: dict[str, Any] | None = None,
    **more: Any,
) -> dict[Any, Any]:
    listed = Listed[Any](points)
    run(Job[Any]("job", function, arguments, settings=settings or {}), listed, **more)
    return listed.rows


# The workers.


def test_every_point_gets_its_row() -> None:
    told: list[tuple[int, int]] = []
    found = rows(work.square, range(30), progress=lambda *x: told.append(x))
    assert found == {number: number**2 for number in range(30)}
    assert told == [(done, 30) for done in range(31)]


@pytest.mark.parametrize("count", [1, 3])
def test_there_are_as_many_workers_as_are_asked_for(count: int, tmp_path: Path) -> None:
    at_once = rows(work.together, range(6), lambda _: [str(tmp_path)], workers=count)
    assert max(at_once.values()) == count


def test_a_cluster_has_workers_of_its_own() -> None:
    message = "Job needs either --workers, processes of this machine, or --cluster, not both"
    with pytest.raises(ValueError, match=f"^{message}$"):
        rows(work.square, [1], cluster=NOWHERE, workers=2)


def test_without_work_there_is_no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_Worker", None)
    assert rows(work.square, []) == rows(work.square, [], cluster=NOWHERE) == {}
    assert rows(work.square, [2], here=work.square) == {2: 4}  # nor if it is not worth while


class Chain(Listed[int]):
    """Points that depend on results."""

    def __init__(self) -> None:
        super().__init__([2])
        self.waiting = [2]

    def ready(self, count: int) -> list[int]:
        return [self.waiting.pop() for _ in range(min(count, len(self.waiting)))]

    def finish(self, point: int, row: int) -> None:
        self.rows[point] = row
        self.waiting += [row] * (row < 1000)


def test_points_may_depend_on_rows(tmp_path: Path) -> None:
    for cluster in (None, NOWHERE):  # the second time all are known
        chain = Chain()
        job = Job[int]("job", work.square, lambda point: [point])
        run(job, chain, state=tmp_path / "x", cluster=cluster)
        assert chain.rows == {2: 4, 4: 16, 16: 256, 256: 65536}


def test_cores_have_one_worker_with_one_thread_which_ctrl_c_does_not_reach() -> None:
    found = rows(work.seen, range(20)).values()
    assert 1 <= len({each["process"] for each in found}) <= 2
    assert os.getpid() not in {each["process"] for each in found}
    assert all(each["threads"] == "1" and each["deaf"] for each in found)


def test_point_whose_worker_is_lost_is_done_again(tmp_path: Path) -> None:
    found = rows(work.die_once, range(7), lambda point: [str(tmp_path), point])
    assert found == {number: number for number in range(7)}
    assert {file.name for file in tmp_path.iterdir()} == {"0", "2", "4", "6"}


def test_point_that_ends_every_worker_is_an_error() -> None:
    message = (
        "^Job lost 3 workers with the same work, the last one with exit status -9: is there too "
        r"little memory\?$"
    )
    with pytest.raises(OSError, match=message):
        rows(work.die, [1])


def test_workers_end_when_the_process_that_started_them_is_killed(tmp_path: Path) -> None:
    """They are in the middle of work. A script needs no guard against being imported by them."""
    mark, script = tmp_path / "mark", tmp_path / "script.py"
    script.write_text(
        "from fingerpost.jobs.runner import Job, Listed, run\n"
        "from tests.fingerpost.jobs import work\n"
        f"run(Job('job', work.wait, lambda mark: [mark]), Listed([{str(mark)!r}]))\n",
        encoding="utf-8",
    )
    path = {**os.environ, "PYTHONPATH": str(NETWORKS.parent)}
    parent = subprocess.Popen([sys.executable, str(script)], env=path)
    try:
        until(lambda: mark.exists() and mark.read_text(encoding="utf-8") != "")
    finally:
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    worker = Path("/proc", mark.read_text(encoding="utf-8"), "cmdline")
    until(lambda: not worker.exists() or not worker.read_bytes())


@pytest.mark.regress
def test_a_worker_of_a_cluster_that_is_killed_changes_nothing(tmp_path: Path) -> None:
    """It is in the middle of its work."""
    killed: list[int] = []
    tools, state = Path(sys.executable).parent, tmp_path / "x"
    with scheduler(tools, tmp_path, workers=2) as address, Client(address) as client:
        client.wait_for_workers(2, timeout=60)

        def kill(done: int, total: int) -> None:
            if done == 5 and not killed:
                pids, busy = client.run(os.getpid), client.processing()
                victim = max(pids, key=lambda worker: len(busy[worker]))
                assert busy[victim]
                killed.append(pids[victim])
                os.kill(pids[victim], signal.SIGKILL)

        found = rows(work.slow_square, range(40), cluster=address, state=state, progress=kill)
        assert len(client.scheduler_info()["workers"]) == len(killed) == 1
    assert found == {number: number**2 for number in range(40)}
    assert len(lines(state)) == 41


def until(happened: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.05)


# The state.


def lines(state: Path) -> list[Any]:
    return [json.loads(line) for line in state.read_text().splitlines()]


def test_an_interrupted_job_resumes_behind_a_torn_line(tmp_path: Path) -> None:
    state = tmp_path / "x"

    def interrupt(done: int, total: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rows(work.square, range(6), state=state, settings={"a": 1}, progress=interrupt)
    before = lines(state)
    assert len(before) == 4
    assert before[0] == {"job": "job", "version": provenance()["version"], "a": 1}
    with state.open("a") as file:
        file.write('{"point": 5, "ro')
    worked: list[int] = []

    def here(point: int) -> int:
        worked.append(point)
        return -1

    found = rows(work.square, range(8), state=state, settings={"a": 1}, here=here)
    known = {line["point"]: line["row"] for line in before[1:]}
    assert found == {point: known.get(point, -1) for point in range(8)}
    assert worked == [point for point in range(8) if point not in known]
    assert lines(state)[:4] == before
    assert len(lines(state)) == 9
    # Fewer points are taken from it; without a state nothing is known.
    assert rows(work.square, [7, 2], state=state, settings={"a": 1}, cluster=NOWHERE).keys() == {
        7,
        2,
    }
    assert rows(work.square, [7]) == {7: 49}
    assert [file.name for file in tmp_path.iterdir()] == ["x"]


def test_what_fails_is_told_with_its_traceback_and_the_rest_is_kept(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^5 is refused\n") as error:
        rows(work.refuse, [1, 2, 3, 5], state=tmp_path / "x")
    assert "in refuse" in error.value.__notes__[0]
    assert len({line["row"] for line in lines(tmp_path / "x")[1:]}) >= 2
    with pytest.raises(ValueError, match=r"^5 is refused\n"):  # it is not kept
        rows(work.refuse, [1, 2, 5], state=tmp_path / "x")


def test_a_row_that_is_not_to_be_kept_is_made_again(tmp_path: Path) -> None:
    job = Job[int]("job", work.square, lambda point: [point], keeps=lambda row: row > 1)
    for _ in range(2):
        listed = Listed([1, 2])
        run(job, listed, state=tmp_path / "x")
        assert listed.rows == {1: 1, 2: 4}
        assert [line["row"] for line in lines(tmp_path / "x")[1:]] == [4]


HEAD = {"job": "job", "version": provenance()["version"], "a": 1}


@pytest.mark.parametrize(
    "content",
    [
        b"notes", b"notes\n", b"[]\n", b"{}\n", b"\xff\n", b'{"a": 1}\n',
        *(
            json.dumps(head).encode() + rest
            for head in (HEAD, HEAD | {"job": "other"})
            for rest in (b'\n{"p": 7}\n', b"\n7\n", b'\n{"p": 7, "row": 1\n{"p": 8, "row": 1}\n')
        ),
        json.dumps(HEAD | {"job": "other"}).encode() + b"\n",
    ],
)  # fmt: skip
def test_refuses_a_file_that_is_no_state(content: bytes, tmp_path: Path) -> None:
    """Those of jobs before there was one runner, too."""
    state = tmp_path / "x"
    state.write_bytes(content)
    message = f"{state}: is not the state of a job of this version; delete it, or name another file"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        rows(work.square, [], settings={"a": 1}, state=state)
    assert state.read_bytes() == content


def test_the_state_of_another_version_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows(work.square, [1], state=tmp_path / "x")
    monkeypatch.setattr("fingerpost.jobs.runner.provenance", lambda: {"version": "9"})
    with pytest.raises(
        ValueError, match=rf"is the state of a job with version {HEAD['version']}, "
    ):
        rows(work.square, [1], state=tmp_path / "x")


def test_a_second_job_is_refused(tmp_path: Path) -> None:
    state, link = tmp_path / "x.jsonl", tmp_path / "link"
    link.symlink_to(state)
    refused: list[str] = []

    def other(name: Path) -> None:
        with pytest.raises(ValueError, match="another job") as error:
            rows(work.square, [1], state=name)
        refused.append(str(error.value))

    def here(point: int) -> int:
        for name in (state, link):
            thread = Thread(target=other, args=[name])
            thread.start()
            thread.join()
            other(name)
        return 7

    rows(work.square, [1], state=state, here=here)
    wait = "another job is using it; wait until that has ended, or name another file"
    assert refused == [f"{name}: {wait}" for name in (state, state, link, link)]
    assert rows(work.square, [1], state=state) == {1: 7}


def test_a_full_disk_names_the_state(tmp_path: Path) -> None:
    state = tmp_path / "x"
    with kept(state, "job", {}) as (_, keep):
        keep({"point": 1}, 1)
        with limited(100), pytest.raises(OSError, match="File too large") as error:
            keep({"point": 2}, "x" * 5000)
    assert error.value.filename == str(state)
    with kept(state, "job", {}) as (known, _):
        assert known == {'{"point": 1}': 1}  # the torn line is done again


FILES = [NETWORKS / f"{name}.yaml" for name in ("petersen", "star-4", "borel-21", "kyklos-2-2-4")]

SOAKED = "message", "packets", "flits", "delivered", "drained", "errors", "cycles", "networks"
METACYCLIC: dict[str, Any] = {"family": "metacyclic", "diameter": 4, "max_nodes": 90}

JOBS: dict[str, Callable[..., Any]] = {
    "search": lambda **more: search(**SMALL_SEARCH, **more)["found"],
    "search of another family": lambda **more: search(**METACYCLIC, **more)["found"],
    "sweep": lambda **more: sweep([load(x) for x in FILES[:2]], **SMALL_SWEEP, **more),
    "soak": lambda **more: totals(
        soak([load(FILES[2])], flits=3000, arrivals="bernoulli", packet_length="1..3", **more)
    ),
    "survey": lambda **more: survey([given(read(x)) for x in FILES], **more),
}


def totals(answer: dict[str, Any]) -> dict[str, Any]:
    """Return what a soak has counted, without its seconds."""
    rows = [{key: row[key] for key in row if key != "cpu_seconds"} for row in answer["networks"]]
    return {key: answer[key] for key in SOAKED} | {"networks": rows}


@pytest.fixture(autouse=True)
def short(slices: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fingerpost.golden.measure.soak.PACKETS", 400)


@pytest.mark.parametrize("job", JOBS.values(), ids=JOBS)
def test_an_interrupted_job_resumes(cluster: str, state: Path, job: Callable[..., Any]) -> None:
    whole = job(cluster=cluster, state=state)
    lines = state.read_text().splitlines(keepends=True)
    assert len({line.split(', "row"')[0] for line in lines}) == len(lines) > 3
    assert job(cluster=NOWHERE, state=state) == whole  # all is known
    state.write_text("".join(lines[: len(lines) // 2 + 1]))
    told: list[tuple[int, int]] = []
    assert job(cluster=cluster, state=state, progress=lambda *x: told.append(x)) == whole
    assert 0 < told[0][0] < told[-1][0]
    assert job(cluster=cluster) == whole


SEARCH = "search --state x.jsonl --diameter 4 --p-max 20"
SWEEP = "sweep mesh-4x4-classes.yaml -o x --loads 0.2 --resolution 0 --classes 3,1 --cycles 61"
SOAK = "soak borel-21.yaml --state x.jsonl --flits 1 --stall 0.1"


@pytest.mark.parametrize(
    ("command", "old", "new", "message"),
    [
        (SEARCH, "--diameter 4", "--diameter 5", "search with diameter 4, not 5"),
        (SEARCH, "--p-max 20", "--p-max 20 --min-nodes 9", "search with min_nodes None, not 9"),
        (SWEEP, "3,1", "1,1", "sweep with classes [3.0, 1.0], not [1.0, 1.0]"),
        (SOAK, "0.1", "0.2", "soak with stall 0.1, not 0.2"),
    ],
)
@pytest.mark.usefixtures("here")
def test_the_state_of_another_job_is_refused(
    run: Run, cluster: str, command: str, old: str, new: str, message: str
) -> None:
    assert run(*words(command), "--cluster", cluster).status == 0
    before = Path("x.jsonl").read_text()
    ended = run(*words(command.replace(old, new)), "--cluster", NOWHERE)
    assert ended == (2, "", f"fingerpost: x.jsonl: is the state of a {message}\n")
    assert Path("x.jsonl").read_text() == before

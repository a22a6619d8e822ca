"""What a long job tells, and how it ends when it is interrupted."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from itertools import pairwise
from pathlib import Path

import pytest

from fingerpost.cli.main import main
from fingerpost.jobs import console
from tests.fingerpost.common import NETWORKS, Run, without_progress


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (3599, None), (3600, "1 hours"), (40 * 3600, "40 hours"), (5 * 86_400, "5 days"),
        pytest.param(10**400, "31,688,087,814 years", id="ever"),
    ],
)  # fmt: skip
def test_a_job_of_hours_says_so_once(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    seconds: int,
    told: str | None,
) -> None:
    expected = f"fingerpost: this takes about {told}; Ctrl-C ends it\n" if told else ""
    console.forewarn(seconds)
    assert capsys.readouterr() == ("", expected)
    # It does a thing a second, the first of them in no time.
    clock = iter(range(100))
    monkeypatch.setattr("fingerpost.jobs.console.time.monotonic", lambda: next(clock))
    with console.progress("working") as tell:
        for done in range(1, 6):
            tell(done, seconds + 4)
    assert capsys.readouterr() == ("", expected)


def test_samples_and_steps_are_told_as_they_are_done(
    run: Run, borel21: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[int, int]] = []
    monkeypatch.setattr("fingerpost.jobs.console._Pace.tell", lambda _, *pair: told.append(pair))
    monkeypatch.setattr("fingerpost.golden.reliability.monte_carlo.BATCH", 1000)
    assert run("survive", borel21, "--samples", 1000, "--link-failure", 0.1).status == 0
    assert told[-1] == (1000, 1000)
    assert len(told) > 3
    told.clear()
    assert run("order", NETWORKS / "star-4.yaml", "--steps", 50).status == 0
    assert {total for _, total in told} == {50}
    assert all(one[0] < two[0] for one, two in pairwise(told))


def test_a_job_without_a_terminal_reports_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("fingerpost.jobs.console.WAIT", 0.05)
    with console.progress("working") as tell:
        time.sleep(0.08)
        tell(30, 60)
        time.sleep(0.2)
    first, *others = capsys.readouterr().err.splitlines()
    assert re.fullmatch(r"fingerpost: working: preparing: \d s", first)
    assert re.fullmatch(r"fingerpost: working: 50 %, \d s", others[0])
    assert len(others) == 1  # each wait is twice as long as the one before
    with console.status("making") as step:
        step("router")
        time.sleep(0.08)
    assert re.fullmatch(r"fingerpost: making: router, \d s\n", capsys.readouterr().err)
    with console.status("making"):
        pass
    assert capsys.readouterr() == ("", "")


def test_progress_tells_what_it_does_and_how_long_it_takes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A clock that each call moves by a second: a thing in a second, behind a compilation."""
    clock = iter(range(100))
    said: list[Callable[[], str]] = []

    def unwatched(state: Callable[[], str]) -> nullcontext[Callable[..., None]]:
        said.append(state)
        return nullcontext(lambda *drawn: None)

    monkeypatch.setattr("fingerpost.jobs.console.time.monotonic", lambda: next(clock))
    monkeypatch.setattr("fingerpost.jobs.console._unwatched", unwatched)
    with console.progress("working", compiles=lambda: True) as tell:
        assert said[0]() == "working: preparing: "
        tell(0, 10)
        assert said[0]() == "working: compiling the model, some ten seconds once: 0 %, "
        tell(1, 10)
        assert said[0]() == "working: 10 %, "
        tell(2, 10)
        assert said[0]() == "working: 20 %, about 8 s left, "
    assert capsys.readouterr().err == ""


SOON = 4.0
"""Seconds in which a command ends: 2, and as many for a busy machine."""

INTERRUPTED = 130, "fingerpost: interrupted\n"

Ended = tuple[int, str]


class Command:
    """A command in a session of its own, which is listed to find what is left of it."""

    def __init__(self, *arguments: object, cwd: Path, **variables: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "fingerpost", *map(str, arguments)],
            cwd=cwd,
            env={**os.environ, "PYTHONPATH": str(NETWORKS.parent), **variables},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        until(self.handles_signals)

    def handles_signals(self) -> bool:
        """Whether it has begun; until then the signal is for Python, which starts."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        (caught,) = (line for line in status.splitlines() if line.startswith("SigCgt"))
        return bool(int(caught.split()[1], 16) >> (signal.SIGTERM - 1) & 1)

    def others(self) -> set[int]:
        """The processes of the session but the command itself."""
        found = set()
        for file in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = file.read_text(encoding="utf-8").rpartition(")")[2].split()
            except OSError:
                continue  # it has ended
            if int(fields[3]) == self.process.pid and fields[0] != "Z":
                found.add(int(file.parent.name))
        return found - {self.process.pid}

    def end(self, number: int = signal.SIGINT, *, group: bool = False) -> Ended:
        """Send a signal, as a terminal does to the group; see that all ends soon."""
        began = time.monotonic()
        (os.killpg if group else os.kill)(self.process.pid, number)
        _, message = self.process.communicate(timeout=60)
        assert time.monotonic() - began < SOON
        assert self.others() == set()
        return self.process.returncode, without_progress(message)


@contextmanager
def begun(*arguments: object, cwd: Path, **variables: str) -> Iterator[Command]:
    command = Command(*arguments, cwd=cwd, **variables)
    try:
        yield command
    finally:
        for process in command.others():
            os.kill(process, signal.SIGKILL)
        command.process.kill()
        command.process.communicate()


def until(happened: Callable[[], object]) -> None:
    end = time.monotonic() + 120
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.01)


SWEEP = "sweep", NETWORKS / "star-4.yaml", "--loads", "0.1..0.9:0.05"


@pytest.mark.regress
def test_sweep_that_works_tells_what_is_kept(tmp_path: Path) -> None:
    state = tmp_path / "out.jsonl"
    with begun(*SWEEP, "-o", tmp_path / "out", cwd=tmp_path) as command:
        until(lambda: state.exists() and state.read_text().count("\n") > 2)
        kept = f"what is finished is kept in {state}, the same command resumes"
        assert command.end(group=True) == (130, f"fingerpost: interrupted; {kept}\n")
    assert all(json.loads(line) for line in state.read_text().splitlines())
    assert list(tmp_path.iterdir()) == [state]


@pytest.mark.regress
@pytest.mark.parametrize("group", [True, False])
@pytest.mark.parametrize("seconds", [0, 0.5, 1, 2, 5])
def test_sweep_at_any_moment(tmp_path: Path, seconds: float, group: bool) -> None:
    with begun(*SWEEP, "--cycles", 1_000_000, cwd=tmp_path) as command:  # for minutes
        time.sleep(seconds)
        assert command.end(group=group) == INTERRUPTED


STARTS = """
import subprocess
subprocess.run(["sh", "-c", "trap '' INT TERM; sleep 100 & sleep 100; wait"])
"""
LOSES = """
import time
while True:
    try:
        time.sleep(100)
    except BaseException:
        pass
"""
WARNS = """
import time, warnings
class Unused:
    def __del__(self):
        warnings.warn("it is never used")
        raise ValueError("nor is it found")
unused = Unused()
def wait(unused):
    time.sleep(100)
wait(Unused())
"""
HOLDS = """
import hashlib
hashlib.pbkdf2_hmac("sha256", b"", b"", 10**9)
"""


@pytest.mark.parametrize(
    ("program", "processes", "number"),
    [
        pytest.param(STARTS, 3, signal.SIGINT, id="it waits for a tool, which has started others"),
        pytest.param(LOSES, 0, signal.SIGTERM, id="a library loses the exception"),
        pytest.param(WARNS, 0, signal.SIGINT, id="there is a warning about what is given up"),
        pytest.param(HOLDS, 0, signal.SIGTERM, id="it is in a long call of C"),
    ],
)
def test_whatever_it_does(tmp_path: Path, program: str, processes: int, number: int) -> None:
    (tmp_path / "typer.py").write_text(f"open('here', 'w').close()\n{program}", encoding="utf-8")
    path = f"{tmp_path}:{NETWORKS.parent}"
    with begun("info", "x.yaml", cwd=tmp_path, PYTHONPATH=path) as command:
        until(lambda: (tmp_path / "here").exists() and len(command.others()) == processes)
        word = "interrupted" if number == signal.SIGINT else "terminated"
        assert command.end(number) == (128 + number, f"fingerpost: {word}\n")


def test_what_is_ignored_stays_so(tmp_path: Path) -> None:
    """As in a script that starts a command with `&`."""
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with begun("schema", cwd=tmp_path) as command:
            os.kill(command.process.pid, signal.SIGINT)
            assert command.process.wait(timeout=60) == 0
    finally:
        signal.signal(signal.SIGINT, handler)


def test_handlers_are_as_before_when_it_has_ended() -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    main(["--help"])
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before
    assert signal.set_wakeup_fd(-1) == -1

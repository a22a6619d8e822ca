import re
import time
from collections.abc import Callable
from contextlib import nullcontext
from itertools import pairwise
from pathlib import Path

import pytest

from fingerpost.golden.jit import compile as jit
from fingerpost.jobs import console
from tests.fingerpost.common import NETWORKS, Run


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (3599, None),
        (3600, "1 hours"),
        (40 * 3600, "40 hours"),
        (5 * 86_400, "5 days"),
        (1e12, "31,688 years"),
        pytest.param(10**400, "31,688,087,814 years", id="ever"),
    ],
)
def test_a_job_of_hours_says_so(
    capsys: pytest.CaptureFixture[str], seconds: float, told: str | None
) -> None:
    console.forewarn(seconds)
    expected = f"fingerpost: this takes about {told}; Ctrl-C ends it\n" if told else ""
    assert capsys.readouterr() == ("", expected)


@pytest.mark.parametrize(
    ("total", "told"), [(3000, ""), (36_004, "10 hours"), (10**400, "31,688,087,814 years")]
)
def test_a_long_job_is_judged_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], total: int, told: str
) -> None:
    """It does a thing a second, the first of them in no time."""
    clock = iter(range(100))
    monkeypatch.setattr("fingerpost.jobs.console.time.monotonic", lambda: next(clock))
    with console.progress("working") as tell:
        for done in range(1, 6):
            tell(done, total)
    message = f"fingerpost: this takes about {told}; Ctrl-C ends it\n" if told else ""
    assert capsys.readouterr() == ("", message)


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

    def unwatched(state: Callable[[], str]) -> nullcontext[None]:
        said.append(state)
        return nullcontext()

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


def test_the_first_simulation_compiles_and_the_next_does_not(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(jit, "_folder", lambda: tmp_path)
    assert jit.to_compile()
    (tmp_path / "run-1.code").touch()
    assert not jit.to_compile()
    monkeypatch.setattr(jit, "_folder", lambda: None)
    assert jit.to_compile()


def test_a_survey_of_all_says_what_it_starts(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object, **__: object) -> None:
        raise ValueError("stopped")

    monkeypatch.setattr("fingerpost.survey.survey.survey", stopped)
    ended = run("survey", "-o", "dense")
    first, last = ended.err.splitlines()
    assert re.fullmatch(
        r"fingerpost: surveys \d+ networks on all cores: some three minutes of processor time; "
        "Ctrl-C ends it, and the same command resumes it",
        first,
    )
    assert (ended.status, last) == (2, "fingerpost: stopped")

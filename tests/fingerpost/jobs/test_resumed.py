"""Long jobs with a state: an interrupted one resumes there, and that of another is refused."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

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
    UNIFORM,
    Run,
    words,
)

FILES = [NETWORKS / f"{name}.yaml" for name in ("petersen", "star-4", "borel-21", "kyklos-2-2-4")]

SOAKED = "message", "packets", "flits", "delivered", "drained", "errors", "cycles", "networks"
METACYCLIC: dict[str, Any] = {"family": "metacyclic", "diameter": 4, "max_nodes": 90}

JOBS: dict[str, Callable[..., Any]] = {
    "search": lambda **more: search(**SMALL_SEARCH, **more)["found"],
    "search from 30 nodes": lambda **more: search(**SMALL_SEARCH, min_nodes=30, **more)["found"],
    "search of another family": lambda **more: search(**METACYCLIC, **more)["found"],
    "sweep": lambda **more: sweep([load(x) for x in FILES[:2]], UNIFORM, **SMALL_SWEEP, **more),
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
        (SEARCH, "--p-max 20", "--p-max 21", "search with p_max 20, not 21"),
        (SEARCH, "--p-max 20", "--p-max 20 --p-min 3", "search with p_min 2, not 3"),
        (SEARCH, "--p-max 20", "--p-max 20 --min-nodes 9", "search with min_nodes None, not 9"),
        (SWEEP, "--cycles 61", "--cycles 60", "sweep with cycles 61, not 60"),
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

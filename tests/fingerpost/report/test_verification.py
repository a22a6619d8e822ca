"""What the page tells of benches, proofs and mutants: sums made by hand."""

import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from fingerpost.cli import saved_answers as stored
from fingerpost.report.evidence import verification
from tests.fingerpost.common import Page

RUN = {
    "network": "ring", "level": "router", "simulator": "verilator", "mismatches": 1,
    "cycles": 2468, "message": "cycle 7 differs", "date": "2026-11-22T15:40:07+00:00",
    "versions": {"amaranth": "0.5.10", "verilator": "5.48.0"},
    "covered": 98, "coverable": 100, "missing": [f"turn {number}" for number in range(22)],
}  # fmt: skip


def proof(component: str, parameters: str, verdict: str, *broken: str) -> dict[str, Any]:
    return {
        "component": component, "parameters": parameters, "properties": ["fair", "one_hot"],
        "engine": "abc pdr", "verdict": verdict, "broken": list(broken), "seconds": 61.6,
    }  # fmt: skip


PROOFS = [
    proof("arbiter", "ports=2", "proven"), proof("arbiter", "ports=5", "broken", "fair"),
    proof("queue", "depth=3", "undecided"),
]  # fmt: skip


def mutant(component: str, verdict: str, network: str = "torus") -> dict[str, Any]:
    return {"network": network, "component": component, "verdict": verdict, "mutant": "and -> or"}


MUTANTS = [
    mutant("queue", "killed by network"), mutant("queue", "killed by router", "rotator"),
    mutant("queue", "equivalent"), mutant("queue", "explained"), mutant("queue", "alive"),
    mutant("arbiter", "equivalent"),
]  # fmt: skip


def shown(*runs: Any, formal: Any = (), mutation: Any = ()) -> str:
    subject: Any = SimpleNamespace(name="ring")
    return Page(f"<main>{verification([subject], {'ring': runs}, formal, mutation)}</main>").text


def test_benches_with_date_tools_and_coverage() -> None:
    text = shown(RUN, RUN | {"level": "path", "mismatches": 0, "message": ""})
    about = "2026-11-22 15:40 UTC amaranth 0.5.10, verilator 5.48.0"
    assert f"ring router verilator 2,468 cycles 1 cycle 7 differs {about}" in text
    assert f"ring path verilator 2,468 cycles 0 none {about}" in text
    assert "ring router 98 100 turn 0, turn 1," in text
    assert "turn 19 and 2 more" in text
    assert "Coverage" not in shown({key: RUN[key] for key in RUN if key != "covered"})


def test_lines_by_module() -> None:
    row = {
        "module": "router.queue", "lines": 1200, "lines_seen": 1199, "toggles": 30,
        "toggles_seen": 27, "missing": ["line 7, 5: if", "full rises"],
    }  # fmt: skip
    text = shown(RUN | {"lines": [row, row | {"module": "router"}]})
    assert "module lines lines seen toggles toggles seen not seen" in text
    assert "ring router router.queue 1,200 1,199 30 27 line 7, 5: if, full rises" in text
    assert "ring router all 2,400 2,398 60 54 4 in all" in text
    assert "Verilog gone through" not in shown(RUN)


def test_proofs_by_component() -> None:
    text = shown(formal=[{"proofs": PROOFS, "stored": "2026-11-20", "versions": {"abc": "1.01"}}])
    assert "component proofs properties proven broken undecided seconds" in text
    assert "arbiter 2 2 1 1 0 123" in text
    assert "queue 1 2 0 0 1 62" in text
    assert "all 3 4 1 1 1 185" in text
    assert "Not proven: arbiter, ports=5: broken (fair) queue, depth=3: undecided" in text
    assert "file of 2026-11-20; abc 1.01" in text
    assert "Not proven" not in shown(formal=[{"proofs": PROOFS[:1]}])


def test_mutants_by_component() -> None:
    text = shown(mutation=[{"mutants": MUTANTS, "date": "2026-11-21T23:30:00-02:00"}])
    assert "Mutants of nodes of torus, rotator" in text
    assert "component made killed equivalent explained alive killed [%]" in text
    assert "queue 5 2 1 1 1 50.0" in text  # 2 of the 4 that are not equivalent
    assert "arbiter 1 0 1 0 0 none differs" in text
    assert "all 6 2 2 1 1 50.0" in text
    assert "Alive: torus, queue: and -> or" in text
    assert "2026-11-22 01:30 UTC" in text
    assert "Alive" not in shown(mutation=[{"mutants": MUTANTS[:4]}])


def test_what_is_not_given_is_left_out() -> None:
    assert shown() == ""
    assert "Mutants" not in shown(RUN, formal=[{"proofs": PROOFS}])
    assert "Proofs" not in shown(RUN, mutation=[{"mutants": MUTANTS}])


def test_files_are_read_with_their_day(tmp_path: Path) -> None:
    path = tmp_path / "formal.json"
    path.write_text(json.dumps({"proofs": PROOFS}))
    os.utime(path, (86400 * 365, 86400 * 365))
    assert stored.rows("formal", [path]) == [{"stored": "1971-01-01", "proofs": PROOFS}]

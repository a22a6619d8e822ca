"""`report --full`: what no file was given for is measured, and nothing else."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fingerpost.report import full
from fingerpost.testbench.toolchain import ToolError
from tests.fingerpost.common import Run
from tests.fingerpost.report.common import Page
from tests.fingerpost.report.test_page import COSIM, COST, CURVE, NET, SWEEP, stored

Calls = list[tuple[str, list[str]]]


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    """What is measured, of which networks; by programs that take no time."""
    made: Calls = []

    def sweep(networks: Any, sent: Any, **_: Any) -> SimpleNamespace:
        made.append(("sweep", [network.name for network in networks]))
        return SimpleNamespace(facts=SWEEP | {"curves": [CURVE]})

    def cosim(network: Any, level: str, **_: Any) -> SimpleNamespace:
        made.append((f"cosim {level}", [network.name]))
        return SimpleNamespace()

    def cost(network: Any, **_: Any) -> Any:
        made.append(("cost", [network.name]))
        raise ToolError("yosys is missing")

    monkeypatch.setattr(full, "sweep", sweep)
    monkeypatch.setattr(full, "cosim", cosim)
    monkeypatch.setattr(
        full, "cosim_facts", lambda _: COSIM | {"mismatches": 3, "message": "cycle 7"}
    )
    monkeypatch.setattr("fingerpost.cost.cost.facts", cost)
    return made


@pytest.mark.regress
def test_all_that_is_lacking_is_measured(run: Run, calls: Calls, tmp_path: Path) -> None:
    ended = run("report", NET, "-o", tmp_path, "--full")
    assert ended.status == 0
    assert calls == [(kind, ["borel-21"]) for kind in ("sweep", "cosim network", "cost")]
    assert "borel-21: 3 mismatches: cycle 7\n" in ended.err
    assert "borel-21: no cost: yosys is missing\n" in ended.err
    assert "--full" not in ended.err
    page = Page((tmp_path / "borel-21.html").read_text(encoding="utf-8"))
    sections = [each["id"] for each in page.of("section")]
    assert {"latency-under-load", "verification"} <= {*sections}
    assert "borel-21 two-phase 2 12.5 0.625 0.900" in page.text
    assert "borel-21 network icarus 2,468 cycles" in page.text


@pytest.mark.regress
def test_what_is_given_is_not_measured_again(run: Run, calls: Calls, tmp_path: Path) -> None:
    given = (
        *("--sweep", stored(tmp_path, "sweep", **SWEEP)),
        *("--cost", stored(tmp_path, "cost", **COST)),
        *("--cosim", stored(tmp_path, "cosim", **COSIM)),
    )
    assert run("report", NET, "-o", tmp_path, "--full", *given).status == 0
    assert calls == []
    ended = run("report", NET, "-o", tmp_path, *given[2:])
    assert "not on the page: sweep; --full runs" in ended.err
    assert run("report", NET, "-o", tmp_path, "--full", *given[2:]).status == 0
    assert calls == [("sweep", ["borel-21"])]


@pytest.mark.regress
def test_a_full_report_of_a_network(run: Run, tmp_path: Path) -> None:
    ended = run("report", NET, "-o", tmp_path, "--full")
    assert ended.status == 0, ended.err
    page = Page((tmp_path / "borel-21.html").read_text(encoding="utf-8"))
    sections = [each["id"] for each in page.of("section")]
    assert {"latency-under-load", "verification", "deadlock"} <= {*sections}
    assert "Co-simulation: the Verilog against the model" in page.text

"""Terminals that ignore credits, until their counters are full."""

from pathlib import Path
from typing import Any

import pytest

from fingerpost.golden.network.network import build
from fingerpost.testbench.benches.network import NetworkBench
from fingerpost.testbench.cosim import Result, run
from tests.formal.test_planted import planted

PAIR: dict[str, Any] = {
    "name": "pair",
    "topology": {"family": "edge-list", "nodes": 2, "links": [[0, 1]]},
    "routing": {"algorithm": "table"},
    "router": {"buffer_depth": 1, "flit_width": 4},
}


def flood(folder: Path) -> Result:
    bench = NetworkBench(
        build(PAIR), cycles=700, seed=3, load=1.0, lengths=(1, 2), malformed=0.7, stall=0.8,
        surplus=400,
    )  # fmt: skip
    return run(bench, simulator="icarus", directory=folder)


def test_counters_of_both_terminals_fill_in_lock_step(tmp_path: Path) -> None:
    result = flood(tmp_path)
    assert (result.mismatches, result.message) == (0, "")
    assert result.details["overruns"] == 2 * 255
    assert result.details["errors"] > 50


@pytest.mark.regress
def test_a_counter_that_begins_again_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wraps = "m.d.sync += self.overruns.eq(self.overruns + lost)"
    planted(monkeypatch, "router.injection.Injection", "count(m, self.overruns, lost)", wraps)
    result = flood(tmp_path)
    assert result.mismatches > 0
    assert "overruns" in result.message

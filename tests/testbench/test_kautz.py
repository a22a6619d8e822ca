from pathlib import Path

import pytest

from fingerpost.testbench.benches.network import NetworkBench
from fingerpost.testbench.benches.unit import UnitBench
from fingerpost.testbench.cosim import run
from tests.networks import load


@pytest.mark.regress
def test_all_decisions(tmp_path: Path) -> None:
    result = run(UnitBench(load("kautz-2-4")), simulator="icarus", directory=tmp_path)
    assert (result.mismatches, result.message) == (0, "")
    # The header never changes, so that every node is asked about every other as a destination.
    assert result.count > 24**2


@pytest.mark.regress
def test_lock_step(tmp_path: Path) -> None:
    bench = NetworkBench(load("kautz-2-4"), cycles=200, seed=1, load=0.3, lengths=(1, 4))
    result = run(bench, simulator="icarus", directory=tmp_path)
    assert (result.mismatches, result.message) == (0, "")
    assert result.details["delivered"] == result.details["packets"] > 20

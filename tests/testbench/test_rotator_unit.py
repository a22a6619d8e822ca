from pathlib import Path

import pytest

from fingerpost.golden.network.network import build
from fingerpost.testbench.benches.unit import UnitBench
from fingerpost.testbench.cosim import run


@pytest.mark.regress
@pytest.mark.parametrize(
    ("n", "simulator"),
    [(3, "icarus"), (3, "verilator"), (4, "icarus"), (4, "verilator"), (5, "verilator")],
)
def test_all_decisions(n: int, simulator: str, tmp_path: Path) -> None:
    network = build(
        {
            "name": "rotator",
            "topology": {"family": "rotator", "n": n},
            "routing": {"algorithm": "rotator"},
        }
    )
    result = run(UnitBench(network), simulator=simulator, directory=tmp_path)
    assert (result.mismatches, result.message) == (0, "")
    # The header never changes, so that every node is asked about every other as a destination.
    assert result.count > network.topology.nodes**2

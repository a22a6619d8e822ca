from pathlib import Path
from typing import Any

import pytest

from fingerpost.golden.network.network import build
from fingerpost.testbench.benches import make
from fingerpost.testbench.cosim import run

TORUS = {"family": "grid", "sizes": [5, 4], "wrap": True}
MESH = {"family": "grid", "sizes": [3, 6, 2]}


@pytest.mark.regress
@pytest.mark.parametrize(
    ("topology", "algorithm", "simulator"),
    [
        (TORUS, "dimension-order", "icarus"),
        (TORUS, "dimension-order", "verilator"),
        (MESH, "dimension-order", "verilator"),
        (MESH, "up-down", "verilator"),
    ],
)
def test_all_decisions(
    topology: dict[str, Any], algorithm: str, simulator: str, tmp_path: Path
) -> None:
    network = build({"name": "grid", "topology": topology, "routing": {"algorithm": algorithm}})
    result = run(make(network, "unit"), simulator=simulator, directory=tmp_path)
    assert (result.mismatches, result.message) == (0, "")
    # The header never changes, so that every node is asked about every other as a destination.
    assert result.count > network.topology.nodes**2

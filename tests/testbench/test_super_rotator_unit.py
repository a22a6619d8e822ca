from pathlib import Path

import pytest

from fingerpost.golden.network.network import build
from fingerpost.testbench.benches.unit import UnitBench
from fingerpost.testbench.cosim import run


@pytest.mark.regress
@pytest.mark.parametrize(
    ("nodes", "link", "simulator"),
    [
        (13, "min", "icarus"),
        (13, "first", "icarus"),
        (13, "min", "verilator"),
        (13, "first", "verilator"),
        (23, "min", "icarus"),
        (26, "min", "verilator"),
        (48, "min", "verilator"),
        (96, "min", "verilator"),
        (119, "min", "verilator"),
        (120, "min", "verilator"),
    ],
)
def test_all_decisions(nodes: int, link: str, simulator: str, tmp_path: Path) -> None:
    network = build(
        {
            "name": "super-rotator",
            "topology": {"family": "super-rotator", "nodes": nodes},
            "routing": {"algorithm": "class", "link": link},
            # The order of the channels does not matter here, and takes long to search for.
            "router": {"channel_order": list(range(nodes))},
        }
    )
    result = run(UnitBench(network), simulator=simulator, directory=tmp_path)
    assert (result.mismatches, result.message) == (0, "")
    assert result.count > nodes**2

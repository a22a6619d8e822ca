"""AXI4 terminals: every address, R and B in the cycle in which the model has it."""

from pathlib import Path
from typing import Any

import pytest

from fingerpost.golden.network.network import build
from fingerpost.testbench.benches.network import Axi4TimingBench
from fingerpost.testbench.cosim import run
from tests.hdl.terminal.test_axi4 import ALL, BOREL, MESH

HOT = "hotspot:nodes=0,share=0.7"
STORED = {"flow_control": "end-to-end"}


def agrees(folder: Path, description: dict[str, Any], **settings: Any) -> int:
    """Run the bench; return how many events it compared."""
    network = build(MESH | {"memory_map": ALL} | description)
    result = run(Axi4TimingBench(network, **settings), simulator="icarus", directory=folder)
    assert (result.mismatches, result.message) == (0, "")
    return int(result.details["events"])


def test_reads_and_writes_with_contention(tmp_path: Path) -> None:
    description = {"terminal": {"kind": "axi4"}}
    assert agrees(tmp_path, description, cycles=120, load=1.0, traffic=HOT) > 150


@pytest.mark.regress
@pytest.mark.parametrize(
    ("more", "settings"),
    [
        ({}, {"load": 0.03, "cycles": 600, "lengths": (1, 1), "reads": 1.0}),
        ({}, {"memory_cycles": 5, "traffic": HOT}),
        ({}, {"lengths": (100, 256), "reads": 0.9, "cycles": 600}),
        ({"terminal": {"data_width": 64}}, {"memory_cycles": 3}),
        ({"terminal": {"outstanding": 2}}, {"lengths": (1, 3)}),
        ({"terminal": {"managers": [0, 2], "subordinates": [1, 2, 3]}}, {}),
        ({"router": {"flit_width": 64}, "terminal": {"data_width": 64}}, {"lengths": (1, 2)}),
        ({"terminal": STORED}, {}),
        ({"terminal": {"lite": "all"}}, {"lengths": (1, 1)}),
        (
            {"terminal": {"managers": [0, 2], "subordinates": [1, 3], "lite": [1, 3]}},
            {"memory_cycles": 4},
        ),
        ({"router": {"flit_width": 64}, "terminal": STORED | {"data_width": 128}}, {}),
        (BOREL | {"name": "borel", "routing": {"algorithm": "two-phase"}}, {"cycles": 60}),
    ],
    ids=[
        *("alone", "hot", "long", "halves", "few", "some", "wide", "stored"),
        *("lite", "lite memories", "wide halves", "borel-21"),
    ],
)
def test_networks(tmp_path: Path, more: dict[str, Any], settings: dict[str, Any]) -> None:
    terminal = {"kind": "axi4"} | more.get("terminal", {})
    usual = {"cycles": 300, "load": 0.9, "seed": 7}
    assert agrees(tmp_path, more | {"terminal": terminal}, **usual | settings) > 5

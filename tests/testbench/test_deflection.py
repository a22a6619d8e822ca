"""Deflection routers in lock-step: every link and terminal in every cycle, beside the model."""

from pathlib import Path
from typing import Any

import pytest

from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.testbench.benches import make
from fingerpost.testbench.cosim import run
from fingerpost.testbench.toolchain import SIMULATORS
from tests.golden.deflection.examples import TOPOLOGIES, deflection

HOT = "hotspot:nodes=0;1,share=0.5"

CASES: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "borel": ("borel", {}, {"load": 1.0, "malformed": 0.05}),
    "uneven, block RAM": (
        "uneven",
        {"table": "ram", "hop_cycles": 3, "ejections": 1, "injection": "half", "epoch": 5,
         "wait_limit": 4},
        {"load": 0.6, "malformed": 0.2, "stall": 0.7},
    ),
    "links that fail": ("petersen", {"link_up": True}, {"load": 0.9}),
    "digraph": (
        "digraph",
        {"flit_width": 8, "epoch": 4, "wait_limit": 4},
        {"load": 1.0, "traffic": HOT},
    ),
}  # fmt: skip
"""Both numbers of cycles a hop, both of ejections, both tables, undirected and directed."""


def lock_step(
    network: DeflectionNetwork, folder: Path, *, simulator: str = "icarus", **stimulus: Any
) -> None:
    bench = make(network, "network", seed=1, **stimulus)
    result = run(bench, simulator=simulator, directory=folder)
    assert (result.mismatches, result.message) == (0, "")
    assert result.details["delivered"] == result.details["packets"] > 50


@pytest.mark.parametrize("case", CASES)
def test_lock_step(case: str, tmp_path: Path) -> None:
    name, router, stimulus = CASES[case]
    lock_step(deflection(name, **router), tmp_path, cycles=120, **stimulus)


EVERY = [
    pytest.param(
        name,
        {
            "hop_cycles": 3 + i % 2,
            "ejections": 1 + i // 2 % 2,
            "table": table,
            "epoch": 6,
            "wait_limit": 4 + i % 3,
            "link_up": table == "luts" and name not in ("kautz", "digraph"),
        },
        id=f"{name}-{table}",
    )
    for i, name in enumerate(TOPOLOGIES)
    for table in ("ram", "luts")
]


@pytest.mark.regress
@pytest.mark.parametrize("simulator", SIMULATORS)
@pytest.mark.parametrize(("name", "router"), EVERY)
def test_lock_step_of_every_kind_of_node(
    name: str, router: dict[str, Any], simulator: str, tmp_path: Path
) -> None:
    for load in (0.2, 1.0):
        stimulus = {"load": load, "malformed": 0.05, "stall": 0.3, "traffic": HOT}
        lock_step(
            deflection(name, **router), tmp_path, simulator=simulator, cycles=1000, **stimulus
        )

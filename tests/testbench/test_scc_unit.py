from pathlib import Path
from typing import Any

import pytest

from fingerpost.golden.network.network import build
from fingerpost.testbench.benches.unit import UnitBench
from fingerpost.testbench.cosim import run
from fingerpost.testbench.toolchain import SIMULATORS

ALGORITHMS: dict[str, dict[str, Any]] = {
    "greedy": {"algorithm": "greedy"},
    "greedy-none": {"algorithm": "greedy", "memory": "none"},
    "random": {"algorithm": "random"},
    "near-minimal": {"algorithm": "near-minimal"},
    "minimal": {"algorithm": "minimal"},
}

SHORT = {("scc", 3, "random", "icarus")}
"""What the short run asks for; all else is left to the long one."""

cases = [
    pytest.param(
        *case, marks=[] if case in SHORT else [pytest.mark.regress], id="-".join(map(str, case))
    )
    for family, n in (("star", 3), ("star", 4), ("star", 5), ("scc", 3), ("scc", 4))
    for name in ALGORITHMS
    for simulator in SIMULATORS
    for case in [(family, n, name, simulator)]
]


def check(
    family: str, n: int, name: str, simulator: str, folder: Path, *, nodes: int | None = None
) -> None:
    """Ask every node about all destinations, and one of each orbit about all that passes it."""
    orbits = 2 * (n - 1) if family == "scc" else 2
    network = build(
        {
            "name": f"{family}-{n}-{name}",
            "topology": {"family": family, "n": n},
            "routing": ALGORITHMS[name],
            # Any order does: this is about decisions.
            "router": {"channel_order": list(range(orbits)), "flit_width": 64},
        }
    )
    result = run(UnitBench(network, seed=1, nodes=nodes), simulator=simulator, directory=folder)
    assert (result.mismatches, result.message) == (0, "")
    assert result.count > (nodes or network.topology.nodes) * network.topology.nodes


@pytest.mark.parametrize(("family", "n", "name", "simulator"), cases)
def test_all_decisions(family: str, n: int, name: str, simulator: str, tmp_path: Path) -> None:
    check(family, n, name, simulator, tmp_path)


@pytest.mark.verilator
@pytest.mark.regress
@pytest.mark.parametrize("n", [5, 6])
@pytest.mark.parametrize("name", ALGORITHMS)
def test_all_decisions_of_larger_networks(n: int, name: str, tmp_path: Path) -> None:
    check("scc", n, name, "verilator", tmp_path)


@pytest.mark.verilator
@pytest.mark.regress
@pytest.mark.parametrize("name", ["greedy", "greedy-none"])
def test_decisions_of_some_nodes(name: str, tmp_path: Path) -> None:
    check("scc", 7, name, "verilator", tmp_path, nodes=20)

"""Routes and lock-step of every algorithm that is there in hardware."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fingerpost.golden.network.network import Network, build
from fingerpost.testbench.benches import make
from fingerpost.testbench.benches.network import NetworkBench
from fingerpost.testbench.benches.path import PathBench
from fingerpost.testbench.benches.router import RouterBench
from fingerpost.testbench.benches.unit import UnitBench
from fingerpost.testbench.benches.unit_cocotb import questions
from fingerpost.testbench.cosim import Result, run
from fingerpost.testbench.toolchain import SIMULATORS
from tests.testbench.faults.networks import TURNING

BOREL = {"family": "borel", "p": 7, "a": 2, "A": (0, 1), "B": (1, 1)}
SCC = {"family": "scc", "n": 4}
KYKLOS = {"family": "kyklos", "m": 2, "r": 2, "n": 4}
PETERSEN = {"family": "edge-list", "nodes": 10, "links": [
    *((i, (i + 1) % 5) for i in range(5)), *((i, i + 5) for i in range(5)),
    *((i + 5, (i + 2) % 5 + 5) for i in range(5)),
]}  # fmt: skip

CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "two-phase": (BOREL, {"algorithm": "two-phase"}),
    "two-phase-computed": (BOREL | {"A": (1, 1), "B": (2, 4)},
                           {"algorithm": "two-phase", "phase1": "computed"}),
    "vertex-transitive": (BOREL, {"algorithm": "vertex-transitive"}),
    "vertex-transitive-absolute": (
        BOREL, {"algorithm": "vertex-transitive", "address": "absolute"},
    ),
    "vertex-transitive-source": (BOREL, {"algorithm": "vertex-transitive", "path": "source"}),
    "adaptive": (BOREL, {"algorithm": "adaptive"}),
    "chordal-ring-1": (BOREL, {"algorithm": "chordal-ring", "lookahead": 1}),
    "chordal-ring-2": (BOREL, {"algorithm": "chordal-ring", "lookahead": 2}),
    "chordal-ring-paper": (BOREL, {"algorithm": "chordal-ring", "rule": "paper"}),
    "borel-table": (BOREL, {"algorithm": "table"}),
    "greedy": (SCC, {"algorithm": "greedy"}),
    "greedy-none": (SCC, {"algorithm": "greedy", "memory": "none"}),
    "random": (SCC, {"algorithm": "random"}),
    "near-minimal": (SCC, {"algorithm": "near-minimal"}),
    "minimal": (SCC, {"algorithm": "minimal"}),
    "star": ({"family": "star", "n": 4}, {"algorithm": "greedy"}),
    "kyklos-m": (KYKLOS, {"algorithm": "m"}),
    "kyklos-h2": (KYKLOS, {"algorithm": "h2"}),
    "kyklos-p2": (KYKLOS, {"algorithm": "p2"}),
    "kyklos-modified-p2": (KYKLOS, {"algorithm": "modified-p2"}),
    "kyklos-y2": (KYKLOS, {"algorithm": "y2"}),
    "rotator": ({"family": "rotator", "n": 4}, {"algorithm": "rotator"}),
    "super-rotator-13": ({"family": "super-rotator", "nodes": 13}, {"algorithm": "class"}),
    "super-rotator-23": ({"family": "super-rotator", "nodes": 23}, {"algorithm": "class"}),
    "kautz": ({"family": "kautz", "degree": 2, "diameter": 4}, {"algorithm": "shift"}),
    "petersen": (PETERSEN, {"algorithm": "table"}),
    "double-loop": ({"family": "double-loop", "nodes": 9, "a": 1, "b": 2}, {"algorithm": "table"}),
    "metacyclic": (
        {"family": "metacyclic", "m": 8, "k": 4, "r": 3, "A": (1, 1), "B": (2, 1)},
        {"algorithm": "two-phase"},
    ),
    "metacyclic-digraph": (
        {"family": "metacyclic-digraph", "m": 5, "k": 4, "r": 2, "A": (1, 0), "B": (3, 1)},
        {"algorithm": "table"},
    ),
    "mesh": ({"family": "grid", "sizes": [3, 4]}, {"algorithm": "dimension-order"}),
    "torus": ({"family": "grid", "sizes": [5, 3], "wrap": True}, {"algorithm": "dimension-order"}),
    "hypercube": ({"family": "grid", "sizes": [2] * 4}, {"algorithm": "dimension-order"}),
    "up-down": (PETERSEN, {"algorithm": "up-down"}),
    "kyklos-up-down": (KYKLOS, {"algorithm": "up-down"}),
}  # fmt: skip
"""Topology and routing of every case."""

FLAT = ("two-phase", "random", "kyklos-m", "super-rotator-13")
"""What Verilator compiles as a whole, too: with its nodes compiled apart it is as strong."""


def network(case: str) -> Network:
    topology, routing = CASES[case]
    return build({"name": case, "topology": topology, "routing": routing, "router": {}})


def check(result: Result) -> None:
    assert (result.mismatches, result.message) == (0, "")


@pytest.mark.parametrize("simulator", SIMULATORS)
@pytest.mark.regress
@pytest.mark.parametrize("case", CASES)
def test_routes_made_of_the_units_own_decisions(case: str, simulator: str, tmp_path: Path) -> None:
    net = network(case)
    result = run(PathBench(net), simulator=simulator, directory=tmp_path)
    check(result)
    terminals = len(net.topology.terminals)
    assert result.details["routes"] == terminals**2
    assert result.count >= terminals**2


@pytest.mark.parametrize("simulator", SIMULATORS)
@pytest.mark.regress
@pytest.mark.parametrize("case", CASES)
def test_every_decision(case: str, simulator: str, tmp_path: Path) -> None:
    check(run(UnitBench(network(case)), simulator=simulator, directory=tmp_path))


@pytest.mark.regress
@pytest.mark.parametrize("case", CASES)
def test_lock_step_in_icarus(case: str, tmp_path: Path) -> None:
    result = run(
        NetworkBench(network(case), cycles=150, seed=1, load=0.3, lengths=(1, 4)),
        simulator="icarus",
        directory=tmp_path,
    )
    check(result)
    assert result.details["delivered"] == result.details["packets"] > 20


@pytest.mark.regress
@pytest.mark.parametrize("way", ["cocotb", "compiled"])
def test_heads_that_turn_into_rings_let_others_pass(way: str, tmp_path: Path) -> None:
    net, cycles = build(TURNING), {"cocotb": 300, "compiled": 10_000}[way]
    bench = make(net, "network", engine=way, cycles=cycles, seed=4, load=0.9, lengths=(1, 5))
    result = run(
        bench, simulator="verilator" if way == "compiled" else "icarus", directory=tmp_path
    )
    check(result)
    assert result.details["delivered"] == result.details["packets"] > 100


@pytest.mark.regress
@pytest.mark.parametrize(
    ("case", "way"), [*((case, "compiled") for case in CASES), *((case, "cocotb") for case in FLAT)]
)
def test_lock_step_in_verilator(case: str, way: str, tmp_path: Path) -> None:
    net = network(case)
    for load in (0.1, 0.6):  # one build for both
        bench = make(
            net,
            "network",
            engine=way,
            cycles=3000,
            seed=2,
            load=load,
            lengths=(1, 5),
            malformed=0.03,
        )
        result = run(bench, simulator="verilator", directory=tmp_path)
        check(result)
        assert result.details["delivered"] == result.details["packets"] > 100


@pytest.mark.regress
@pytest.mark.parametrize("case", CASES)
def test_router_of_every_kind(case: str, tmp_path: Path) -> None:
    net = network(case)
    some = np.random.default_rng(0)
    tried = set()
    for node, node_type in enumerate(net.topology.node_type):
        # Some algorithms leave the roots of some trees alone.
        if node_type in tried or not any(questions(net, np.array([node]), some)):
            continue
        tried.add(node_type)
        result = run(
            RouterBench(net, cycles=400, seed=node),
            simulator="icarus",
            directory=tmp_path / str(node),
        )
        check(result)
    assert len(tried) >= len(net.topology.node_types) - 1


# The papers' own figures, measured on the Verilog.


BOREL_1081 = {"family": "borel", "p": 47, "a": 2, "A": (1, 1), "B": (7, 1)}
"""Set 1 of Table III of two-phase-1995."""


@pytest.mark.verilator
@pytest.mark.regress
@pytest.mark.parametrize(
    ("topology", "routing", "ends", "mean"),
    [
        # two-phase-1995, Table III, set 1; the CR figures are those of node 0.
        (BOREL_1081, {"algorithm": "two-phase"}, {}, 7.67),
        (BOREL_1081, {"algorithm": "vertex-transitive"}, {}, 5.54),
        (BOREL_1081, {"algorithm": "chordal-ring", "lookahead": 1}, {"start": [0]}, 24.50),
        (BOREL_1081, {"algorithm": "chordal-ring", "lookahead": 2}, {"start": [0]}, 13.67),
        # star-connected-cycles-1995, Table 2: to <2, 12345>, over all 480 nodes.
        (
            {"family": "scc", "n": 5},
            {"algorithm": "greedy"},
            {"start": list(range(480)), "end": [119 * 4]},
            8.812 * 480 / 479,
        ),
        # kyklos-1988: of a slice of 3 bits the mean length is 17/8; two slices, up and down.
        ({"family": "kyklos", "m": 2, "r": 2, "n": 6}, {"algorithm": "h2"}, {}, 8.5 * 64 / 63),
    ],
)
def test_averages_of_the_papers_measured_on_the_verilog(
    topology: dict[str, Any],
    routing: dict[str, Any],
    ends: dict[str, list[int]],
    mean: float,
    tmp_path: Path,
) -> None:
    net = build({"name": "paper", "topology": topology, "routing": routing, "router": {}})
    result = run(
        PathBench(net, start=ends.get("start"), end=ends.get("end")),
        simulator="verilator",
        directory=tmp_path,
    )
    check(result)
    assert result.details["mean_hops"] == pytest.approx(mean, abs=0.005)

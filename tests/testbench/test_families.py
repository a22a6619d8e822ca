"""Routes and lock-step of every algorithm that is there in hardware, and of every family."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fingerpost.golden.network.network import Network, build
from fingerpost.testbench.benches import make
from fingerpost.testbench.benches.network import NetworkBench
from fingerpost.testbench.benches.questions import questions
from fingerpost.testbench.benches.router import RouterBench
from fingerpost.testbench.benches.unit import PathBench, UnitBench
from fingerpost.testbench.toolchain import SIMULATORS
from tests.networks import CASES, EXAMPLES
from tests.testbench.agreement import agree, deliver

KYKLOS = {"family": "kyklos", "m": 2, "r": 2, "n": 4}

GRIDS = {"mesh": [3, 4], "hypercube": [2] * 4}

MORE: dict[str, dict[str, Any]] = {
    **CASES,
    **{
        name: {
            "topology": {"family": "grid", "sizes": sizes},
            "routing": {"algorithm": "dimension-order"},
        }
        for name, sizes in GRIDS.items()
    },
    **{
        f"chordal-ring-{steps}": {
            "topology": {"family": "borel", **EXAMPLES["borel"]},
            "routing": {"algorithm": "chordal-ring", "lookahead": steps},
        }
        for steps in (1, 2)
    },
    "super-rotator-23": {
        "topology": {"family": "super-rotator", "nodes": 23},
        "routing": {"algorithm": "class"},
    },
    "kyklos-up-down": {"topology": KYKLOS, "routing": {"algorithm": "up-down"}},
    **{
        family: {"topology": {"family": family, **keys}, "routing": {"algorithm": "table"}}
        for family, keys in EXAMPLES.items()
        if not any(case["topology"]["family"] == family for case in CASES.values())
    },
}
"""Topology and routing of every case: each algorithm, and each family that has none of its own."""

PLAIN = [name for name, case in MORE.items() if len(case["routing"]) == 1]
"""Without the choices that an algorithm leaves: what they change is decisions alone."""

FIRST = {case["topology"]["family"]: name for name, case in reversed(MORE.items())}.values()
"""One of each family: routes are made of decisions, which are all compared besides."""

FLAT = ("two-phase-borel", "random-scc", "m-kyklos", "class-super-rotator")
"""What Verilator compiles as a whole, too: with its nodes compiled apart it is as strong."""


def network(case: str) -> Network:
    return build({**MORE[case], "name": case, "router": {}})


@pytest.mark.parametrize("simulator", SIMULATORS)
@pytest.mark.regress
@pytest.mark.parametrize("case", FIRST)
def test_routes_made_of_the_units_own_decisions(case: str, simulator: str, tmp_path: Path) -> None:
    net = network(case)
    result = agree(PathBench(net), tmp_path, simulator)
    terminals = len(net.topology.terminals)
    assert result.details["routes"] == terminals**2
    assert result.count >= terminals**2


@pytest.mark.parametrize("simulator", SIMULATORS)
@pytest.mark.regress
@pytest.mark.parametrize("case", MORE)
def test_every_decision(case: str, simulator: str, tmp_path: Path) -> None:
    agree(UnitBench(network(case)), tmp_path, simulator)


@pytest.mark.regress
@pytest.mark.parametrize("case", MORE)
def test_lock_step_in_icarus(case: str, tmp_path: Path) -> None:
    deliver(NetworkBench(network(case), cycles=150, seed=1, load=0.3, lengths=(1, 4)), tmp_path)


@pytest.mark.regress
@pytest.mark.parametrize(
    ("case", "way"), [*((case, "compiled") for case in PLAIN), *((case, "cocotb") for case in FLAT)]
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
        deliver(bench, tmp_path, "verilator", more_than=100)


@pytest.mark.regress
@pytest.mark.parametrize("case", PLAIN)
def test_router_of_every_kind(case: str, tmp_path: Path) -> None:
    net = network(case)
    some = np.random.default_rng(0)
    tried = set()
    for node, node_type in enumerate(net.topology.node_type):
        # Some algorithms leave the roots of some trees alone.
        if node_type in tried or not any(questions(net, np.array([node]), some)):
            continue
        tried.add(node_type)
        agree(RouterBench(net, cycles=400, seed=node), tmp_path / str(node))
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
    result = agree(
        PathBench(net, start=ends.get("start"), end=ends.get("end")), tmp_path, "verilator"
    )
    assert result.details["mean_hops"] == pytest.approx(mean, abs=0.005)

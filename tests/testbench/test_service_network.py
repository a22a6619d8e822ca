"""Networks of Verilog under pressure: each terminal gets its share, no packet waits for ever."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fingerpost.golden.network.network import Network
from fingerpost.golden.service.endless import endless
from fingerpost.golden.service.flows import Flows, hot_spot, permutation
from fingerpost.golden.service.judgement import Judgement, judge, judge_flows
from fingerpost.netfile.source import load
from fingerpost.testbench.benches import make
from fingerpost.testbench.benches.service_network import ServiceNetworkBench
from fingerpost.testbench.cosim import run

NETWORKS = Path(__file__).parents[2] / "networks"

LEAST = 0.5
"""Of what locally fair merging gives."""

PATIENCE = 4
"""Packet times, at the rate that fair merging gives, for which a source can have to wait."""

ONSET = 8
"""The same for its first packet, which can have to wait at each hop."""

LARGE = ("borel-21", "borel-21-shortest", "petersen", "rotator-4", "scc-4")


def trial(destination: np.ndarray, length: int, cycles: int) -> dict[str, Any]:
    return {"destination": destination.tolist(), "length": length, "cycles": cycles}


def judgements(
    network: Network, trials: list[dict[str, Any]], simulator: str, folder: Path
) -> list[Judgement]:
    bench = ServiceNetworkBench(network, trials=trials)
    return bench.judgements(run(bench, simulator=simulator, directory=folder).details["found"])


def check(found: Judgement) -> None:
    assert found.starved == 0, f"{found.starved} of {found.judged} starve"
    assert found.behind >= LEAST, f"node {found.poorest} gets {found.behind:.4f} of its part"
    assert found.patience <= PATIENCE, f"{found.gap} cycles, {found.patience:.1f} packet times"
    assert found.onset <= ONSET, f"the first waits {found.onset:.1f} packet times"


@pytest.mark.regress
def test_hardware_and_model_serve_alike(tmp_path: Path) -> None:
    # What the model's bench shows of a network holds for the hardware.
    network = load(NETWORKS / "petersen.yaml")
    tried = [(hot_spot(network, 0), 5), (permutation(network, 1), 3)]
    trials = [trial(*one, 500) for one in tried]
    found = judgements(network, trials, "icarus", tmp_path)
    flows = [Flows(network, goal, length=size) for goal, size in tried]
    for each in flows:
        each.run(500)
    goals = [goal for goal, _ in tried]
    assert found == [judge_flows(*each) for each in zip(flows, goals, strict=True)]


@pytest.mark.regress
def test_long_runs_of_the_model_are_those_of_the_hardware(tmp_path: Path) -> None:
    # What `benchmarks.service --rtl` does for 200,000 cycles.
    network = load(NETWORKS / "petersen.yaml")
    goal, cycles = permutation(network, 1), 800
    traffic = endless(network, goal, length=3, cycles=cycles)
    options: dict[str, Any] = {"cycles": cycles, "load": None, "traffic": traffic, "stall": 0.0}
    bench = make(network, "network", engine="compiled", **options)
    result = run(bench, simulator="verilator", directory=tmp_path)
    assert (result.mismatches, result.message) == (0, "")
    found, facts = judge(network, goal, length=3, cycles=cycles), result.details
    assert facts["packets"] == facts["delivered"]
    # What was under way when terminals stopped came after the time that the model was judged for.
    late = facts["flits"] - found.accepted * cycles
    assert 0 <= late <= 3 * network.topology.nodes * network.buffer_depth


@pytest.mark.verilator
@pytest.mark.regress
@pytest.mark.parametrize("name", LARGE)
def test_everybody_gets_its_part(name: str, tmp_path: Path) -> None:
    network = load(NETWORKS / f"{name}.yaml")
    node = int(network.topology.terminals[0])
    tried = [
        trial(destination, length, 20_000)
        for destination in (hot_spot(network, node), permutation(network, 1))
        for length in (1, 4, 64)
    ]
    for found in judgements(network, tried, "verilator", tmp_path):
        check(found)

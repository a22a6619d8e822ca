"""Decisions per second: golden, and the hardware in both simulators, compared as they are made."""

import time
from pathlib import Path

import numpy as np

from benchmarks.table import show
from fingerpost.golden.network.network import Network
from fingerpost.jobs.console import stdout_to_stderr
from fingerpost.netfile.source import load
from fingerpost.testbench import cosim
from fingerpost.testbench.benches.unit import UnitBench

NETWORK = Path("networks/borel-1081.yaml")
DIRECTORY = Path("build/bench")

SIMULATED: dict[str, int | None] = {"verilator": None, "icarus": 20}
"""The nodes that each simulator is asked about; None: all."""


def golden(network: Network) -> tuple[int, float]:
    """Decide at every node for every destination, from its terminal, in one call."""
    topology, routing = network.topology, network.routing
    n = topology.nodes
    node, destination = np.divmod(np.arange(n * n), n)
    local = np.full(n * n, topology.local)
    started = time.perf_counter()
    routing.decide(node, local, routing.encode(node, destination))
    return n * n, time.perf_counter() - started


def main() -> None:
    """Measure golden and both simulators in one run."""
    network = load(NETWORK)
    count, seconds = golden(network)
    base = count / seconds
    rows = [("golden", f"{count:,}", f"{seconds:.1f}", "", f"{base:,.0f}", "1", "")]
    for simulator, nodes in SIMULATED.items():
        with stdout_to_stderr():
            result = cosim.run(
                UnitBench(network, nodes=nodes), simulator=simulator, directory=DIRECTORY
            )
        speed = result.count / result.seconds
        built = f"{result.build_seconds:.1f}"
        rows.append(
            (
                simulator, f"{result.count:,}", f"{result.seconds:.1f}", built,
                f"{speed:,.0f}", f"1/{base / speed:,.0f}", str(result.mismatches),
            )
        )  # fmt: skip
    columns = "", "decisions", "s", "build s", "decisions/s", "of golden", "mismatches"
    show(f"Decisions, {network.name}; a simulation includes golden and cocotb", columns, rows)


if __name__ == "__main__":
    main()

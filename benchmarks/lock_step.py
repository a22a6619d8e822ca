"""Large networks in lock-step, their nodes compiled: what it takes to build, and how fast it is.

``python -m benchmarks.lock_step [--json] [--verilated] [--cycles N] [--length N] [--load L,L]
[NETWORK...]``. A network is one of `networks`, by name, or any file. With --verilated each node
runs in Verilator, none side by side. Every link and terminal is compared in every
cycle. With --json one object on standard output.
"""

import os
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.table import arguments, tell
from fingerpost.netfile.source import load
from fingerpost.testbench.benches import make
from fingerpost.testbench.compiled import build as building
from fingerpost.testbench.cosim import run

NETWORKS = Path("networks")

NAMES = ("borel-1081", "borel-1081-shortest", "scc-5", "kyklos-2-2-6", "mesh-32x32")

LOADS = 0.1, 0.3, 1.0


def children() -> float:
    """Return the processor time of the compilers that have run so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def memory(whose: int) -> float:
    """Return the most that this process, or a compiler, has held."""
    return resource.getrusage(whose).ru_maxrss / 2**20


def measure(
    name: str, loads: Sequence[float], cycles: int, length: int, directory: Path
) -> Iterator[dict[str, Any]]:
    """Yield what comes of each load."""
    network = load(Path(name) if name.endswith(".yaml") else NETWORKS / f"{name}.yaml")
    built = partial(run, simulator="verilator", directory=directory)
    options: dict[str, Any] = {"engine": "compiled", "lengths": (length, length), "stall": 0.0}
    before = children()
    # The first run builds, and compiles the model too.
    first = built(make(network, "network", cycles=20, load=0.1, **options))
    compilers = children() - before
    for offered in loads:
        started = time.process_time()
        result = built(make(network, "network", cycles=cycles, load=offered, **options))
        facts = result.details
        model, hardware = (facts[f"{side}_cpu_seconds"] for side in ("model", "hardware"))
        yield {
            "network": network.name,
            "nodes": network.topology.nodes,
            "load": offered,
            "packet_length": length,
            "cycles": result.count,
            "packets": facts["packets"],
            "delivered": facts["delivered"],
            "flits": facts["flits"],
            "mismatches": result.mismatches,
            "message": result.message,
            "build_seconds": first.build_seconds,
            "build_cpu_seconds": compilers,
            "seconds": result.seconds,
            "cpu_seconds": time.process_time() - started,
            "model_cpu_seconds": model,
            "hardware_cpu_seconds": hardware,
            "model_cycles_per_cpu_second": result.count / model,
            "hardware_cycles_per_cpu_second": result.count / hardware,
            "cycles_per_cpu_second": result.count / (model + hardware),
            "cycles_per_second": result.count / result.seconds,
            "gibibytes": memory(resource.RUSAGE_SELF),
            "compiler_gibibytes": memory(resource.RUSAGE_CHILDREN),
        }


def main() -> None:
    """Measure, and print a table or an object."""
    asked = arguments(
        __doc__, "networks", verilated=False, cycles=10_000, length=1, load=LOADS,
        directory=Path("sim_build"),
    )  # fmt: skip
    if asked.verilated:
        building.SEVERAL = sys.maxsize
    rows = (
        row
        for name in asked.networks or NAMES
        for row in measure(name, asked.load, asked.cycles, asked.length, asked.directory)
    )
    title = (
        "Networks in lock-step, nodes compiled; cycles per second of processor time, and of time"
    )
    tell(asked, title, rows, processors=os.cpu_count())


if __name__ == "__main__":
    main()

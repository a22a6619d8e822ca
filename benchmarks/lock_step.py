"""Large networks in lock-step, their nodes compiled: what it takes to build, and how fast it is.

``python -m benchmarks.lock_step [--json] [--verilated] [--cycles N] [--length N] [--load L]...
[NETWORK...]``. A network is one of `networks`, by name, or any file. With --verilated each node
runs in Verilator, none side by side. Every link and terminal is compared in every
cycle. With --json one object on standard output.
"""

import argparse
import json
import os
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.table import show_rows
from fingerpost.netfile.source import load
from fingerpost.testbench.benches import make
from fingerpost.testbench.compiled import build as building
from fingerpost.testbench.cosim import run

NETWORKS = Path("networks")

NAMES = ("borel-1081", "borel-1081-shortest", "scc-5", "kyklos-2-2-6", "mesh-32x32")

LOADS = 0.1, 0.3, 1.0

CYCLES = 10_000

COLUMNS = {
    "network": "{network}",
    "nodes": "{nodes}",
    "load": "{load}",
    "cycles": "{cycles}",
    "packets": "{packets}",
    "delivered": "{delivered}",
    "differences": "{mismatches}",
    "build s": "{build_seconds:.0f}",
    "build CPU s": "{build_cpu_seconds:.0f}",
    "model cycles/s": "{model_cycles_per_cpu_second:,.0f}",
    "hardware cycles/s": "{hardware_cycles_per_cpu_second:,.0f}",
    "both": "{cycles_per_cpu_second:,.0f}",
    "cycles/s, two cores": "{cycles_per_second:,.0f}",
    "GiB": "{most_gibibytes:.1f}",
}


def children() -> float:
    """Return the processor time of the compilers that have run so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


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
            "gibibytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
            "compiler_gibibytes": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20,
        }


def main() -> None:
    """Measure, and print a table or an object."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("networks", nargs="*", metavar="NETWORK", default=NAMES)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--verilated", action="store_true", help="every node in Verilator")
    parser.add_argument("--cycles", type=int, default=CYCLES)
    parser.add_argument("--length", type=int, default=1, help="flits of a packet")
    parser.add_argument("--load", type=float, action="append", help="several may be given")
    parser.add_argument("--directory", type=Path, default=Path("sim_build"))
    given = parser.parse_args()
    if given.verilated:
        building.SEVERAL = sys.maxsize
    rows = []
    for name in given.networks:
        for row in measure(name, given.load or LOADS, given.cycles, given.length, given.directory):
            rows.append(row)
            pace = f"{row['cycles_per_cpu_second']:.0f} cycles/s"
            print(name, row["load"], pace, row["message"], file=sys.stderr)
    if given.json:
        print(json.dumps({"processors": os.cpu_count(), "networks": rows}))
        return
    title = (
        "Networks in lock-step, nodes compiled; cycles per second of processor time, and of time"
    )
    most = [max(row["gibibytes"], row["compiler_gibibytes"]) for row in rows]
    shown = [row | {"most_gibibytes": x} for row, x in zip(rows, most, strict=True)]
    show_rows(title, COLUMNS, shown)


if __name__ == "__main__":
    main()

"""Cycles of the models per second of processor time, under uniform traffic.

The reference, the compiled model, and with ``--beside`` the reference of another checkout, such as
``git worktree add /tmp/older aaf9f0f``: in turns, several times, of which the best counts. What
is done before the first cycle is told apart.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.table import show_rows
from fingerpost.golden.engine import engine
from fingerpost.golden.traffic import Traffic
from fingerpost.netfile.source import load_any

LOADS = 0.1, 0.4
BATCH = 64

CASES = {
    "borel-21": (2000, 20_000, 1),
    "borel-21 x 64": (2000, 4000, BATCH),
    "borel-1081": (800, 2000, 1),
    "borel-1081-deflection": (400, 2000, 1),
}
"""Cycles of the reference, of the compiled model, and its runs."""

REFERENCE = """
import json, sys, time
from pathlib import Path
from fingerpost.golden.engine import engine
from fingerpost.golden.traffic import Traffic
from fingerpost.netfile import source

name, offered, cycles = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
load = getattr(source, "load_any", source.load)  # older checkouts have one kind of routers
network, warm = load(Path("networks") / f"{name}.yaml"), cycles // 5
started = time.process_time()
model = engine(network, [Traffic(network, offered, cycles + warm)], compiled=False)
prepared = time.process_time() - started
run = model.runs[0]
model.run(warm)
before, started = run.received.sum(), time.process_time()
model.run(cycles)
seconds = time.process_time() - started
accepted = (run.received.sum() - before) / cycles / network.topology.nodes
print(json.dumps([cycles / seconds, float(accepted), prepared]))
"""


class Speed(NamedTuple):
    """Cycles, of all runs, for a second of processor time; load; seconds before the first."""

    cycles: float
    accepted: float
    prepared: float


def reference(name: str, offered: float, cycles: int, folder: Path) -> Speed:
    """Measure the reference model of a checkout."""
    arguments = [sys.executable, "-c", REFERENCE, name, str(offered), str(cycles)]
    ended = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, check=True)
    return Speed(*json.loads(ended.stdout))


def compiled(name: str, offered: float, cycles: int, runs: int) -> Speed:
    """Measure the compiled model, behind a warm-up of a fifth."""
    network, warm = load_any(Path("networks") / f"{name}.yaml"), cycles // 5
    started = time.process_time()
    traffics = [Traffic(network, offered, cycles + warm, seed=seed) for seed in range(runs)]
    model = engine(network, traffics, compiled=True)
    prepared = time.process_time() - started
    model.run(warm)
    before = sum(int(run.received.sum()) for run in model.runs)
    started = time.process_time()
    model.run(cycles)
    seconds = time.process_time() - started
    received = sum(int(run.received.sum()) for run in model.runs) - before
    accepted = received / runs / cycles / network.topology.nodes
    return Speed(runs * cycles / seconds, accepted, prepared)


def measure(beside: Path | None, repeat: int, cases: Iterable[str]) -> list[dict[str, Any]]:
    """Measure some cases at every load, all models in turns; keep the best of each."""
    compiled("borel-21", 0.1, 10, 1)  # compiles, if nothing is kept
    found = []
    for case in cases:
        cycles, more, runs = CASES[case]
        name, _, _ = case.partition(" ")
        for offered in LOADS:
            tried: dict[str, list[Speed]] = {}
            for _ in range(repeat):
                if beside:
                    older = reference(name, offered, cycles, beside)
                    tried.setdefault(f"reference of {beside.name}", []).append(older)
                today = reference(name, offered, cycles, Path.cwd())
                tried.setdefault("reference", []).append(today)
                tried.setdefault("compiled", []).append(compiled(name, offered, more, runs))
            first = max(next(iter(tried.values()))).cycles
            for model, speeds in tried.items():
                best = max(speeds)
                found.append(
                    {"case": case, "offered": offered, "model": model}
                    | best._asdict()
                    | {"ratio": best.cycles / first}
                )
    return found


def main() -> None:
    """Measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--beside", type=Path, help="another checkout of this repository")
    parser.add_argument("--repeat", type=int, default=3, help="times, of which the best counts")
    parser.add_argument("--case", choices=CASES, action="append", help="of these only")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()
    found = measure(given.beside, given.repeat, given.case or CASES)
    if given.json:
        print(json.dumps({"cases": found}))
        return
    columns = {
        "network": "{case}",
        "offered": "{offered}",
        "model": "{model}",
        "accepted": "{accepted:.3f}",
        "cycles/s": "{cycles:,.0f}",
        "ratio": "{ratio:.1f}",
        "before": "{prepared:.2f} s",
    }
    show_rows("Models, packets of 1 flit, processor time", columns, found)


if __name__ == "__main__":
    main()

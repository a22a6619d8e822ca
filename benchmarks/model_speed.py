"""Cycles of the model per second of processor time, under uniform traffic.

As plain Python, compiled, and with ``--beside`` compiled in another checkout, such as
``git worktree add /tmp/older aaf9f0f``: in turns, several times, of which the best counts. What
is done before the first cycle is told apart.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.table import show_rows

LOADS = 0.1, 0.4
BATCH = 64

CASES = {
    "borel-21": (2000, 20_000, 1),
    "borel-21 x 64": (2000, 4000, BATCH),
    "borel-1081": (200, 2000, 1),
    "borel-1081-deflection": (200, 2000, 1),
}
"""Cycles in plain Python, of one run, and compiled; and the runs of the latter."""

PROGRAM = """
import json, sys, time
from pathlib import Path
from fingerpost.golden.traffic import Traffic
from fingerpost.netfile import source
try:
    from fingerpost.golden.engine import engine
except ImportError:  # older checkouts
    from fingerpost.golden.compiled import engine

name, offered, cycles, runs, compiled = json.loads(sys.argv[1])
load = getattr(source, "load_any", source.load)
network, warm = load(Path("networks") / f"{name}.yaml"), cycles // 5
started = time.process_time()
traffics = [Traffic(network, offered, cycles + warm, seed=seed) for seed in range(runs)]
model = engine(network, traffics, compiled=compiled)
prepared = time.process_time() - started
model.run(warm)  # compiles, if nothing is kept
before, started = sum(int(run.received.sum()) for run in model.runs), time.process_time()
model.run(cycles)
seconds = time.process_time() - started
received = sum(int(run.received.sum()) for run in model.runs) - before
accepted = received / runs / cycles / network.topology.nodes
print(json.dumps([runs * cycles / seconds, accepted, prepared]))
"""


class Speed(NamedTuple):
    """Cycles, of all runs, for a second of processor time; load; seconds before the first."""

    cycles: float
    accepted: float
    prepared: float


def speed(folder: Path, *given: object) -> Speed:
    """Measure the model of a checkout, given name, load, cycles, runs and whether compiled."""
    arguments = [sys.executable, "-c", PROGRAM, json.dumps(given)]
    ended = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, check=True)
    return Speed(*json.loads(ended.stdout))


def measure(beside: Path | None, repeat: int, cases: Iterable[str]) -> list[dict[str, Any]]:
    """Measure some cases at every load, all models in turns; keep the best of each."""
    here, found = Path.cwd(), []
    for case in cases:
        cycles, more, runs = CASES[case]
        name, _, _ = case.partition(" ")
        for offered in LOADS:
            tried: dict[str, list[Speed]] = {}
            for _ in range(repeat):
                models = {"plain": (here, name, offered, cycles, 1, False)}
                models["compiled"] = (here, name, offered, more, runs, True)
                if beside:
                    models[f"compiled, {beside.name}"] = (beside, name, offered, more, runs, True)
                for model, given in models.items():
                    tried.setdefault(model, []).append(speed(*given))
            first = max(tried["plain"]).cycles
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
    show_rows("The model, packets of 1 flit, processor time", columns, found)


if __name__ == "__main__":
    main()

"""Cycles of the model per second of processor time, under uniform traffic.

``python -m benchmarks.model_speed [--json] [--beside CHECKOUT] [--repeat N] [CASE...]``. As plain
Python, compiled, and with ``--beside`` compiled in another checkout, such as
``git worktree add /tmp/older aaf9f0f``: in turns, several times, of which the best counts. What
is done before the first cycle is told apart.
"""

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.table import arguments, tell

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


def measure(beside: Path | None, repeat: int, cases: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Measure some cases at every load, all models in turns; yield the best of each."""
    here = Path.cwd()
    for case, offered in product(cases, LOADS):
        cycles, more, runs = CASES[case]
        name, _, _ = case.partition(" ")
        models = {
            "plain": (here, name, offered, cycles, 1, False),
            "compiled": (here, name, offered, more, runs, True),
        }
        if beside:
            models[f"compiled, {beside.name}"] = (beside, name, offered, more, runs, True)
        tried: dict[str, list[Speed]] = {model: [] for model in models}
        for _ in range(repeat):
            for model, given in models.items():
                tried[model].append(speed(*given))
        for model, speeds in tried.items():
            best = max(speeds)
            ratio = {"ratio": best.cycles / max(tried["plain"]).cycles}
            yield {"case": case, "offered": offered, "model": model} | best._asdict() | ratio


def main() -> None:
    """Measure, and print a table or JSON."""
    asked = arguments(__doc__, "cases", beside="", repeat=3)
    beside = Path(asked.beside) if asked.beside else None
    rows = measure(beside, asked.repeat, asked.cases or CASES)
    tell(asked, "The model, packets of 1 flit, cycles per second of processor time", rows)


if __name__ == "__main__":
    main()

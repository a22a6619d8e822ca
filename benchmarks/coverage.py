"""How often `simulate` is right: coverage of its intervals, and whether it calls a load stable.

``python -m benchmarks.coverage [--quick] [--seeds N] [PART...]``. Parts:

- ``coverage``: the part of the 95 % intervals of the mean latency, of points called stable, that
  contain the mean of long independent runs, which no interval of the code enters;
- ``agreement``: runs limited to 2,000 cycles beside runs of 500,000, near saturation.

With --quick six seeds and every third load; by default 60 seeds. What is finished is kept in
build/coverage.jsonl: an interrupted run resumes. Needs networkx.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

import networkx as nx

from benchmarks.table import arguments, show
from fingerpost.golden.measure import Outcome, simulate
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.jobs.runner import Job, Listed, run
from fingerpost.netfile.source import load_any

FOLDER = Path("build")

GRAPH = "random-40"

HOT = "hotspot:share=0.1,nodes=0"

CASES: Mapping[tuple[str, str], Sequence[float]] = {
    (GRAPH, "uniform"): (0.3, 0.5, 0.6, 0.64, 0.66, 0.67, 0.68),
    ("mesh-8x8", "uniform"): (0.3, 0.34, 0.35, 0.36, 0.37),
    ("borel-21", "uniform"): (0.3, 0.6, 0.7, 0.74, 0.76),
    ("star-4", "uniform"): (0.3, 0.5, 0.6, 0.62, 0.64),
    ("borel-21", HOT): (0.2, 0.3, 0.31, 0.32, 0.33),
}
"""Network and traffic, and the loads from low to the knee, just below saturation."""

NEAR = 0.66, 0.67, 0.68, 0.69, 0.70, 0.71, 0.72

TRUTH_SEEDS, TRUTH_CYCLES = range(10_000, 10_004), 100_000

LONG = 500_000

ENOUGH = 55 / 60
"""The part of the seeds that must call a load stable."""

Point = tuple[str, str, float, int, int]
"""Network, traffic, load, seed, and the cycles: 0 are the default; less than 0, all are run."""


@lru_cache
def network_file(name: str) -> Path:
    """Return the file of a network; that of the random graph is made."""
    if name != GRAPH:
        return Path("networks", f"{name}.yaml")
    FOLDER.mkdir(exist_ok=True)
    lines = [f"{a} {b}\n" for a, b in nx.random_regular_graph(4, 40, seed=5).edges()]
    (FOLDER / f"{GRAPH}.txt").write_text("".join(lines))
    file = FOLDER / f"{GRAPH}.yaml"
    topology = f"{{family: edge-list, file: {GRAPH}.txt}}"
    file.write_text(f"name: {GRAPH}\ntopology: {topology}\nrouting: {{algorithm: table}}\n")
    return file


@lru_cache
def network(name: str) -> AnyNetwork:
    """Return a network, with its proof."""
    return load_any(network_file(name))


def measure(name: str, pattern: str, load: float, seed: int, cycles: int) -> dict[str, Any]:
    """Return what a simulation found, as plain data."""
    given: dict[str, Any] = {"cycles": abs(cycles)} if cycles else {}
    if cycles < 0:
        given |= {"precision": 0, "warm_up": 5000}
    found = simulate(network(name), load=load, seed=seed, pattern=pattern, **given)
    return {
        "outcome": found.outcome.value,
        "mean": found.latencies.mean,
        "interval": found.latency.interval if found.latency else None,
        "cycles": found.warm_up + found.cycles,
    }


def measured(points: Iterable[Point]) -> dict[Point, dict[str, Any]]:
    """Return what all of them found, by all cores."""
    FOLDER.mkdir(exist_ok=True)
    # Workers import what they call, so it must not be of __main__.
    work = import_module("benchmarks.coverage").measure
    listed = Listed(list(dict.fromkeys(points)))
    run(Job[Point]("coverage", work, lambda point: point), listed, state=FOLDER / "coverage.jsonl")
    return listed.rows


def coverage(seeds: int, cases: Mapping[tuple[str, str], Sequence[float]]) -> None:
    """Print how many intervals have the mean of long runs inside."""
    points = [(name, pattern, load) for (name, pattern), loads in cases.items() for load in loads]
    own = measured((*point, seed, 0) for point in points for seed in range(seeds))
    stable = {
        point: [
            row for seed in range(seeds) if (row := own[*point, seed, 0])["outcome"] == "stable"
        ]
        for point in points
    }
    judged = [point for point in points if stable[point]]
    long = measured((*point, seed, -TRUTH_CYCLES) for point in judged for seed in TRUTH_SEEDS)
    rows: list[list[object]] = []
    sums: list[list[object]] = []
    for case in cases:
        inside: list[tuple[bool, int, int]] = []
        for point in (point for point in points if point[:2] == case):
            outcomes = Counter(own[*point, seed, 0]["outcome"] for seed in range(seeds))
            told = [outcomes[each.value] for each in (Outcome.STABLE, Outcome.UNSTABLE)]
            usable = told[0] >= ENOUGH * seeds
            cycles = sum(own[*point, seed, 0]["cycles"] for seed in range(seeds)) / seeds
            cells: list[object] = [*point, *told, seeds - sum(told), "yes" if usable else "no"]
            cells += [f"{cycles:.0f}", "", "", ""]
            if stable[point]:
                means = [long[*point, seed, -TRUTH_CYCLES]["mean"] for seed in TRUTH_SEEDS]
                truth = sum(means) / len(means)
                sure = [each["interval"] for each in stable[point] if each["interval"]]
                inside.append((usable, sum(low <= truth <= high for low, high in sure), len(sure)))
                cells[-3:] = f"{truth:.2f}", f"{(max(means) - min(means)) / truth:.1%}", ""
                cells[-1] = "{1}/{2}".format(*inside[-1])
            rows.append(cells)
        sums.append([*case])
        for every in False, True:
            hits, total = (sum(each[k] for each in inside if every or each[0]) for k in (1, 2))
            sums[-1] += [f"{hits}/{total}", f"{hits / total:.1%}" if total else ""]
    columns = "network", "traffic", "load", "stable", "not stable", "undecided", "of use", "cycles"
    show("Coverage of 95 % intervals", (*columns, "mean", "its range", "covered"), rows)
    heads = "network", "traffic", "covered at loads of use", "share", "at all loads", "share"
    show("Intervals of runs called stable that contain the mean", heads, sums)


def agreement(seeds: int, loads: Sequence[float]) -> None:
    """Print what runs of 2,000 cycles say beside long ones; nothing contradicts `undecided`."""
    jobs = [(GRAPH, "uniform", load, seed, 2000) for load in loads for seed in range(seeds)]
    long_jobs = [(GRAPH, "uniform", load, 0, -LONG) for load in loads]
    found = measured([*jobs, *long_jobs])
    decided = Outcome.STABLE.value, Outcome.UNSTABLE.value
    rows = []
    for load in loads:
        truth = found[GRAPH, "uniform", load, 0, -LONG]["outcome"]
        told = Counter(
            found[GRAPH, "uniform", load, seed, 2000]["outcome"] for seed in range(seeds)
        )
        against = sum(told[each] for each in decided if truth in decided and each != truth)
        rows.append([load, truth, *(told[each] for each in (*decided, "undecided")), against])
    columns = "load", f"{LONG:,} cycles", "2,000 cycles: stable", "not stable", "undecided"
    show("Short runs beside long ones", (*columns, "contradict"), rows)


def main() -> None:
    """Measure, and print the tables."""
    asked = arguments(__doc__, "parts", quick=False, seeds=60)
    seeds = 6 if asked.quick else asked.seeds
    some = slice(None, None, 3) if asked.quick else slice(None)
    parts = {
        "coverage": lambda: coverage(seeds, {case: loads[some] for case, loads in CASES.items()}),
        "agreement": lambda: agreement(seeds, [*NEAR][some]),
    }
    for part in asked.parts or parts:
        if part not in parts:
            sys.exit(f"Parts are {', '.join(parts)}, not {part}")
        parts[part]()


if __name__ == "__main__":
    main()

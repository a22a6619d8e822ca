"""Graphs per second and core in the search for dense graphs, and by breadth-first search."""

import time

import numpy as np

from benchmarks.table import show
from fingerpost.golden.analysis.dense import (
    AT_ONCE,
    dense,
    diameters,
    element,
    room,
    steps,
)
from fingerpost.golden.topology import Borel
from fingerpost.golden.topology.distance import distances

DIAMETER = 11
GROUPS = (709, 59), (991, 45), (1321, 33)
"""(p, k) of the densest graphs."""

ONE_BY_ONE = 30
"""Graphs of a group that the plain search does."""

LEAST = 300
"""Graphs per second and core."""


def plain(p: int, k: int) -> float:
    """Return the rate of building each graph and measuring all its distances."""
    a = element(p, k)
    started = time.perf_counter()
    for t1, t2 in steps(k)[:ONE_BY_ONE].tolist():
        distances(Borel(p=p, a=a, A=(t1, 1), B=(t2, 1)).neighbour, 0).max()
    return ONE_BY_ONE / (time.perf_counter() - started)


def together(p: int, k: int) -> float:
    """Return the rate of `diameters`, for graphs whose number of words excludes nothing."""
    a, graphs = element(p, k), steps(k)
    graphs = graphs[room(k, graphs, DIAMETER) >= p]
    batches = np.array_split(graphs, -(-len(graphs) * p * k // AT_ONCE))
    started = time.perf_counter()
    for batch in batches:
        diameters(p, a, k, batch, DIAMETER)
    return len(graphs) / (time.perf_counter() - started)


def search(p: int, k: int) -> float:
    """Return the rate of the whole search."""
    count = len(steps(k))
    started = time.perf_counter()
    dense(p, k, 0, count, DIAMETER)
    return count / (time.perf_counter() - started)


def main() -> None:
    """Measure the three on the same groups."""
    rows = []
    rates = []
    for p, k in GROUPS:
        one, many, all_in_all = plain(p, k), together(p, k), search(p, k)
        rates.append(all_in_all)
        numbers = f"{one:,.0f}", f"{many:,.0f}", f"{all_in_all:,.0f}"
        ratios = f"{many / one:,.0f}", f"{all_in_all / one:,.0f}"
        rows.append((f"p = {p}, k = {k}", f"{p * k:,}", *numbers, *ratios))
    columns = "", "nodes", "plain /s", "together /s", "search /s", "of plain", "of plain"
    show(f"Graphs per second on one core, diameter {DIAMETER}", columns, rows)
    if min(rates) < LEAST:
        print(f"SLOW: {min(rates):.0f} graphs/s is below {LEAST}")


if __name__ == "__main__":
    main()

"""Time for Table IV of two-phase-1995: the distances, and the two-phase routes of 15,657 nodes."""

import time

import numpy as np

from benchmarks.table import show
from fingerpost.golden.routing import TwoPhase
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.topology import Borel
from fingerpost.golden.topology.distance import summary

P, A = 307, 4
STEPS = (2, 16), (1, 4), (4, 13), (1, 2)
"""(t1, t2) of the four sets; y is 1."""

LIMIT = 10.0
"""Seconds that the four rows may take together."""


def main() -> None:
    """Compute all rows and time them together."""
    rows = []
    total = 0.0
    for number, (t1, t2) in enumerate(STEPS, 1):
        started = time.perf_counter()
        topology = Borel(p=P, a=A, A=(t1, 1), B=(t2, 1))
        diameter, mean = summary(topology)
        routing = TwoPhase(topology)
        hops = walk(routing, np.array(0), np.arange(1, topology.nodes)).hops
        seconds = time.perf_counter() - started
        total += seconds
        results = diameter, f"{mean:.2f}", routing.d1, routing.d2, hops.max(), f"{hops.mean():.2f}"
        rows.append((f"{number}: ({t1}, {t2})", *results, f"{seconds:.2f}"))
    columns = "set: (t1, t2)", "D", "mean", "D1", "D2", "two-phase max", "mean", "s"
    show(f"Table IV, {topology.nodes:,} nodes, in {total:.1f} s", columns, rows)
    if total >= LIMIT:
        print(f"SLOW: {total:.1f} s is not below {LIMIT:.0f} s")


if __name__ == "__main__":
    main()

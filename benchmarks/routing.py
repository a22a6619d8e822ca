"""Decisions per second of every algorithm of the model, and the time of Table IV of two-phase-1995.

``python -m benchmarks.routing [decisions|table_iv]...``, by default both.
"""

import time
from typing import Any

import numpy as np

from benchmarks.table import run, show
from fingerpost.golden.network.network import routed
from fingerpost.golden.routing import ChordalRing, Routing, TwoPhase
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.topology import Borel
from fingerpost.golden.topology.distance import summary

BOREL = {"family": "borel", "p": 47, "a": 2, "A": [1, 1], "B": [7, 1]}
SCC = {"family": "scc", "n": 6}
KYKLOS = {"family": "kyklos", "m": 2, "r": 4, "n": 8}

CASES: tuple[tuple[dict[str, Any], dict[str, Any]], ...] = (
    (BOREL, {"algorithm": "two-phase"}),
    (BOREL, {"algorithm": "vertex-transitive"}),
    (BOREL, {"algorithm": "vertex-transitive", "path": "source"}),
    (BOREL, {"algorithm": "adaptive"}),
    (BOREL, {"algorithm": "chordal-ring", "lookahead": 4}),
    (BOREL, {"algorithm": "table"}),
    (SCC, {"algorithm": "greedy"}),
    (SCC, {"algorithm": "greedy", "memory": "none"}),
    (SCC, {"algorithm": "random"}),
    (SCC, {"algorithm": "near-minimal"}),
    (SCC, {"algorithm": "minimal"}),
    (KYKLOS, {"algorithm": "m"}),
    (KYKLOS, {"algorithm": "h2"}),
    (KYKLOS, {"algorithm": "p2"}),
    (KYKLOS, {"algorithm": "modified-p2"}),
    (KYKLOS, {"algorithm": "y2"}),
    ({"family": "rotator", "n": 6}, {"algorithm": "rotator"}),
    ({"family": "super-rotator", "nodes": 120}, {"algorithm": "class"}),
    ({"family": "super-rotator", "nodes": 719}, {"algorithm": "class"}),
)

DECISIONS = 200_000
REPEAT = 3

P, A = 307, 4
STEPS = (2, 16), (1, 4), (4, 13), (1, 2)
"""(t1, t2) of the four sets of Table IV; y is 1."""

LIMIT = 10.0
"""Seconds that the two-phase rows may take together."""


def decisions() -> None:
    """Let every algorithm decide at random nodes for random destinations, in one call."""
    rng = np.random.default_rng(1)
    rows = []
    for topology, routing in CASES:
        network = routed({"name": "x", "topology": topology, "routing": routing})
        terminals, local = network.topology.terminals, network.topology.local
        node, end = rng.choice(terminals, (2, DECISIONS))
        header = np.asarray(network.routing.encode(node, end))
        selection = rng.integers(1 << 16, size=DECISIONS)
        arrival = np.full(DECISIONS, local)
        times = []
        for _ in range(REPEAT):
            started = time.perf_counter()
            network.routing.decide(node, arrival, header, selection)
            times.append(time.perf_counter() - started)
        options = " ".join(str(value) for value in routing.values())
        rate = DECISIONS / min(times)
        rows.append((topology["family"], network.topology.nodes, options, f"{rate / 1e6:.2f}"))
    show("Decisions of golden, in millions per second", ("family", "n", "routing", "M/s"), rows)


def table_iv() -> None:
    """Compute the rows of Table IV: distances, two-phase routes, CR by the paper's rule."""
    rows: list[tuple[object, ...]] = []
    total = dict.fromkeys(("two-phase", "CR"), 0.0)

    def row(kind: str, more: str, routing: Routing, started: float, about: str = "") -> None:
        hops = walk(routing, np.array(0), np.arange(1, borel.nodes)).hops
        seconds = time.perf_counter() - started
        total[kind] += seconds
        figures = hops.max(), f"{hops.mean():.2f}", f"{seconds:.2f}"
        rows.append((f"({t1}, {t2})", f"{kind}{more}", about, *figures))

    for t1, t2 in STEPS:
        started = time.perf_counter()
        borel = Borel(p=P, a=A, A=(t1, 1), B=(t2, 1))
        diameter, mean = summary(borel)
        two = TwoPhase(borel)
        row("two-phase", "", two, started, f"{diameter}, {mean:.2f}, {two.d1}, {two.d2}")
        for d in range(1, 5):
            started = time.perf_counter()
            row("CR", f", d = {d}", ChordalRing(borel, lookahead=d, rule="paper"), started)
    times = ", ".join(f"{kind} in {seconds:.1f} s" for kind, seconds in total.items())
    columns = "(t1, t2)", "routing", "D, mean, D1, D2", "max", "mean", "s"
    show(f"Table IV, {borel.nodes:,} nodes: {times}", columns, rows)
    if total["two-phase"] >= LIMIT:
        print(f"SLOW: {total['two-phase']:.1f} s is not below {LIMIT:.0f} s")


if __name__ == "__main__":
    run(decisions, table_iv)

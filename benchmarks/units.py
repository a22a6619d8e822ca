"""Every routing unit against golden: all its decisions, and the bits that it takes.

``python -m benchmarks.units [WORD]`` runs the rows that have the word in their name, units side by
side. "build s" is Yosys and the compiler; "per s" is the rate from the first question to the last
answer, golden's included.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.table import arguments, tell
from fingerpost.golden.deadlock.order import rank_classes
from fingerpost.golden.network.network import Network, build, routed
from fingerpost.jobs.console import stdout_to_stderr
from fingerpost.testbench import cosim
from fingerpost.testbench.benches.questions import UnitBench

DIRECTORY = Path("build/units")

BOREL = {"family": "borel", "p": 47, "a": 2, "A": (1, 1), "B": (7, 1)}
"""Set 1 of Table III of two-phase-1995: 1,081 nodes."""

KYKLOS = "m", "h2", "p2", "modified-p2", "y2"

CASES: tuple[tuple[str, str], ...] = (
    *(
        ("borel 1081", options)
        for options in (
            "two-phase",
            "two-phase phase1=computed",
            "vertex-transitive path=hop",
            "vertex-transitive path=hop table=first",
            "vertex-transitive address=absolute",
            "vertex-transitive path=source",
            "adaptive",
            *(f"chordal-ring lookahead={d}" for d in range(1, 5)),
            "chordal-ring rule=paper",
        )
    ),
    *(
        (f"scc n={n}", options)
        for n in (4, 5, 6)
        for options in ("greedy", "greedy memory=none", "random", "near-minimal")
    ),
    ("scc n=5", "minimal"),
    *((f"kyklos m=2 r={r} n={n}", name) for r, n in ((2, 6), (3, 6), (4, 8)) for name in KYKLOS),
    *((f"super-rotator nodes={n}", "class") for n in (13, 23, 48, 96, 119, 120)),
    ("rotator n=5", "rotator"),
    ("double-loop nodes=16 a=1 b=2", "table"),
)
"""Topology and routing, each a name and its options."""


def part(key: str, text: str) -> dict[str, Any]:
    """Return a section of a network file."""
    name, *options = text.split()
    pairs = (option.split("=") for option in options)
    values = {k: int(v) if v.isdecimal() else v for k, v in pairs}
    return {key: name} | values


def network(number: int, topology: dict[str, Any], routing: dict[str, Any]) -> Network:
    """Return a network; its channels are not used, so any order will do."""
    description = {"name": f"units-{number}", "topology": topology, "routing": routing}
    count = int(np.max(rank_classes(routed(description).routing))) + 1
    return build(description | {"router": {"channel_order": list(range(count)), "flit_width": 64}})


def rows(word: str) -> Iterator[dict[str, Any]]:
    """Yield what comes of each case that is asked for."""
    for number, (family, options) in enumerate(CASES):
        if word not in f"{family} {options}":
            continue
        topology = BOREL if family == "borel 1081" else part("family", family)
        net = network(number, topology, part("algorithm", options))
        with stdout_to_stderr():
            bench = UnitBench(net, engine="compiled")
            found = cosim.run(bench, simulator="verilator", directory=DIRECTORY)
        yield {
            "network": family,
            "routing": options,
            "header": net.routing.header.width,
            "ROM": sum(net.routing.table_bits().values()),
            "header cycles": net.routing.header_cycles,
            "decisions": found.count,
            "differ": found.mismatches,
            "build s": found.build_seconds,
            "per s": found.count / found.details["asking_seconds"],
        }


def main() -> None:
    """Run the rows that are asked for."""
    asked = arguments(__doc__, "word")
    title = "Routing units side by side against golden"
    tell(asked, title, rows(" ".join(asked.word)))


if __name__ == "__main__":
    main()

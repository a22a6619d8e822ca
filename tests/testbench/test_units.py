"""Every decision of a routing unit, on networks and choices that `test_families` does not have."""

from pathlib import Path

import pytest

from fingerpost.golden.network.network import build
from fingerpost.testbench.benches.unit import CompiledUnitBench, UnitBench
from tests.hdl.routing.test_units import (
    BOREL_21,
    BOREL_1081,
    OF_KYKLOS,
    RINGS,
    SHORTEST,
    STARS,
    cases,
    kyklos,
    parsed,
)
from tests.testbench.agreement import agree

MESH = "grid, sizes: [3, 6, 2]"

Row = tuple[list[str], tuple[str, ...]]

SMALL: list[Row] = [
    ([BOREL_21], (f"vertex-transitive{SHORTEST[1]}", *RINGS[2:])),
    (kyklos((2, 2, 4)), ("table",)),
    (kyklos((2, 2, 4), more=", variant: original"), ("y2", "p2")),
    (kyklos((2, 2, 4), more=", variant: I"), ("m",)),
    (["rotator, n: 3"], ("rotator",)),
    (["super-rotator, nodes: 13"], ("class, link: first",)),
    (["super-rotator, nodes: 23"], ("table",)),
    (["star, n: 3", "scc, n: 3"], STARS),
]
LARGE: list[Row] = [
    ([BOREL_1081], tuple(f"vertex-transitive{more}" for more in ("", *SHORTEST[2:]))),
    ([BOREL_1081], ("adaptive", "two-phase, phase1: computed", *RINGS[:4])),
    ([BOREL_1081], tuple(f"chordal-ring, lookahead: {d}, rule: paper" for d in (1, 2))),
    (kyklos((2, 2, 6), (2, 3, 6), (2, 4, 8)), OF_KYKLOS),
    (kyklos((3, 2, 4)), OF_KYKLOS[:-1]),
    (["rotator, n: 5"], ("rotator",)),
    ([f"super-rotator, nodes: {n}" for n in (26, 48, 96, 119, 120)], ("class",)),
    ([MESH], ("dimension-order", "up-down")),
    (["star, n: 5", "scc, n: 5", "scc, n: 6"], STARS),
    (["scc, n: 7"], STARS[:2]),
]


def check(
    topology: str, algorithm: str, simulator: str, folder: Path, *, nodes: int | None = None
) -> None:
    """Ask every node, or so many, about all destinations, and about all that passes it.

    One unit or some in a simulator, then as many side by side as there are bits of a vector.
    """
    keys, routing = parsed(topology, algorithm)
    family, n = keys["family"], keys.get("n", 0)
    # Any order of the channels does, and to search for one takes long: this is about decisions.
    classes = {"scc": 2 * (n - 1), "star": 2, "super-rotator": keys.get("nodes", 0)}
    router = {"channel_order": list(range(classes[family]))} if family in classes else {}
    described = {"name": "asked", "topology": keys, "routing": routing, "router": router}
    network = build(described | ({"router": router | {"flit_width": 64}} if n > 5 else {}))
    counts = []
    for kind, tool in ((UnitBench, simulator), (CompiledUnitBench, "verilator")):
        result = agree(kind(network, seed=1, nodes=nodes), folder, tool)
        counts.append((result.count, result.details["pairs"]))
    terminals = len(network.topology.terminals)
    assert counts[0] == counts[1]
    assert counts[0][0] > min(terminals, nodes or terminals) * terminals


def test_some_decisions(tmp_path: Path) -> None:
    check(BOREL_21, "adaptive", "icarus", tmp_path, nodes=4)


@pytest.mark.parametrize(("topology", "algorithm"), list(cases(SMALL, pytest.mark.regress)))
def test_all_decisions(topology: str, algorithm: str, tmp_path: Path) -> None:
    check(topology, algorithm, "icarus", tmp_path)


@pytest.mark.verilator
@pytest.mark.parametrize(("topology", "algorithm"), list(cases(LARGE, pytest.mark.regress)))
def test_all_decisions_of_larger_networks(topology: str, algorithm: str, tmp_path: Path) -> None:
    check(topology, algorithm, "verilator", tmp_path, nodes=20 if topology == "scc, n: 7" else None)

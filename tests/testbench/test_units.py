"""Every decision of a routing unit, on networks and choices that `test_families` does not have."""

from pathlib import Path
from typing import Any

import pytest

from fingerpost.golden.network.network import build
from fingerpost.testbench.benches.unit import CompiledUnitBench, UnitBench
from tests.testbench.agreement import agree

BOREL_21 = {"family": "borel", "p": 7, "a": 2, "A": [0, 1], "B": [1, 1]}
BOREL_1081 = {"family": "borel", "p": 47, "a": 2, "A": [1, 1], "B": [7, 1]}
MESH = {"family": "grid", "sizes": [3, 6, 2]}

SHORTEST = {"algorithm": "vertex-transitive"}
RING: dict[str, Any] = {"algorithm": "chordal-ring"}
ADAPTIVE = {"algorithm": "adaptive"}
TABLE = {"algorithm": "table"}
STAR: list[dict[str, Any]] = [
    {"algorithm": "greedy"},
    {"algorithm": "greedy", "memory": "none"},
    {"algorithm": "random"},
    {"algorithm": "near-minimal"},
    {"algorithm": "minimal"},
]
KYKLOS = ("m", "h2", "p2", "modified-p2", "y2")


def kyklos(m: int, r: int, n: int, variant: str = "proposed") -> dict[str, Any]:
    return {"family": "kyklos", "m": m, "r": r, "n": n, "variant": variant}


def super_rotator(nodes: int) -> dict[str, Any]:
    return {"family": "super-rotator", "nodes": nodes}


SMALL: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (BOREL_21, SHORTEST | {"table": "first"}),
    *((BOREL_21, RING | {"lookahead": d}) for d in (3, 4)),
    *((BOREL_21, RING | {"lookahead": d, "rule": "paper"}) for d in (1, 3)),
    (kyklos(2, 2, 4), TABLE),
    (kyklos(2, 2, 4, "original"), {"algorithm": "y2"}),
    (kyklos(2, 2, 4, "original"), {"algorithm": "p2"}),
    (kyklos(2, 2, 4, "I"), {"algorithm": "m"}),
    ({"family": "rotator", "n": 3}, {"algorithm": "rotator"}),
    (super_rotator(13), {"algorithm": "class", "link": "first"}),
    (super_rotator(23), TABLE),
    *(({"family": family, "n": 3}, routing) for family in ("star", "scc") for routing in STAR),
]
LARGE: list[tuple[dict[str, Any], dict[str, Any], int | None]] = [
    *((BOREL_1081, SHORTEST | more, None) for more in (
        {}, {"path": "source"}, {"address": "absolute"},
    )),
    (BOREL_1081, ADAPTIVE, None),
    (BOREL_1081, {"algorithm": "two-phase", "phase1": "computed"}, None),
    *((BOREL_1081, RING | {"lookahead": d}, None) for d in (1, 2, 3, 4)),
    *((BOREL_1081, RING | {"lookahead": d, "rule": "paper"}, None) for d in (1, 2)),
    *((kyklos(*size), {"algorithm": algorithm}, None)
      for size in ((2, 2, 6), (2, 3, 6), (2, 4, 8), (3, 2, 4))
      for algorithm in KYKLOS if algorithm != "y2" or size[0] == 2),
    ({"family": "rotator", "n": 5}, {"algorithm": "rotator"}, None),
    *((super_rotator(n), {"algorithm": "class"}, None) for n in (26, 48, 96, 119, 120)),
    *((MESH, {"algorithm": algorithm}, None) for algorithm in ("dimension-order", "up-down")),
    *(({"family": family, "n": n}, routing, None)
      for family, n in (("star", 5), ("scc", 5), ("scc", 6)) for routing in STAR),
    *(({"family": "scc", "n": 7}, routing, 20) for routing in STAR[:2]),
]  # fmt: skip


def check(
    topology: dict[str, Any],
    routing: dict[str, Any],
    simulator: str,
    folder: Path,
    nodes: int | None = None,
) -> None:
    """Ask every node, or so many, about all destinations, and about all that passes it.

    One unit or some in a simulator, then as many side by side as there are bits of a vector.
    """
    family, n = topology["family"], topology.get("n", 0)
    # Any order of the channels does, and to search for one takes long: this is about decisions.
    classes = {"scc": 2 * (n - 1), "star": 2, "super-rotator": topology.get("nodes", 0)}
    router = {"channel_order": list(range(classes[family]))} if family in classes else {}
    described = {"name": "asked", "topology": topology, "routing": routing, "router": router}
    network = build(described | ({"router": router | {"flit_width": 64}} if n > 5 else {}))
    counts = []
    for kind, tool in ((UnitBench, simulator), (CompiledUnitBench, "verilator")):
        result = agree(kind(network, seed=1, nodes=nodes), folder, tool)
        counts.append((result.count, result.details["pairs"]))
    terminals = len(network.topology.terminals)
    assert counts[0] == counts[1]
    assert counts[0][0] > min(terminals, nodes or terminals) * terminals


def test_some_decisions(tmp_path: Path) -> None:
    check(BOREL_21, ADAPTIVE, "icarus", tmp_path, nodes=4)


@pytest.mark.regress
@pytest.mark.parametrize(("topology", "routing"), SMALL)
def test_all_decisions(topology: dict[str, Any], routing: dict[str, Any], tmp_path: Path) -> None:
    check(topology, routing, "icarus", tmp_path)


@pytest.mark.verilator
@pytest.mark.regress
@pytest.mark.parametrize(("topology", "routing", "nodes"), LARGE)
def test_all_decisions_of_larger_networks(
    topology: dict[str, Any], routing: dict[str, Any], nodes: int | None, tmp_path: Path
) -> None:
    check(topology, routing, "verilator", tmp_path, nodes)

from pathlib import Path
from typing import Any

import pytest

from fingerpost.golden.network.network import build
from fingerpost.testbench.benches.unit import UnitBench
from fingerpost.testbench.cosim import run

BOREL_21 = {"family": "borel", "p": 7, "a": 2, "A": [0, 1], "B": [1, 1]}
BOREL_21_COMPUTED = BOREL_21 | {"A": [1, 2]}  # no t is 0
BOREL_1081 = {"family": "borel", "p": 47, "a": 2, "A": [1, 1], "B": [7, 1]}

SHORTEST = {"algorithm": "vertex-transitive"}
RING: dict[str, Any] = {"algorithm": "chordal-ring"}
ADAPTIVE = {"algorithm": "adaptive"}
COMPUTED = {"algorithm": "two-phase", "phase1": "computed"}
TABLE = {"algorithm": "table"}

QUICK: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (BOREL_21, SHORTEST | {"path": "source"}),
    (BOREL_21, ADAPTIVE),
    (BOREL_21, RING),
    (BOREL_21_COMPUTED, COMPUTED),
]
SMALL = [
    *QUICK,
    (BOREL_21, SHORTEST),
    (BOREL_21, SHORTEST | {"table": "first"}),
    (BOREL_21, SHORTEST | {"address": "absolute"}),
    *((BOREL_21, RING | {"lookahead": d}) for d in (1, 3, 4)),
    *((BOREL_21, RING | {"lookahead": d, "rule": "paper"}) for d in (1, 2, 3)),
    (BOREL_21, TABLE),
    ({"family": "double-loop", "nodes": 16, "a": 1, "b": 4}, TABLE),
    ({"family": "kyklos", "m": 2, "r": 2, "n": 4}, TABLE),
    ({"family": "super-rotator", "nodes": 23}, TABLE),
]
LARGE = [
    *((BOREL_1081, routing) for _, routing in QUICK),
    (BOREL_1081, SHORTEST),
    (BOREL_1081, SHORTEST | {"address": "absolute"}),
    *((BOREL_1081, RING | {"lookahead": d}) for d in (1, 3, 4)),
    *((BOREL_1081, RING | {"lookahead": d, "rule": "paper"}) for d in (1, 2)),
]


def check(
    topology: dict[str, Any],
    routing: dict[str, Any],
    simulator: str,
    folder: Path,
    nodes: int | None = None,
) -> int:
    """Return the number of decisions, of which none differs."""
    description = {"name": "asked", "topology": topology, "routing": routing}
    result = run(UnitBench(build(description), nodes=nodes), simulator=simulator, directory=folder)
    assert (result.mismatches, result.message) == (0, "")
    return result.count


@pytest.mark.parametrize(
    ("topology", "routing"),
    [
        pytest.param(*case, marks=[] if case[1] == ADAPTIVE else [pytest.mark.regress])
        for case in QUICK
    ],
)
def test_some_decisions(topology: dict[str, Any], routing: dict[str, Any], tmp_path: Path) -> None:
    assert check(topology, routing, "icarus", tmp_path, nodes=4) > 4 * 21


@pytest.mark.regress
@pytest.mark.parametrize("simulator", ["icarus", "verilator"])
@pytest.mark.parametrize(("topology", "routing"), SMALL)
def test_all_decisions(
    topology: dict[str, Any], routing: dict[str, Any], simulator: str, tmp_path: Path
) -> None:
    terminals = build({"name": "t", "topology": topology, "routing": TABLE}).topology.terminals
    assert check(topology, routing, simulator, tmp_path) > len(terminals) ** 2


@pytest.mark.verilator
@pytest.mark.regress
@pytest.mark.parametrize(("topology", "routing"), LARGE)
def test_all_decisions_of_1081_nodes(
    topology: dict[str, Any], routing: dict[str, Any], tmp_path: Path
) -> None:
    assert check(topology, routing, "verilator", tmp_path) > 1081**2

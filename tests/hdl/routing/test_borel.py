from typing import Any

import pytest

from tests.hdl.routing.common import mismatches

SMALL = {"family": "borel", "p": 7, "a": 2, "A": [0, 1], "B": [1, 1]}
LARGER = {"family": "borel", "p": 47, "a": 2, "A": [1, 1], "B": [7, 1]}
STEPS = [((1, 1), (1, 2)), ((1, 1), (2, 1)), ((2, 3), (1, 3))]  # of 21 nodes; no t is 0

TWO_PHASE, COMPUTED = {"algorithm": "two-phase"}, {"algorithm": "two-phase", "phase1": "computed"}
SHORTEST: list[dict[str, Any]] = [
    {"algorithm": "vertex-transitive"},
    {"algorithm": "vertex-transitive", "table": "first"},
    {"algorithm": "vertex-transitive", "path": "source"},
    {"algorithm": "vertex-transitive", "address": "absolute"},
    {"algorithm": "adaptive"},
]
RINGS: list[dict[str, Any]] = [
    {"algorithm": "chordal-ring", "lookahead": d, "rule": rule}
    for d, rule in [(1, "safe"), (2, "safe"), (3, "safe"), (4, "safe"), (1, "paper"), (3, "paper")]
]
TABLE = {"algorithm": "table"}


@pytest.mark.parametrize("routing", [TWO_PHASE, *SHORTEST, *RINGS, TABLE], ids=str)
def test_21_nodes(routing: dict[str, Any]) -> None:
    assert mismatches(SMALL, routing) == []


@pytest.mark.parametrize(("A", "B"), STEPS)
def test_computed_phase_1_of_21_nodes(A: tuple[int, int], B: tuple[int, int]) -> None:
    assert mismatches(SMALL | {"A": list(A), "B": list(B)}, COMPUTED) == []


@pytest.mark.regress
@pytest.mark.parametrize("routing", [COMPUTED, *SHORTEST, *RINGS[1:4]], ids=str)
def test_1081_nodes(routing: dict[str, Any]) -> None:
    assert mismatches(LARGER, routing) == []

"""The units for star graphs and star-connected cycles, in Amaranth's simulator."""

from typing import Any

import numpy as np
import pytest

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.routing import Routing
from fingerpost.golden.routing.star import StarRouting
from fingerpost.golden.topology.scc import Scc
from fingerpost.hdl.routing.star import ahead
from tests.hdl.routing import common
from tests.hdl.routing.common import mismatches

UNITS: list[dict[str, Any]] = [
    {"algorithm": "greedy"},
    {"algorithm": "greedy", "memory": "none"},
    {"algorithm": "random"},
    {"algorithm": "near-minimal"},
    {"algorithm": "minimal"},
]
EACH = pytest.mark.parametrize("routing", UNITS, ids=lambda r: "-".join(r.values()))


def any_state(
    routing: Routing, count: int, seed: int = 0
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Return random states, every other with one field replaced, at the terminal.

    The memory of a state counts only on the way, so some of those come by port 0. There all other
    fields are right.
    """
    assert isinstance(routing, StarRouting)
    topology, rng = routing.topology, np.random.default_rng(seed)
    node, goal = rng.integers(topology.nodes, size=(2, count))
    header = routing.encode(node, goal)
    memory = [routing.memory] if routing.memory else []
    spoilt = rng.permutation([*routing.header, *memory] * count)[:count]
    for k, name in enumerate(spoilt.tolist()):
        field = routing.header[name if k % 2 or not memory else routing.memory]
        value = int(rng.integers(topology.n if name in memory else 1 << field.width))
        if k % 2 or memory:
            header[k] &= ~(((1 << field.width) - 1) << field.offset)
            header[k] |= value % (1 << field.width) << field.offset
    selection = rng.integers(1 << routing.selection_width, size=count)
    arrival = np.full(count, topology.local)
    if memory:
        only = (np.arange(count) % 2 == 0) & (routing.header.cut(memory[0], header) < topology.n)
        arrival[only & (rng.random(count) < 0.7)] = 0
    return node, arrival, header, selection


@EACH
@pytest.mark.parametrize(
    "topology",
    [
        *(("star", 5), ("scc", 5)),
        *(
            pytest.param(x, marks=pytest.mark.regress)
            for x in (("star", 3), ("scc", 3), ("scc", 6))
        ),
    ],
)
def test_decides_like_golden(topology: tuple[str, int], routing: dict[str, Any]) -> None:
    family, n = topology
    assert mismatches({"family": family, "n": n}, routing, count=200) == []


@EACH
@pytest.mark.parametrize(
    "topology", [("star", 4), ("scc", 4), pytest.param(("scc", 5), marks=pytest.mark.regress)]
)
def test_any_header_of_the_terminal(
    topology: tuple[str, int], routing: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    family, n = topology
    monkeypatch.setattr(common, "questions", any_state)
    assert mismatches({"family": family, "n": n}, routing, count=400) == []


@pytest.mark.regress
@pytest.mark.parametrize("routing", UNITS[:4], ids=lambda r: "-".join(r.values()))
@pytest.mark.parametrize("n", [7, 8, 9])
@pytest.mark.parametrize("family", ["star", "scc"])
def test_large_networks(family: str, n: int, routing: dict[str, Any]) -> None:
    assert mismatches({"family": family, "n": n}, routing, count=3000) == []


@pytest.mark.parametrize("n", [*range(3, 9), pytest.param(9, marks=pytest.mark.regress)])
def test_ahead_are_the_positions_by_plus(n: int) -> None:
    scc = Scc(n=n)
    for i in range(2, n + 1):
        others = [t for t in range(2, n + 1) if t != i]
        plus = [t for t in others if scc.towards(np.array(i), np.array(t)) == 0]
        if n == 3:  # the one local link serves both ways
            continue
        assert ahead(i - 1, n) == sum(1 << t - 1 for t in plus)

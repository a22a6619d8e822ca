"""The units for star graphs and star-connected cycles: any state that a header can be in."""

from typing import Any

import numpy as np
import pytest

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.routing import Routing
from fingerpost.golden.routing.star import StarRouting
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
    "topology", [("star", 4), ("scc", 4), pytest.param(("scc", 5), marks=pytest.mark.regress)]
)
def test_any_header_of_the_terminal(
    topology: tuple[str, int], routing: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    family, n = topology
    monkeypatch.setattr(common, "questions", any_state)
    assert mismatches({"family": family, "n": n}, routing, count=400) == []

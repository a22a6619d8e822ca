"""What terminals send without a credit, against a terminal's queue told flit by flit."""

import random

import numpy as np
import pytest

from fingerpost.golden.flit import Flits
from fingerpost.golden.model.overrun_guard import OverrunGuard
from tests.golden.model.injection import Door

NODES = 5


@pytest.mark.parametrize("seed", range(4))
def test_what_comes_in_is_what_a_door_lets_in(seed: int) -> None:
    rng = random.Random(seed)
    guard, doors = OverrunGuard(NODES), [Door() for _ in range(NODES)]
    place = np.arange(NODES) * 5 + 4
    inside, index = [False] * NODES, [0] * NODES
    ended = 0
    for _ in range(3000):
        full = [rng.random() < 0.3 for _ in range(NODES)]
        senders = [node for node in range(NODES) if rng.random() < 0.7]
        rows = []
        for node in senders:
            head, tail = index[node] == 0, rng.random() < 0.4
            index[node] = 0 if tail else index[node] + 1
            rows.append((int(place[node]), 0, head, tail, rng.getrandbits(30), node))
        kinds = (np.int64, np.int64, np.bool_, np.bool_, np.int64, np.int64)
        columns = list(zip(*rows, strict=True)) or [()] * 6
        sent = Flits._make(np.array(c, k) for c, k in zip(columns, kinds, strict=True))
        found = guard.step(sent, place, np.array(full), np.array(inside))
        seen = {int(p): (bool(h), bool(t)) for p, h, t in zip(found[0], *found[2:4], strict=True)}
        assert len(seen) == len(found.port_index)
        by_node = {row[5]: (row[2], row[3]) for row in rows}
        expected = {}
        for node, door in enumerate(doors):
            comes = door.step(by_node.get(node), full=full[node], inside=inside[node])
            if comes is not None:
                expected[int(place[node])] = comes
                ended += comes == (False, True) and node not in by_node
                inside[node] = (comes[0] or inside[node]) and not comes[1]
        assert seen == expected
        assert guard.count.tolist() == [door.lost for door in doors]
    assert ended > 30
    assert min(door.lost for door in doors) > 300

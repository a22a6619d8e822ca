import re

import numpy as np
import pytest

from golden.distance import distances
from golden.routing.scc_minimal import Minimal
from golden.topology.scc import Scc
from golden.topology.star import Star
from golden.walk import walk


@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_routes_are_shortest_to_every_ring_position(n: int) -> None:
    scc = Scc(n=n)
    routing = Minimal(scc)
    source = np.arange(scc.nodes)
    for i_d in range(2, n + 1):
        goal = scc.node(f"{i_d}:" + "123456"[:n])
        hops = walk(routing, source, np.full_like(source, goal)).hops
        assert (hops == distances(scc.neighbour, goal)).all()


def test_routes_are_shortest_in_the_largest_network() -> None:
    scc = Scc(n=7)
    routing = Minimal(scc)
    source = np.arange(0, scc.nodes, 5)
    goal = scc.node("4:1234567")
    hops = walk(routing, source, np.full_like(source, goal)).hops
    assert (hops == distances(scc.neighbour, goal)[source]).all()


def test_table_is_read_only() -> None:
    with pytest.raises(ValueError, match=r"^assignment destination is read-only$"):
        Minimal(Star(n=3)).table[0] = 2


def test_table_of_a_router_has_a_target_for_every_permutation_and_destination() -> None:
    # n! permutations, n-1 positions to go to (one in a star graph), 3 bits for a symbol.
    assert Minimal(Scc(n=5)).table_bits() == {"targets": 120 * 4 * 3}
    assert Minimal(Star(n=5)).table_bits() == {"targets": 120 * 3}


@pytest.mark.parametrize("n", [8, 9])
def test_refuses_a_table_that_explodes(n: int) -> None:
    message = f"Minimal routing needs n of at most 7 for its table, not {n}"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Minimal(Star(n=n))

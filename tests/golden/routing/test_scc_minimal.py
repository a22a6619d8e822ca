import numpy as np
import pytest

from fingerpost.golden.algebra.permutation import number
from fingerpost.golden.routing.scc_minimal import Minimal
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.topology.distance import distances
from fingerpost.golden.topology.scc import Scc
from fingerpost.golden.topology.star import Star


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


@pytest.mark.parametrize("topology", [Scc(n=3), Scc(n=5), Star(n=4)], ids=["scc3", "scc5", "star4"])
def test_tables_of_a_router_hold_its_decisions(topology: Scc | Star) -> None:
    routing = Minimal(topology)
    positions = routing.ports.shape[1]
    assert routing.ports.shape == (len(topology.labels), positions, positions)
    assert routing.behind.shape == (len(topology.labels), positions)
    number, i, i_d = np.indices(routing.ports.shape).reshape(3, -1)
    # From the node of the first supernode at position i+2; the star graph's nodes are all alike.
    header = routing.header.pack(number=number)
    if isinstance(topology, Scc):
        header = routing.header.pack(number=number, i_d=i_d + 1)
    port, onward, error = routing.decide(i, np.full_like(i, topology.local), header)
    assert not error.any()
    assert (routing.ports[number, i, i_d] == port).all()
    crosses = port == topology.lateral if isinstance(topology, Scc) else port != topology.local
    behind = np.where(crosses, routing.behind[number, i], number)
    assert (behind == routing.header.cut("number", onward)).all()


def test_bits_of_the_tables_of_a_router() -> None:
    # n! permutations, of 7 bits; n-1 positions to go to (one in a star graph), 4 or 5 ports.
    assert Minimal(Scc(n=5)).table_bits() == {"ports": 120 * 4 * 2, "numbers": 120 * 7}
    assert Minimal(Star(n=5)).table_bits() == {"ports": 120 * 3, "numbers": 120 * 7}


def test_header_is_the_number_of_the_permutation() -> None:
    # The bits that number n! permutations: 5, 7, 10, 13 for n = 4..7.
    assert [Minimal(Star(n=n)).header.width for n in (4, 5, 6, 7)] == [5, 7, 10, 13]
    scc = Scc(n=5)
    routing = Minimal(scc)
    header = routing.encode(np.array(scc.node("3:34125")), np.array(scc.node("4:12345")))
    assert routing.header.cut("number", header) == number(np.array([3, 4, 1, 2, 5]))
    assert routing.header.cut("i_d", header) == 3

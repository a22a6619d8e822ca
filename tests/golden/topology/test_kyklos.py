from itertools import product

import numpy as np
import pytest
from hypothesis import given

from fingerpost.golden.topology.kyklos import Kyklos
from tests.golden.kyklos_1988 import Reference, networks


def test_lower_tree_of_section_4() -> None:
    # 0 and 8 have one parent; at level 2 they meet 4 and 12, at level 3 2, 6, 10 and 14.
    topology = Kyklos(m=2, r=2, n=4, variant="original")
    row = np.arange(16)
    met = []
    for port in (1, 2, 2):
        row = topology.neighbour[row, port]
        met.append(np.flatnonzero(row == row[0]).tolist())
    assert met == [[0, 8], [0, 4, 8, 12], [0, 2, 4, 6, 8, 10, 12, 14]]


@given(networks())
def test_counts(net: Reference) -> None:
    topology = net.topology()
    branches = net.r * (net.leaves - 1) // (net.m - 1)  # B of Section I
    assert topology.nodes == net.leaves + branches
    assert topology.degree == max(net.r, net.m + 1)
    assert topology.terminals.tolist() == list(range(net.leaves))
    assert topology.orbit.tolist() == list(range(topology.nodes))
    assert not topology.directed
    # A leaf is in every tree; every node of a tree but its root has a parent.
    links = net.r * sum(net.m**v for v in range(1, net.n + 1))
    assert (topology.neighbour >= 0).sum() == (topology.arrival_port >= 0).sum() == 2 * links


@given(networks())
def test_numbers_follow_tree_level_and_place(net: Reference) -> None:
    topology = net.topology()
    names = [f"L{leaf}" for leaf in range(net.leaves)]
    names += [
        f"{t}.{v}.{o}"
        for t in range(net.r)
        for v in range(1, net.n + 1)
        for o in range(net.m ** (net.n - v))
    ]
    assert [topology.name(node) for node in range(topology.nodes)] == names
    assert [topology.node(name) for name in names] == list(range(topology.nodes))
    assert topology.node(f" {names[-1]} ") == topology.nodes - 1
    assert topology.node(" L1 ") == 1


@given(networks())
def test_trees_are_those_of_the_digits(net: Reference) -> None:
    topology = net.topology()
    assert topology.z.tolist() == net.z
    for t, leaf in product(range(net.r), range(net.leaves)):
        node, port = leaf, t
        for v in range(1, net.n + 1):
            parent = int(topology.neighbour[node, port])
            assert topology.name(parent) == net.above(leaf, t, v)
            # The child's number is the digit that this level changes.
            c = int(topology.arrival_port[node, port])
            assert c == net.digit(leaf, net.z[t][v - 1])
            assert topology.neighbour[parent, c] == node
            assert topology.arrival_port[parent, c] == port
            node, port = parent, net.m
        assert topology.neighbour[node, port] == -1


@pytest.mark.parametrize(
    ("parameters", "names"),
    [
        ((2, 2, 4), ("T0/C0", "T1/C1", "P")),
        ((2, 4, 4), ("T0/C0", "T1/C1", "T2/P", "T3")),
        ((3, 1, 2), ("T0/C0", "C1", "C2", "P")),
    ],
)
def test_port_names(parameters: tuple[int, int, int], names: tuple[str, ...]) -> None:
    assert Reference(*parameters).topology().port_names == names


def test_constants_for_info() -> None:
    assert Kyklos(m=2, r=2, n=4).constants() == {
        "m": 2,
        "r": 2,
        "n": 4,
        "variant": "proposed",
        "h": 2,
        "leaves": 16,
        "dimensions": [[0, 1, 3, 2], [2, 3, 1, 0]],
        "spans": [[1, 2, 8, 4], [4, 8, 2, 1]],
        "real_spans": [[1, 1, 2, 1], [4, 4, 2, 1]],
    }


def test_largest_network() -> None:
    topology = Kyklos(m=2, r=2, n=20)
    assert topology.nodes == 3 * 2**20 - 2
    # The ancestor of the last leaf at every level is the last node.
    assert topology.name(int(topology.neighbour[2**20 - 1, 1])) == f"1.1.{2**19 - 1}"

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.algebra.permutation import permutations
from fingerpost.golden.topology.super_rotator import SuperRotator
from tests.golden.super_rotator_graph import Plain, vertex_number

# docs/reference/errata.md: the sizes of at most four ports.
FOUR_PORTS = [*range(2, 29), *range(30, 35), 36, 42, 48, 72, 96, 120]


def ends(topology: SuperRotator) -> set[tuple[int, int]]:
    start, port = np.nonzero(topology.neighbour >= 0)
    return set(zip(start.tolist(), topology.neighbour[start, port].tolist(), strict=True))


def test_links_of_node_12_of_example_1() -> None:
    topology = SuperRotator(nodes=13)
    assert sorted(topology.neighbour[12][topology.neighbour[12] >= 0]) == [0, 1]
    assert sorted(topology.origin[12][topology.origin[12] >= 0]) == [4, 5]
    assert vertex_number((4, 2, 1, 3)) == 12  # dbac


def test_constants_of_example_2() -> None:
    assert SuperRotator(nodes=23).constants() == {
        "n": 3,
        "components": {"C_3": 3, "C_2": 2, "C_1": 1},
        "first_node": {"C_3": 0, "C_2": 18, "C_1": 22},
    }


@given(st.integers(2, 240))
def test_links_are_those_of_the_four_steps(nodes: int) -> None:
    topology, plain = SuperRotator(nodes=nodes), Plain(nodes)
    assert len(plain.words) == topology.nodes == nodes
    assert permutations(np.arange(nodes), plain.n + 1).tolist() == list(map(list, plain.words))
    assert topology.node_class.tolist() == plain.node_class
    assert ends(topology) == plain.links
    assert (topology.neighbour >= 0).sum() == len(plain.links)


@pytest.mark.regress
@pytest.mark.parametrize("nodes", [719, 720, 2521, 4999, 5039, 5040])
def test_links_of_large_networks(nodes: int) -> None:
    topology, plain = SuperRotator(nodes=nodes), Plain(nodes)
    assert ends(topology) == plain.links
    assert (topology.neighbour >= 0).sum() == len(plain.links)


@given(st.integers(2, 240))
def test_ports_mean_what_the_class_says(nodes: int) -> None:
    topology, plain = SuperRotator(nodes=nodes), Plain(nodes)
    a, b = topology.a_port, topology.b_port
    for x, port in np.argwhere(topology.neighbour >= 0).tolist():
        y, arrival = int(topology.neighbour[x, port]), int(topology.arrival_port[x, port])
        here, there = plain.node_class[x], plain.node_class[y]
        if (x, y) in plain.rotations:
            assert port == arrival <= here - 2
            word = plain.words[x]
            assert plain.words[y] == word[1 : port + 2] + word[:1] + word[port + 2 :]
        elif (x, y) in plain.type_a:
            assert port == arrival == a
        elif here < there:
            lower = max(i for i in plain.classes if i < there)
            assert lower - 1 <= port < there - 1
            assert arrival == b
        else:
            assert port == b
            assert topology.neighbour[y, arrival] in range(nodes)
            assert plain.node_class[topology.neighbour[y, arrival]] == here


def test_sizes_of_four_ports() -> None:
    assert [nodes for nodes in range(2, 301) if SuperRotator(nodes=nodes).degree <= 4] == FOUR_PORTS


@given(st.integers(2, 400))
def test_degree_is_the_largest_count_of_ports(nodes: int) -> None:
    topology = SuperRotator(nodes=nodes)
    out, into = ((side >= 0).sum(axis=1).max() for side in (topology.neighbour, topology.origin))
    assert topology.degree == max(out, into)
    assert len(topology.port_names) == topology.degree


@pytest.mark.parametrize(
    ("nodes", "names"),
    [
        (2, ("g2",)),
        (3, ("g2/B", "B")),
        (4, ("g2", "A")),
        (10, ("g2", "g3/B", "A/B")),  # <1, 2, 0>: class 2 has links A, class 3 has links B
        (13, ("g2/B", "g3/B", "A", "B")),
        (120, ("g2", "g3", "g4", "g5")),
    ],
)
def test_port_names(nodes: int, names: tuple[str, ...]) -> None:
    assert SuperRotator(nodes=nodes).port_names == names

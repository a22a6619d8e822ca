import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.algebra.group import permutations
from fingerpost.golden.topology.rotator import SuperRotator
from tests.golden.graphs import links_of
from tests.golden.super_rotator_graph import Plain

# docs/reference/errata.md: the sizes of at most four ports.
FOUR_PORTS = [*range(2, 29), *range(30, 35), 36, 42, 48, 72, 96, 120]


@given(st.integers(2, 240))
def test_links_are_those_of_the_four_steps(nodes: int) -> None:
    topology, plain = SuperRotator(nodes=nodes), Plain(nodes)
    assert len(plain.words) == topology.nodes == nodes
    assert permutations(np.arange(nodes), plain.n + 1).tolist() == list(map(list, plain.words))
    assert topology.node_class.tolist() == plain.node_class
    assert sorted(links_of(topology)) == sorted(plain.links)


@pytest.mark.regress
@pytest.mark.parametrize("nodes", [719, 720, 2521, 4999, 5039, 5040])
def test_links_of_large_networks(nodes: int) -> None:
    topology, plain = SuperRotator(nodes=nodes), Plain(nodes)
    assert sorted(links_of(topology)) == sorted(plain.links)


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

"""Families that are Cayley graphs of groups or words: their links by the definition."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.algebra.group import BorelGroup, number, permutations
from fingerpost.golden.topology.base import summary
from fingerpost.golden.topology.rotator import SuperRotator
from tests.golden.borel_group import Group, valid_groups
from tests.golden.cayley import Cayley, CyclicProduct, SymmetricGroup
from tests.golden.graphs import links_of
from tests.golden.super_rotator_graph import Plain


def star(n: int) -> Cayley:
    """The star graph: link i exchanges the first letter and letter i."""
    swaps = []
    for i in range(1, n):
        swap = np.arange(n)
        swap[[0, i]] = i, 0
        swaps.append(int(number(swap)))
    return Cayley(group=SymmetricGroup(n), generators=swaps)


@given(valid_groups(most=1000))
def test_borel_graph_is_one(group: Group) -> None:
    borel = group.topology()
    generators = [y * group.k + t for t, y in borel.generators]
    cayley = Cayley(group=BorelGroup(group.p, group.a), generators=generators)
    assert (cayley.neighbour == borel.neighbour).all()
    assert (cayley.arrival_port == borel.arrival_port).all()
    assert not cayley.directed


@pytest.mark.parametrize(("a", "b"), [(3, 4), (5, 2), (3, 3)])
def test_torus_is_one(a: int, b: int) -> None:
    # In Z_2 a generator is its own inverse.
    generators = {1, a - 1, a, (b - 1) * a}
    torus = Cayley(group=CyclicProduct(a, b), generators=sorted(generators))
    pairs = [(node, int(other)) for node in range(a * b) for other in torus.neighbour[node]]
    grid = nx.convert_node_labels_to_integers(nx.grid_2d_graph(b, a, periodic=True))
    assert {frozenset(pair) for pair in pairs} == {frozenset(edge) for edge in grid.edges}


@pytest.mark.parametrize(("n", "diameter"), [(3, 3), (4, 4), (5, 6), (6, 7)])
def test_star_graph_is_one(n: int, diameter: int) -> None:
    # Akers and Krishnamurthy: diameter floor(3(n-1)/2); every link is its own way back.
    topology = star(n)
    assert summary(topology)[0] == diameter
    assert (topology.arrival_port == np.arange(n - 1)).all()


@given(st.integers(2, 30), st.data())
def test_directed_links_end_at_ports_of_their_own(n: int, data: st.DataObject) -> None:
    steps = data.draw(st.sets(st.integers(1, n - 1)).filter(lambda s: {-g % n for g in s} != s))
    topology = Cayley(group=CyclicProduct(n), generators=[1, *sorted(steps - {1})])
    assert topology.directed == ({-g % n for g in steps | {1}} != steps | {1})
    for port in range(topology.degree):
        links = [(int(topology.neighbour[node, port]), int(topology.arrival_port[node, port]))
                 for node in range(n)]  # fmt: skip
        assert len(set(links)) == n
        assert [int(topology.origin[link]) for link in links] == list(range(n))


def test_left_multiplication_is_a_symmetry_of_all_nodes() -> None:
    topology = star(4)
    assert topology.orbit.tolist() == [0] * 24
    for v in range(24):
        moved = topology.group.times(v, np.arange(24))
        onward = topology.group.times(v, topology.neighbour)
        assert (topology.neighbour[moved] == onward).all()


def test_names_and_constants() -> None:
    topology = Cayley(group=CyclicProduct(5), generators=[4, 1])
    assert topology.port_names == ("g0", "g1")
    assert topology.family == "cayley"


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

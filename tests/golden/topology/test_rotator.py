from itertools import permutations
from math import factorial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.topology.distance import summary
from fingerpost.golden.topology.rotator import Rotator
from tests.golden.super_rotator_graph import rotated, vertex_number


def words(n: int) -> list[tuple[int, ...]]:
    """All labels, by their vertex number."""
    return sorted(permutations(range(1, n + 1)), key=vertex_number)


def test_neighbours_of_abc() -> None:
    # Section 2: abc leads to bca and bac, and bac and cab lead to it.
    topology = Rotator(n=3)
    abc, bca, bac, cab = (topology.node(name) for name in ("123", "231", "213", "312"))
    assert topology.neighbour[abc].tolist() == [bac, bca]
    assert topology.origin[abc].tolist() == [bac, cab]


@pytest.mark.parametrize("n", range(2, 6))
def test_links_rotate_the_first_letters(n: int) -> None:
    topology = Rotator(n=n)
    for node, word in enumerate(words(n)):
        assert topology.labels[node].tolist() == list(word)
        ends = [vertex_number(rotated(word, letters)) for letters in range(2, n + 1)]
        assert topology.neighbour[node].tolist() == ends
        assert topology.arrival_port[node].tolist() == list(range(n - 1))


@pytest.mark.parametrize("n", range(2, 7))
def test_size_degree_and_diameter(n: int) -> None:
    # Section 2: n! nodes, (n-1)-regular, diameter n - 1.
    topology = Rotator(n=n)
    assert (topology.nodes, topology.degree) == (factorial(n), n - 1)
    assert topology.directed == (n > 2)
    assert (topology.origin >= 0).all()
    assert summary(topology)[0] == n - 1


@given(st.integers(2, 5), st.data())
def test_every_node_looks_the_same(n: int, data: st.DataObject) -> None:
    # Renaming the letters takes any node to any other and keeps all ports.
    topology = Rotator(n=n)
    letters = data.draw(st.permutations(range(1, n + 1)))
    renaming = [vertex_number(tuple(letters[a - 1] for a in word)) for word in words(n)]
    for node, image in enumerate(renaming):
        expected = [renaming[end] for end in topology.neighbour[node]]
        assert topology.neighbour[image].tolist() == expected
    assert topology.vertex_transitive


def test_names() -> None:
    topology = Rotator(n=5)
    assert topology.port_names == ("g2", "g3", "g4", "g5")
    assert topology.constants() == {"n": 5}
    assert topology.name(vertex_number((3, 4, 1, 2, 5))) == "34125"
    for node in range(120):
        assert topology.node(topology.name(node)) == topology.node(f" {node} ") == node

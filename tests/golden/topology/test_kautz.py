"""Kautz graphs against words, and against repeated line graphs of the complete digraph."""

from itertools import pairwise, product

import networkx as nx
import numpy as np
import pytest

from fingerpost.golden.topology.distance import summary
from fingerpost.golden.topology.kautz import Kautz

Word = tuple[int, ...]

SIZES = [(2, 1), (2, 2), (2, 4), (3, 3), (4, 2), (5, 2)]


def words(degree: int, diameter: int) -> set[Word]:
    """All words without equal neighbours."""
    every = product(range(degree + 1), repeat=diameter)
    return {word for word in every if all(a != b for a, b in pairwise(word))}


def graph(topology: Kautz) -> nx.DiGraph:
    return nx.DiGraph((u, int(v)) for u in range(topology.nodes) for v in topology.neighbour[u])


@pytest.mark.parametrize(("d", "D"), SIZES)
def test_links_shift_a_letter_in(d: int, D: int) -> None:
    topology = Kautz(degree=d, diameter=D)
    word: list[Word] = [tuple(label) for label in topology.labels.tolist()]
    assert len(word) == (d + 1) * d ** (D - 1)
    assert set(word) == words(d, D)
    for node, label in enumerate(word):
        ends = [word[end] for end in topology.neighbour[node]]
        # Port p appends the letter p + 1 behind the last, and keeps the number of what it drops.
        letters = [(label[-1] + 1 + port) % (d + 1) for port in range(d)]
        assert ends == [(*label, letter)[1:] for letter in letters]
        dropped = [(end[0] - label[0] - 1) % (d + 1) for end in ends]
        assert topology.arrival_port[node].tolist() == dropped
    assert (topology.origin >= 0).all()  # d links come in, each by a port of its own
    assert topology.directed


@pytest.mark.parametrize(("d", "D"), SIZES)
def test_size_diameter_and_mean_distance_are_those_of_networkx(d: int, D: int) -> None:
    topology = Kautz(degree=d, diameter=D)
    assert (topology.degree, topology.diameter) == (d, D)
    links = graph(topology)
    assert summary(topology)[0] == nx.diameter(links) == D
    assert summary(topology)[1] == pytest.approx(nx.average_shortest_path_length(links))


@pytest.mark.parametrize(("d", "D"), [(2, 2), (2, 3), (3, 2), (2, 4)])
def test_it_is_the_repeated_line_graph_of_the_complete_digraph(d: int, D: int) -> None:
    lines = nx.complete_graph(d + 1, nx.DiGraph)
    for _ in range(D - 1):
        lines = nx.line_graph(lines)
    assert nx.is_isomorphic(graph(Kautz(degree=d, diameter=D)), lines)


@pytest.mark.parametrize(("d", "D"), SIZES)
def test_adding_to_all_letters_keeps_ports(d: int, D: int) -> None:
    topology = Kautz(degree=d, diameter=D)
    number = {tuple(label): node for node, label in enumerate(topology.labels.tolist())}
    image = [number[tuple((label + 1) % (d + 1))] for label in topology.labels]
    np.testing.assert_array_equal(topology.neighbour[image], np.array(image)[topology.neighbour])
    np.testing.assert_array_equal(topology.arrival_port[image], topology.arrival_port)
    np.testing.assert_array_equal(topology.orbit[image], topology.orbit)
    assert len(set(topology.orbit.tolist())) == d ** (D - 1)


def test_names() -> None:
    topology = Kautz(degree=2, diameter=4)
    assert topology.port_names == ("s0", "s1")
    assert topology.constants() == {"d": 2, "D": 4}
    assert topology.name(0) == "abca"  # 0 and three steps of 1
    assert topology.labels[topology.node(" cbab ")].tolist() == [2, 1, 0, 1]

"""Dense graphs of the literature: nodes, degrees, diameters, girths and cuts as published."""

from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np
import pytest

from fingerpost.golden.topology import (
    FAMILIES,
    GeneralizedDeBruijn,
    GeneralizedKautz,
    HexaMesh,
    Kautz,
    PolarFly,
    RandomRegular,
    SlimFly,
    Topology,
)
from tests.golden.graphs import links_of


def graph(topology: Topology) -> Any:
    return nx.Graph(links_of(topology))


@pytest.mark.parametrize("q", [2, 3, 4, 5, 7, 8, 9, 11, 13])
def test_brown_graphs_are_polarity_graphs(q: int) -> None:
    """Any two points share one neighbour, if points on their own lines count: A^2 = J + q I."""
    found = graph(PolarFly(q=q))
    degrees = sorted(degree for _, degree in found.degree)
    assert degrees == [q] * (q + 1) + [q + 1] * q**2  # Brown: q + 1 absolute points
    assert nx.diameter(found) == 2
    adjacent = nx.to_numpy_array(found, nodelist=range(q**2 + q + 1))
    np.fill_diagonal(adjacent, adjacent.sum(axis=1) == q)
    assert (adjacent @ adjacent == 1 + q * np.eye(len(adjacent))).all()


@pytest.mark.parametrize(
    ("q", "degree"), [(3, 5), (4, 6), (5, 7), (7, 11), (8, 12), (9, 13)], ids=str
)
def test_slim_flies_have_diameter_2(q: int, degree: int) -> None:
    """Besta & Hoefler: 2 q^2 routers of degree (3 q - delta) / 2, where q = 4 u + delta."""
    found = graph(SlimFly(q=q))
    assert (len(found), nx.diameter(found)) == (2 * q * q, 2)
    assert {d for _, d in found.degree} == {degree}


def test_slim_fly_of_5_is_the_moore_graph() -> None:
    found = graph(SlimFly(q=5))
    assert (len(found), nx.girth(found)) == (1 + 7 * 7, 5)
    assert nx.is_isomorphic(found, nx.hoffman_singleton_graph())


@pytest.mark.parametrize("radius", [1, 2, 3, 5])
def test_hexameshes_are_as_published(radius: int) -> None:
    """Iff et al.: N = 1 + 3 r (r + 1) chiplets, diameter sqrt(12 N - 3) / 3 - 1."""
    found = graph(HexaMesh(radius=radius))
    nodes = 1 + 3 * radius * (radius + 1)
    assert (len(found), nx.diameter(found)) == (nodes, round((12 * nodes - 3) ** 0.5 / 3 - 1))
    assert len(found.edges) == 9 * radius**2 + 3 * radius
    assert nx.check_planarity(found)[0]


def test_bisection_of_the_smallest_hexamesh() -> None:
    """Iff et al.: 2 sqrt(12 N - 3) / 3 - 1 links, by trying all halves."""
    found = graph(HexaMesh(radius=1))
    assert min(nx.cut_size(found, half) for half in combinations(found, 3)) == 5


@pytest.mark.parametrize(("d", "diameter"), [(2, 3), (2, 5), (3, 3), (4, 2)])
def test_kautz_graphs_without_directions(d: int, diameter: int) -> None:
    words = graph(Kautz(degree=d, diameter=diameter))
    assert nx.is_isomorphic(graph(GeneralizedKautz(nodes=len(words), d=d)), words)


@pytest.mark.parametrize(("d", "letters"), [(2, 3), (2, 5), (3, 3), (4, 2)])
def test_de_bruijn_graphs_are_those_of_words(d: int, letters: int) -> None:
    """Links of words that drop a letter in front and append another."""
    found = graph(GeneralizedDeBruijn(nodes=d**letters, d=d))
    words = nx.MultiDiGraph([(0, 0)] * d)
    for _ in range(letters):
        words = nx.convert_node_labels_to_integers(nx.line_graph(words))
        words = nx.MultiDiGraph(words)
    plain = nx.Graph(words)
    plain.remove_edges_from([*nx.selfloop_edges(plain)])
    assert nx.is_isomorphic(found, plain)


@pytest.mark.parametrize("nodes", [5, 10, 50, 333])
@pytest.mark.parametrize("family", ["generalized-de-bruijn", "generalized-kautz"])
def test_diameters_are_at_most_the_digits_of_nodes(family: str, nodes: int) -> None:
    """Imase & Itoh: ceil(log_d n), and links both ways do not make it longer."""
    make: Any = FAMILIES[family]
    for d in (2, 3, 4):
        bound = next(digits for digits in range(20) if d**digits >= nodes)
        assert nx.diameter(graph(make(nodes=nodes, d=d))) <= bound


@pytest.mark.parametrize(
    ("nodes", "degree"), [(4, 3), (10, 3), (16, 15), (18, 13), (200, 4), (500, 5)], ids=str
)
def test_random_graphs_are_regular_and_seeded(nodes: int, degree: int) -> None:
    def drawn(seed: int) -> Any:
        return graph(RandomRegular(nodes=nodes, degree=degree, seed=seed))

    several = [drawn(seed) for seed in range(3)]
    for each in several:
        assert (len(each), {d for _, d in each.degree}) == (nodes, {degree})
        assert nx.is_connected(each)
    assert nx.utils.graphs_equal(drawn(2), several[2])
    different = {frozenset(map(frozenset, each.edges)) for each in several}
    assert (len(different) > 1) == (degree < nodes - 1)


def test_random_graphs_are_near_the_bound_of_singla() -> None:
    """Mean distances of random graphs are within some per cent of the least possible (Fig. 5)."""
    found = graph(RandomRegular(nodes=300, degree=5))
    # At most 5, 20 and 80 nodes are 1, 2 and 3 links away.
    least = (5 + 20 * 2 + 80 * 3 + (299 - 105) * 4) / 299
    assert least < nx.average_shortest_path_length(found) < 1.1 * least

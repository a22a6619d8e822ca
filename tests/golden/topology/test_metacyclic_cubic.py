from itertools import combinations

import networkx as nx
import numpy as np
import pytest

from fingerpost.golden.analysis.cubic import cubic, groups, moore
from fingerpost.golden.topology import MetacyclicCubic, Topology
from tests.golden.topology.test_metacyclic import Element, times


def drawn(topology: Topology) -> nx.Graph:
    return nx.Graph((v, int(w)) for v, row in enumerate(topology.neighbour) for w in row)


def test_three_reflections_make_the_heawood_graph() -> None:
    topology = MetacyclicCubic(m=7, k=2, r=6, A=(1, 0), B=(1, 1), C=(1, 3))
    assert nx.is_isomorphic(drawn(topology), nx.heawood_graph())
    assert topology.port_names == ("A", "B", "C")
    assert np.array_equal(topology.arrival_port[0], [0, 1, 2])


def test_links_are_products_and_arrive_where_they_lead_back() -> None:
    group = (15, 4, 7)
    topology = MetacyclicCubic(m=15, k=4, r=7, A=(1, 1), B=(2, 0))
    for (t, y), row in zip(((v % 4, v // 4) for v in range(60)), topology.neighbour, strict=True):
        ends = [times((t, y), g, group) for g in topology.generators]
        assert row.tolist() == [4 * y + t for t, y in ends]
    back = topology.neighbour[topology.neighbour, topology.arrival_port]
    assert (back == np.arange(60)[:, None]).all()
    assert (topology.orbit == np.arange(60) % 4).all()
    assert nx.diameter(drawn(topology)) == 5


def diameters(m: int, k: int, r: int) -> set[int]:
    """The diameters of all cubic Cayley graphs of a group, from every set of generators."""
    group = (m, k, r)
    every: list[Element] = [(t, y) for t in range(k) for y in range(m)]
    product = {(g, h): times(g, h, group) for g in every for h in every}
    inverse = {g: h for (g, h), end in product.items() if end == (0, 0)}
    found = set()
    for links in combinations(every[1:], 3):
        if {inverse[g] for g in links} == set(links):
            graph = nx.Graph((v, product[v, g]) for v in every for g in links)
            if nx.is_connected(graph):
                found.add(nx.diameter(graph))
    return found


@pytest.mark.parametrize(("m", "k"), [(4, 2), (5, 2), (3, 4), (5, 4), (8, 2), (7, 3)])
def test_search_finds_the_diameters_of_all_sets_of_generators(m: int, k: int) -> None:
    multipliers = [r for r in range(2, m) if pow(r, k, m) == 1]
    expected = {d for r in multipliers for d in diameters(m, k, r)}
    most = max(expected, default=9)
    _, found = cubic(m, k, most)
    assert {graph[-1] for graph in found} == expected
    for r, *links, diameter in found:
        generators = dict(zip("ABC", zip(links[::2], links[1::2], strict=True), strict=False))
        topology = MetacyclicCubic(m=m, k=k, r=r, **generators)
        assert nx.diameter(drawn(topology)) == diameter
    assert ((m, k) in groups(m * k, m * k, most)) == (m * k % 2 == 0)


def test_moore_bound() -> None:
    assert [moore(diameter) for diameter in (1, 2, 3)] == [4, 10, 22]  # K4, Petersen

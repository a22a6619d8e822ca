import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.topology.distance import distances, summary
from tests.golden.borel_group import EXAMPLE, Group, valid_groups
from tests.golden.graphs import Edges
from tests.golden.two_phase_1995 import SETS


@pytest.mark.parametrize("name", SETS)
def test_diameter_and_average_of_tables_3_and_4(name: str) -> None:
    diameter, mean = summary(SETS[name].topology())
    assert diameter == SETS[name].diameter
    assert f"{mean:.2f}" == SETS[name].average


def test_diameter_of_the_example() -> None:
    assert summary(EXAMPLE.topology())[0] == 3  # Section II.C


@given(valid_groups())
def test_summary_of_borel_is_that_of_the_matrices(group: Group) -> None:
    diameter, mean = summary(group.topology())
    assert diameter == max(group.away)
    assert mean == pytest.approx(sum(group.away) / (group.nodes - 1), rel=1e-12)


@given(st.integers(2, 30), st.integers(0, 60), st.integers(0, 1000))
def test_distances_are_those_of_networkx(nodes: int, links: int, seed: int) -> None:
    graph = nx.gnm_random_graph(nodes, max(1, links), seed=seed)
    topology = Edges(graph)
    for source in range(nodes):
        away = nx.single_source_shortest_path_length(graph, source)
        expected = [away.get(node, -1) for node in range(nodes)]
        assert distances(topology.neighbour, source).tolist() == expected


@given(st.integers(2, 20), st.integers(1, 3), st.data())
def test_distances_of_directed_links_are_those_of_scipy(
    nodes: int, degree: int, data: st.DataObject
) -> None:
    end = st.integers(-1, nodes - 1)
    row = st.lists(end, min_size=degree, max_size=degree)
    neighbour = np.array(data.draw(st.lists(row, min_size=nodes, max_size=nodes)))
    start, port = np.nonzero(neighbour >= 0)
    links = (np.ones(len(start)), (start, neighbour[start, port]))
    expected = shortest_path(csr_array(links, shape=(nodes, nodes)), unweighted=True)
    expected[np.isinf(expected)] = -1
    actual = [distances(neighbour, source) for source in range(nodes)]
    assert (np.stack(actual) == expected).all()


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        (nx.path_graph(4), (3, 20 / 12)),
        (nx.star_graph(5), (2, (5 + 5 * (1 + 2 * 4)) / 30)),
        (nx.petersen_graph(), (2, (3 + 6 * 2) / 9)),
    ],
)
def test_summary_looks_from_every_node(graph: "nx.Graph[int]", expected: tuple[int, float]) -> None:
    diameter, mean = summary(Edges(graph))
    assert diameter == expected[0]
    assert mean == pytest.approx(expected[1], rel=1e-12)


def test_refuses_summary_of_parts() -> None:
    graph: nx.Graph[int] = nx.Graph([(0, 1), (2, 3)])
    with pytest.raises(ValueError, match=r"^Topology needs a way from node 0 to 2$"):
        summary(Edges(graph))


def test_distances_stay_behind_a_missing_link() -> None:
    neighbour: IntArray = np.array([[1, -1], [2, -1], [-1, -1]])
    assert distances(neighbour, 1).tolist() == [-1, 0, 1]

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path

from fingerpost.golden.topology.distance import distances, summary
from tests.golden.graphs import Edges


@given(st.integers(2, 20), st.integers(1, 3), st.data())
def test_distances_are_those_of_scipy(nodes: int, degree: int, data: st.DataObject) -> None:
    end = st.integers(-1, nodes - 1)
    row = st.lists(end, min_size=degree, max_size=degree)
    neighbour = np.array(data.draw(st.lists(row, min_size=nodes, max_size=nodes)))
    start, port = np.nonzero(neighbour >= 0)
    links = (np.ones(len(start)), (start, neighbour[start, port]))
    expected = shortest_path(csr_array(links, shape=(nodes, nodes)), unweighted=True)
    expected[np.isinf(expected)] = -1
    actual = [distances(neighbour, source) for source in range(nodes)]
    assert (np.stack(actual) == expected).all()


def test_refuses_summary_of_parts() -> None:
    graph: nx.Graph[int] = nx.Graph([(0, 1), (2, 3)])
    with pytest.raises(ValueError, match=r"^Topology needs a way from node 0 to 2$"):
        summary(Edges(graph))

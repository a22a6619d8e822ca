import networkx as nx
import pytest

from tests.golden.graphs import Edges


@pytest.fixture
def path() -> Edges:
    """0 - 1 - 2."""
    return Edges(nx.path_graph(3))


def test_what_a_topology_has_that_says_no_more(path: Edges) -> None:
    assert (path.nodes, path.degree, path.local) == (3, 2, 2)
    assert [path.port_name(port) for port in range(3)] == ["L0", "L1", "LOCAL"]
    assert path.orbit.tolist() == [0, 1, 2]
    assert path.constants() == {}
    assert [path.name(node) for node in range(3)] == ["0", "1", "2"]
    assert [path.node(name) for name in ("2", " 2 ", "02")] == [2, 2, 2]


@pytest.mark.parametrize("array", ["neighbour", "arrival_port", "terminals"])
def test_arrays_are_read_only(path: Edges, array: str) -> None:
    with pytest.raises(ValueError, match=r"^assignment destination is read-only$"):
        getattr(path, array)[0] = 2


@pytest.mark.parametrize("name", ["3", "", "-1", "1.0", "two", "0,1"])
def test_refuses_names_of_no_node(path: Edges, name: str) -> None:
    given = name if name == "3" else repr(name)
    with pytest.raises(ValueError, match=rf"^Node needs a number in 0\.\.2, not {given}$"):
        path.node(name)

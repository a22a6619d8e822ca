import networkx as nx
import pytest

from tests.golden.graphs import Edges


@pytest.fixture
def path() -> Edges:
    """0 - 1 - 2."""
    return Edges(nx.path_graph(3))


def test_counts(path: Edges) -> None:
    assert (path.nodes, path.degree, path.local) == (3, 2, 2)


def test_port_names(path: Edges) -> None:
    assert [path.port_name(port) for port in range(3)] == ["L0", "L1", "LOCAL"]


def test_every_node_is_its_own_orbit(path: Edges) -> None:
    assert path.orbit.tolist() == [0, 1, 2]


def test_has_no_constants_of_its_own(path: Edges) -> None:
    assert path.constants() == {}


def test_arrays_are_read_only(path: Edges) -> None:
    with pytest.raises(ValueError, match=r"^assignment destination is read-only$"):
        path.neighbour[0, 0] = 2
    with pytest.raises(ValueError, match=r"^assignment destination is read-only$"):
        path.arrival_port[0, 0] = 2


@pytest.mark.parametrize("name", ["2", " 2 ", "02"])
def test_number_names_a_node(path: Edges, name: str) -> None:
    assert path.node(name) == 2


def test_name_is_the_number(path: Edges) -> None:
    assert [path.name(node) for node in range(3)] == ["0", "1", "2"]


def test_refuses_number_out_of_range(path: Edges) -> None:
    with pytest.raises(ValueError, match=r"^Node needs a number in 0\.\.2, not 3$"):
        path.node("3")


@pytest.mark.parametrize("name", ["", "-1", "1.0", "two", "0,1"])
def test_refuses_other_names(path: Edges, name: str) -> None:
    with pytest.raises(ValueError, match=rf"^Node needs a number in 0\.\.2, not '{name}'$"):
        path.node(name)

import networkx as nx
import numpy as np
import pytest

from golden.routing import Routing
from tests.golden.graphs import Edges, minimal


@pytest.fixture
def routing() -> Routing:
    return minimal(Edges(nx.path_graph(3)))


def test_next_label_is_the_node_behind_the_port(routing: Routing) -> None:
    node = np.array([0, 1, 1, 2, 0, 1, 2])
    port = np.array([0, 0, 1, 0, 2, 2, 2])
    assert routing.next_label(node, port).tolist() == [1, 0, 2, 1, 0, 1, 2]


def test_a_routing_has_one_phase_unless_it_says_more(routing: Routing) -> None:
    assert routing.phases == ("",)
    assert routing.phase(np.array([0, 2])).tolist() == [0, 0]


def test_a_routing_has_no_constants_or_tables_of_its_own(routing: Routing) -> None:
    assert routing.constants() == {}
    assert routing.table_bits() == {}

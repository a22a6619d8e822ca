import networkx as nx
import numpy as np
import pytest

from golden.routing import Routing
from tests.golden.graphs import Edges, Gamble, minimal


@pytest.fixture
def routing() -> Routing:
    return minimal(Edges(nx.path_graph(3)))


def test_a_routing_has_one_phase_unless_it_says_more(routing: Routing) -> None:
    assert routing.phases == ("",)
    assert routing.phase(np.array([0, 2])).tolist() == [0, 0]


def test_a_routing_has_no_constants_or_tables_of_its_own(routing: Routing) -> None:
    assert routing.constants() == {}
    assert routing.table_bits() == {}


def test_hints_have_the_width_of_what_they_tell(routing: Routing) -> None:
    assert routing.hint_width == 0
    assert Gamble(Edges(nx.path_graph(3))).hint_width == 16

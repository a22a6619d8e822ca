import networkx as nx
import numpy as np
import pytest

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.routing import Decision, Routing
from tests.golden.graphs import Edges, Gamble, Rule, minimal


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
    assert routing.selection_width == 0
    assert Gamble(Edges(nx.path_graph(3))).selection_width == 16


class Fussy(Rule):
    """Header generation doubles a header and refuses 3; the unit delivers all but 2 and 5."""

    def generate_header(self, node: IntArray, header: IntArray) -> tuple[IntArray, IntArray]:
        assert (node != 1).all(), "nothing comes from the terminal of node 1 here"
        return 2 * header, (header == 3).astype(np.int64)

    def unit(
        self, node: IntArray, arrival: IntArray, header: IntArray, selection: IntArray | None
    ) -> Decision:
        told = header * 0 if selection is None else selection
        return Decision(arrival, header + told, ((header == 2) | (header == 5)).astype(np.int64))

    def selections(
        self, node: IntArray, arrival: IntArray, header: IntArray
    ) -> tuple[IntArray, IntArray]:
        packet = np.repeat(np.arange(len(header)), 2)
        return packet, np.arange(len(packet)) % 2


def test_a_decision_is_the_launch_and_then_the_unit() -> None:
    routing = Fussy(Edges(nx.path_graph(3)), lambda node, goal: 0)
    local = routing.topology.local
    node, arrival = np.array([0, 0, 0, 1, 1, 1]), np.array([local] * 3 + [0] * 3)
    header = np.array([1, 3, 4, 1, 2, 3])
    decision = routing.decide(node, arrival, header)
    assert header.tolist() == [1, 3, 4, 1, 2, 3]
    assert decision.port.tolist() == arrival.tolist()
    assert decision.header.tolist() == [2, 6, 8, 1, 2, 3]
    assert decision.error.tolist() == [
        1,
        1,
        0,
        0,
        1,
        0,
    ]  # refused: by unit, header generation, -, -, unit
    assert routing.decide(node, arrival, header, np.array(7)).header.tolist()[2:4] == [15, 8]
    packet, every = routing.alternatives(node, arrival, header)
    assert packet.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    assert every.header.tolist() == [2, 3, 6, 7, 8, 9, 1, 2, 2, 3, 3, 4]
    assert every.error.tolist() == [1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0]


def test_one_decision_at_two_nodes() -> None:
    routing = Fussy(Edges(nx.path_graph(3)), lambda node, goal: 0)
    decision = routing.decide(np.array([[0], [2]]), np.array(routing.topology.local), np.array([3]))
    assert decision.header.tolist() == [[6], [6]]
    assert decision.error.tolist() == [[1], [1]]

"""What every routing has, and routes: decisions chained from source to destination."""

import networkx as nx
import numpy as np
import pytest

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.routing import Decision, Routing
from fingerpost.golden.routing.walk import hops, walk
from tests.golden.graphs import Edges, Gamble, Rule, check_shortest, minimal


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


@pytest.fixture
def ring() -> Edges:
    """0 - 1 - 2 - 3 - 4 - 0; the ports of node 0 lead to 1 and 4, those of node 4 to 0 and 3."""
    return Edges(nx.cycle_graph(5))


class Onward(Rule):
    """Around the ring: out by the port at which the packet did not come in."""

    def unit(
        self, node: IntArray, arrival: IntArray, header: IntArray, selection: IntArray | None
    ) -> Decision:
        port = np.where(arrival == self.topology.local, 1, 1 - arrival)
        port = np.where(node == header, self.topology.local, port)
        return Decision(port, header, np.zeros_like(port))


def test_routes_are_padded_behind_the_last_hop(ring: Edges) -> None:
    routes = walk(minimal(ring), np.array([4, 2, 2, 2]), np.array([1, 0, 2, 3]))
    assert routes.nodes.tolist() == [[4, 0, 1], [2, 1, 0], [2, -1, -1], [2, 3, -1]]
    assert routes.ports.tolist() == [[0, 0], [0, 0], [-1, -1], [1, -1]]
    assert routes.phases.tolist() == [[0, 0], [0, 0], [-1, -1], [0, -1]]
    assert routes.hops.tolist() == [2, 2, 0, 1]
    one_source = walk(minimal(ring), np.array(0), np.arange(5))
    assert one_source.hops.tolist() == [0, 1, 2, 2, 1]


@pytest.mark.parametrize("packets", [[], [3]])
def test_no_hops(ring: Edges, packets: list[int]) -> None:
    there: IntArray = np.array(packets, dtype=np.int64)
    routes = walk(minimal(ring), there, there)
    assert routes.nodes.tolist() == [[node] for node in packets]
    assert routes.ports.shape == routes.phases.shape == (len(packets), 0)
    assert routes.hops.tolist() == [0] * len(packets)


def test_does_not_change_its_arguments(ring: Edges) -> None:
    source, destination = np.arange(5), np.arange(5)[::-1].copy()
    walk(minimal(ring), source, destination)
    assert source.tolist() == [0, 1, 2, 3, 4]
    assert destination.tolist() == [4, 3, 2, 1, 0]


def test_hops_are_distances() -> None:
    check_shortest(minimal(Edges(nx.petersen_graph())))


def test_a_decision_knows_the_port_of_arrival(ring: Edges) -> None:
    # From 2 by port 1 to 3, where it arrives by port 0; from 4 the way on is port 0.
    routes = walk(Onward(ring, lambda node, destination: 0), np.array([2]), np.array([1]))
    assert routes.nodes.tolist() == [[2, 3, 4, 0, 1]]
    assert routes.ports.tolist() == [[1, 1, 0, 0]]


def test_hops_are_those_of_the_packets_that_still_move(ring: Edges) -> None:
    routing = Onward(ring, lambda node, destination: 0)
    steps = [
        (packet.tolist(), node.tolist(), arrival.tolist(), header.tolist(), decision.port.tolist())
        for packet, node, arrival, header, decision in hops(
            routing, np.array([2, 3, 0]), np.array([4, 3, 3])
        )
    ]
    local = ring.local
    assert steps == [
        ([0, 1, 2], [2, 3, 0], [local] * 3, [4, 3, 3], [1, local, 1]),
        ([0, 2], [3, 4], [0, 0], [4, 3], [1, 1]),
        ([0, 2], [4, 3], [1, 1], [4, 3], [local, local]),
    ]


def to_and_fro_to(last: int) -> Rule:
    """On the path 0 - 1 - 2 - 3: from 0 to 1 and back, and then on to `last`."""
    topology = Edges(nx.path_graph(4))
    ports = iter([0, 0, 0, 1, 1][: last + 2])
    return Rule(topology, lambda node, destination: next(ports, topology.local))


def test_as_many_hops_as_nodes_are_allowed() -> None:
    routes = walk(to_and_fro_to(2), np.array([0]), np.array([2]))
    assert routes.nodes.tolist() == [[0, 1, 0, 1, 2]]


def test_refuses_one_hop_more_than_nodes() -> None:
    with pytest.raises(ValueError, match=r"^rule needs more than n = 4 hops from 0 to 3$"):
        walk(to_and_fro_to(3), np.array([0]), np.array([3]))


def test_refuses_a_packet_delivered_elsewhere(ring: Edges) -> None:
    early = Rule(ring, lambda node, destination: ring.local if node == 2 else 1)
    message = r"^rule delivers a packet from 1 to 2, not to 3$"
    with pytest.raises(ValueError, match=message):
        walk(early, np.array([2, 1]), np.array([2, 3]))

import networkx as nx
import numpy as np
import pytest

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.routing import Decision
from fingerpost.golden.routing.walk import hops, walk
from tests.golden.graphs import Edges, Rule, check_shortest, minimal


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


def test_refuses_a_packet_that_never_arrives(ring: Edges) -> None:
    to_and_fro = Rule(ring, lambda node, destination: 0)
    with pytest.raises(ValueError, match=r"^rule needs more than n = 5 hops from 1 to 3$"):
        walk(to_and_fro, np.array([1]), np.array([3]))


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

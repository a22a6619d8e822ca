from collections.abc import Iterable
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.network.network import build
from fingerpost.golden.routing.adaptive_table import AdaptiveTable
from fingerpost.golden.routing.table import Table
from fingerpost.golden.topology import DoubleLoop, Topology
from tests.golden.dependencies import pairs_of_ways
from tests.golden.graphs import Edges, shortest_ports, topologies

CUBE = Edges(nx.convert_node_labels_to_integers(nx.hypercube_graph(3)))
"""Up to three shortest ways."""

OTHERS = [CUBE, DoubleLoop(nodes=9, a=1, b=2), DoubleLoop(nodes=10, a=1, b=4)]


def to_terminals(topology: Topology) -> dict[tuple[int, int], list[int]]:
    """Return the ports on shortest paths from each node to each terminal."""
    ports = shortest_ports(topology)
    return {pair: ways for pair, ways in ports.items() if pair[1] in topology.terminals}


def arrived(
    routing: AdaptiveTable, node: int, terminal: int
) -> tuple[IntArray, IntArray, IntArray]:
    """Return node, port of arrival and header of a packet from a terminal at the node."""
    header = routing.encode(np.array([node]), np.array([terminal]))
    return np.array([node]), np.array([routing.topology.local]), header


def check_ways(topology: Topology) -> None:
    routing = AdaptiveTable(topology)
    for (node, terminal), ways in to_terminals(topology).items():
        at = arrived(routing, node, terminal)
        packet, decision = routing.alternatives(*at)
        assert not packet.any()
        assert sorted(decision.port.tolist()) == (ways or [topology.local])
        assert not decision.error.any()


@given(topologies())
def test_takes_every_shortest_way_and_no_other(topology: Topology) -> None:
    check_ways(topology)


@pytest.mark.parametrize("topology", OTHERS, ids=["cube", "loop", "wide-loop"])
def test_takes_every_shortest_way_of_several_and_of_one_way_links(topology: Topology) -> None:
    check_ways(topology)
    assert max(map(len, to_terminals(topology).values())) > 1


def check_choice(topology: Topology, selections: Iterable[int]) -> None:
    routing, table = AdaptiveTable(topology), Table(topology)
    for (node, terminal), ways in to_terminals(topology).items():
        at = arrived(routing, node, terminal)
        own = int(table.decide(*at).port[0])
        assert routing.decide(*at).port.tolist() == [own]  # all are free
        for selection in selections:
            free = {port for port in ways if selection >> port & 1}
            expected = own if own in free or not free else min(free)
            assert routing.decide(*at, np.array([selection])).port.tolist() == [expected]


@given(topologies(), st.integers(0, 1 << 13))
def test_takes_the_tables_port_if_it_is_free_else_the_lowest_that_is(
    topology: Topology, selection: int
) -> None:
    check_choice(topology, [selection])


def test_chooses_among_three() -> None:
    check_choice(CUBE, range(16))


@pytest.mark.regress
def test_turns_of_all_choices_are_in_the_proof() -> None:
    torus: dict[str, Any] = {"family": "grid", "sizes": [4, 4], "wrap": True}
    network = build(
        {"name": "torus", "topology": torus, "routing": {"algorithm": "adaptive-table"}}
    )
    assert network.channels.is_free_of_deadlock(network.virtual_channels)
    taken = network.channels.used_turns
    turns, _ = pairs_of_ways(network.routing, network.channels.vc_increments)
    assert set(map(tuple, np.argwhere(taken).tolist())) == turns
    table = build({"name": "torus", "topology": torus, "routing": {"algorithm": "table"}})
    assert taken.sum() > table.channels.used_turns.sum()


def test_ways_are_straps() -> None:
    routing = AdaptiveTable(Edges(nx.petersen_graph()))
    first = routing.straps.value("ways5")
    assert first[5] == 0
    assert first[0] == 1 << 2  # of 0 the neighbours are 1, 4, 5
    assert np.bitwise_count(first).sum() == 9  # in the Petersen graph shortest ways are unique

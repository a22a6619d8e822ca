"""Distances and productive ports beside networkx."""

import networkx as nx
import numpy as np
import pytest

from tests.golden.deflection.examples import TOPOLOGIES, deflection


@pytest.mark.parametrize("name", TOPOLOGIES)
def test_distances_and_productive_ports_are_those_of_networkx(name: str) -> None:
    network = deflection(name)
    topology, known = network.topology, network.destinations
    graph = nx.DiGraph(
        (node, there)
        for node, row in enumerate(topology.neighbour.tolist())
        for there in row
        if there >= 0
    )
    hops = dict(nx.all_pairs_shortest_path_length(graph))
    terminals = topology.terminals.tolist()
    assert known.diameter == max(hops[v][t] for v in graph for t in terminals)
    for node in graph:
        productive, distance = network.entries(node)
        pairing = network.pairings[topology.node_type[node]]
        for number, terminal in enumerate(terminals):
            assert known.distance[node, number] == distance[number] == hops[node][terminal]
            nearer = {
                port
                for port, there in enumerate(topology.neighbour[node].tolist())
                if there >= 0 and hops[there][terminal] < hops[node][terminal]
            }
            assert {p for p in range(8) if known.productive[node, number] >> p & 1} == nearer
            slots = np.flatnonzero(productive[number] >> np.arange(8) & 1)
            assert {pairing.outputs[slot] for slot in slots} == nearer
        assert not productive[len(terminals) :].any()
        assert not distance[len(terminals) :].any()

"""Nodes of an orbit have the same routes: what holds for one of them is taken for all."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from fingerpost.golden.network.network import routed
from fingerpost.golden.routing import Routing
from tests.networks import CASES


def crossings(routing: Routing) -> NDArray[np.float64]:
    """Return how many packets cross the links of each orbit, by source: one goes to each terminal.

    Packets that have several ways take each with the same probability.
    """
    topology = routing.topology
    terminals, orbits = topology.terminals, int(routing.orbit.max()) + 1
    source = np.repeat(np.arange(len(terminals)), len(terminals))
    node, destination = terminals[source], np.tile(terminals, len(terminals))
    arrival, header = np.full_like(node, topology.local), routing.encode(node, destination)
    crossed = np.zeros((len(terminals), orbits, topology.degree))
    share = np.ones(len(node))
    for _ in range(topology.nodes + 1):
        packet, decision = routing.alternatives(node, arrival, header)
        share = share[packet] / np.bincount(packet)[packet]
        away = decision.port != topology.local
        source, node, port, header = (
            column[away]
            for column in (source[packet], node[packet], decision.port, decision.header)
        )
        np.add.at(crossed, (source, routing.orbit[node], port), share[away])
        there = topology.neighbour[node, port], topology.arrival_port[node, port]
        states, same = np.unique(np.stack([source, *there, header]), axis=1, return_inverse=True)
        source, node, arrival, header = states
        before, share = share[away], np.zeros(states.shape[1])
        np.add.at(share, same.ravel(), before)
        if not len(node):
            return crossed
    raise AssertionError("a packet goes on for more than n hops")


GRIDS: dict[str, dict[str, Any]] = {
    "mesh": {"sizes": [3, 2]},
    "even torus": {"sizes": [4, 4], "wrap": True},
    "odd torus": {"sizes": [5, 3], "wrap": True},
}

SYMMETRIC = CASES | {
    name: {
        "name": "case",
        "topology": {"family": "grid", **sizes},
        "routing": {"algorithm": "dimension-order"},
    }
    for name, sizes in GRIDS.items()
}


def differ_within_orbits(routing: Routing) -> bool:
    """Return whether a node has other routes than the first one of its orbit."""
    crossed, orbit = crossings(routing), routing.orbit[routing.topology.terminals]
    _, first, which = np.unique(orbit, return_index=True, return_inverse=True)
    return not np.allclose(crossed, crossed[first[which.ravel()]])


@pytest.mark.parametrize("name", SYMMETRIC)
def test_nodes_of_an_orbit_have_the_same_routes(name: str) -> None:
    assert not differ_within_orbits(routed(SYMMETRIC[name]).routing)


@pytest.mark.parametrize("name", ["table-super-rotator", "even torus"])
def test_an_algorithm_that_claims_more_symmetry_than_it_has_is_found(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    routing = routed(SYMMETRIC[name]).routing
    one = np.zeros(routing.topology.nodes, np.int64)
    monkeypatch.setattr(type(routing), "orbit", one)
    assert differ_within_orbits(routing)

from itertools import pairwise, product
from typing import Any

import networkx as nx
import numpy as np
import pytest

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.deadlock.channels import Channels
from fingerpost.golden.deadlock.order import heights, rank_classes, valleys
from fingerpost.golden.deadlock.states import found, states
from fingerpost.golden.network.network import routed
from fingerpost.golden.routing import Decision, Routing, TwoPhase
from fingerpost.golden.routing.table import Table
from tests.golden.borel_group import EXAMPLE
from tests.golden.dependencies import Hop, pairs_of_ways
from tests.golden.graphs import Edges, Gamble, Rule, all_routes, minimal
from tests.networks import CASES

GRAPHS = {
    "square": nx.cycle_graph(4),
    "hexagon": nx.cycle_graph(6),
    "cube": nx.hypercube_graph(3),
    "petersen": nx.petersen_graph(),
    "grid": nx.grid_2d_graph(3, 3),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_every_shortest_path_is_followed(name: str) -> None:
    topology = Edges(nx.convert_node_labels_to_integers(GRAPHS[name]))
    order = np.random.default_rng(1).permutation(topology.nodes)
    check_all_ways(Channels(Gamble(topology), valleys(topology, order)))


def test_channels_of_chance_are_proven_for_all_that_can_happen() -> None:
    # On a square a packet to the opposite corner may take either way, so every turn occurs:
    # shortest paths of one fixed choice need 1 channel there, chance needs 2.
    square = Edges(nx.cycle_graph(4))
    increments = valleys(square, np.arange(4))
    assert Channels(minimal(square), increments).needed == 1
    assert Channels(Gamble(square), increments).needed == 2


class Restless(Gamble):
    """A routing that never delivers."""

    def unit(self, node, arrival, header, selection):  # type: ignore[no-untyped-def]
        return Decision(np.zeros_like(node), header, np.zeros_like(node))


class Astray(TwoPhase):
    """Two-phase routing that takes every packet out after one hop; its orbits have seven nodes."""

    def unit(
        self, node: IntArray, arrival: IntArray, header: IntArray, selection: IntArray | None
    ) -> Decision:
        port, onward, error = super().unit(node, arrival, header, selection)
        local = self.topology.local
        return Decision(np.where(arrival == local, port, local), onward, error)


PATH = Edges(nx.path_graph(3))
"""Port 0 of node 1 leads to node 0, port 1 to node 2."""


@pytest.mark.parametrize(
    ("routing", "message"),
    [
        (Restless(Edges(nx.cycle_graph(4))), "gamble needs more than n = 4 hops"),
        (Rule(PATH, lambda node, end: 2), "rule delivers a packet from 0 to 0, not to 1"),
        (
            Rule(PATH, lambda node, end: 2 if node == end == 0 else 0),
            "rule needs more than n = 3 hops from 0 to 1",
        ),
        (Astray(EXAMPLE.topology()), r"two-phase delivers a packet from 0 to \d+, not to \d+"),
    ],
)
def test_routes_that_end_badly_are_refused(routing: Routing, message: str) -> None:
    width = routing.topology.degree + 1
    channels = Channels(routing, np.zeros((routing.topology.nodes, width, width), np.bool_))
    with pytest.raises(ValueError, match=f"^{message}$"):
        _ = channels.max_vcs


def test_behind_the_first_hop_a_node_stands_for_its_orbit() -> None:
    routing = TwoPhase(EXAMPLE.topology())
    terminals = routing.topology.terminals
    all_states = found(routing, routing.orbit, terminals[:3], terminals)
    assert set(all_states.node[all_states.steps.sources :].tolist()) == {0, 1, 2}


def check_all_ways(channels: Channels) -> None:
    """Compare turns, dependencies and crossings with all packets, one at a time."""
    topology, orbit = channels.topology, channels.orbit
    turns, pairs = pairs_of_ways(channels.routing, channels.vc_increments)
    assert set(map(tuple, np.argwhere(channels.used_turns).tolist())) == turns
    for count in range(1, channels.max_vcs + 1):
        graph = channels.dependencies(count)
        edges = zip(graph.start.tolist(), graph.end.tolist(), strict=True)

        def vertex(hop: Hop, count: int = count) -> int:
            node, port, vc = hop
            link = int(orbit[node]) * topology.degree + port
            return link * count + min(vc, count - 1)

        assert set(edges) == {(vertex(start), vertex(end)) for start, end in pairs}
    assert channels.max_vcs == 1 + max((hop[2] for pair in pairs for hop in pair), default=0)


def check_crossings(channels: Channels) -> None:
    """Compare how often links are crossed with the routes of all packets."""
    topology, orbit, terminals = channels.topology, channels.orbit, channels.topology.terminals
    routes = all_routes(channels.routing)
    size = np.bincount(orbit[terminals])  # one source stands for so many
    expected = np.zeros((2, int(orbit.max()) + 1, topology.degree))
    for nodes, ports in zip(routes.nodes.tolist(), routes.ports.tolist(), strict=True):
        for hop, (node, port) in enumerate(zip(nodes, ports, strict=False)):
            if port >= 0:
                expected[int(hop > 0), orbit[node], port] += 1 / size[orbit[nodes[0]]]
    crossings = channels.states.crossings
    assert crossings.longest == routes.hops.max()
    assert crossings.first == pytest.approx(expected[0].ravel())
    assert crossings.every == pytest.approx(expected.sum(axis=0).ravel())


QUICK = "table-", "adaptive-table-", "up-down-"
"""Algorithms of which the case is small."""


def case(name: str) -> Any:
    """Return a case, which is slow if it is of many packets."""
    return name if name.startswith(QUICK) else pytest.param(name, marks=pytest.mark.regress)


@pytest.mark.parametrize("name", [case(name) for name in CASES])
def test_states_are_all_that_packets_can_do(name: str) -> None:
    routing = routed(CASES[name]).routing
    classes = int(rank_classes(routing).max()) + 1
    height = heights(routing, np.random.default_rng(2).permutation(classes))
    own = routing.vc_increments()
    turns = valleys(routing.topology, height)
    for increments in [turns] if own is None else [turns, own]:
        check_all_ways(Channels(routing, increments))
        if not routing.selection:
            check_crossings(Channels(routing, increments))


@pytest.mark.parametrize("kept", [0, 1 << 23])
def test_blocks_of_destinations_make_no_difference(
    monkeypatch: pytest.MonkeyPatch, kept: int
) -> None:
    for size in ("BLOCK", "MERGED"):
        monkeypatch.setattr(f"fingerpost.golden.deadlock.state_graph.{size}", 20)
    monkeypatch.setattr("fingerpost.golden.deadlock.state_graph.KEPT", kept)
    for routing in (TwoPhase(EXAMPLE.topology()), Table(EXAMPLE.topology())):
        classes = int(rank_classes(routing).max()) + 1
        height = heights(routing, np.random.default_rng(3).permutation(classes))
        channels = Channels(routing, valleys(routing.topology, height))
        check_all_ways(channels)
        check_crossings(channels)


def test_states_are_those_of_all_walks() -> None:
    routing = Gamble(Edges(nx.petersen_graph()))
    node, arrival, header = states(routing, routing.topology.terminals)
    found = set(zip(node.tolist(), arrival.tolist(), header.tolist(), strict=True))
    assert len(found) == len(node)
    assert list(zip(node.tolist(), arrival.tolist(), header.tolist(), strict=True)) == sorted(found)
    expected = set()
    graph, neighbour = nx.petersen_graph(), routing.topology.neighbour
    for source, end in product(range(10), repeat=2):
        for path in nx.all_shortest_paths(graph, source, end):
            expected.add((source, 3, end))
            for here, there in pairwise(path):
                expected.add((there, int(np.flatnonzero(neighbour[there] == here)[0]), end))
    assert found == expected

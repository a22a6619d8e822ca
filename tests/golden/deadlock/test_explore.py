from itertools import pairwise, product

import networkx as nx
import numpy as np
import pytest

from fingerpost.golden.arrays import BoolArray
from fingerpost.golden.deadlock.channels import Channels
from fingerpost.golden.deadlock.explore import explore, states
from fingerpost.golden.deadlock.order import valleys
from fingerpost.golden.routing import Decision
from tests.golden.graphs import Edges, Gamble, minimal

GRAPHS = {
    "square": nx.cycle_graph(4),
    "hexagon": nx.cycle_graph(6),
    "cube": nx.hypercube_graph(3),
    "petersen": nx.petersen_graph(),
    "grid": nx.grid_2d_graph(3, 3),
}


def all_dependencies(graph: "nx.Graph[int]", increments: BoolArray, channels: int) -> set[object]:
    """Return the pairs of (node, next node, channel) that follow each other on shortest paths."""
    around = [sorted(graph[node]) for node in range(len(graph))]
    found: set[object] = set()
    for source, end in product(range(len(graph)), repeat=2):
        for path in nx.all_shortest_paths(graph, source, end):
            channel, last = 0, None
            for here, there in pairwise(path):
                if last is not None:
                    turn = increments[here, around[here].index(last[0]), around[here].index(there)]
                    channel = min(channel + int(turn), channels - 1)
                hop = (here, there, channel)
                if last is not None:
                    found.add((last, hop))
                last = hop
    return found


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("channels", [1, 2, 3])
def test_every_shortest_path_is_followed(name: str, channels: int) -> None:
    graph = nx.convert_node_labels_to_integers(GRAPHS[name])
    topology = Edges(graph)
    increments = valleys(topology, np.random.default_rng(1).permutation(topology.nodes))
    starts, ends, highest = explore(Gamble(topology), increments, topology.orbit, channels)

    def hop(vertex: int) -> tuple[int, int, int]:
        link, channel = divmod(vertex, channels)
        node, port = divmod(link, topology.degree)
        return node, int(topology.neighbour[node, port]), channel

    found = {(hop(s), hop(e)) for s, e in zip(starts.tolist(), ends.tolist(), strict=True)}
    expected = all_dependencies(graph, increments, channels)
    assert found == expected
    assert highest == max(hop[2] for pair in expected for hop in pair)  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", GRAPHS)
def test_used_turns_are_those_of_every_shortest_path(name: str) -> None:
    graph = nx.convert_node_labels_to_integers(GRAPHS[name])
    topology = Edges(graph)
    around = [sorted(graph[node]) for node in range(len(graph))]
    expected = set()
    for source, end in product(range(len(graph)), repeat=2):
        for path in nx.all_shortest_paths(graph, source, end):
            for before, here, after in zip([None, *path], path, [*path[1:], None], strict=False):
                ports = [
                    topology.local if other is None else around[here].index(other)
                    for other in (before, after)
                ]
                expected.add((here, *ports))
    taken = Channels(Gamble(topology), valleys(topology, np.arange(topology.nodes))).used_turns
    assert set(map(tuple, np.argwhere(taken).tolist())) == expected


def test_channels_of_chance_are_proven_for_all_that_can_happen() -> None:
    # On a square a packet to the opposite corner may take either way, so every turn occurs:
    # shortest paths of one fixed choice need 1 channel there, chance needs 2.
    square = Edges(nx.cycle_graph(4))
    increments = valleys(square, np.arange(4))
    assert Channels(minimal(square), increments).needed == 1
    assert Channels(Gamble(square), increments).needed == 2


def test_endless_ways_are_refused() -> None:
    class Restless(Gamble):
        def unit(self, node, arrival, header, selection):  # type: ignore[no-untyped-def]
            return Decision(np.zeros_like(node), header, np.zeros_like(node))

    ring = Edges(nx.cycle_graph(4))
    with pytest.raises(ValueError, match=r"^gamble needs more than n = 4 hops$"):
        explore(Restless(ring), np.zeros((4, 3, 3), np.bool_), ring.orbit, 1)


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

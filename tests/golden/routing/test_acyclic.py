"""Routes for a given number of channels: they arrive, no channels wait for each other, few detours.

Everything is judged by networkx and by hand: of the routing only words and the order of links are
read.
"""

from collections.abc import Iterator

import networkx as nx
import numpy as np
import pytest

from fingerpost.golden.network.base import topology as built
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.routing.acyclic import Acyclic
from fingerpost.golden.topology import Topology
from tests.golden.graphs import Edges
from tests.quick import only

Channel = tuple[int, int, int]

BOREL_21 = {"topology": {"family": "borel", "p": 7, "a": 2, "A": [0, 1], "B": [1, 1]}}
BOREL_55 = {"topology": {"family": "borel", "p": 11, "a": 3, "A": [1, 1], "B": [2, 1]}}


def random_graph(number: int) -> "nx.Graph[int]":
    """Return a connected graph of 8 to 200 nodes: regular, with hubs, a tree with some more, ..."""
    rng = np.random.default_rng(number)
    n = int(np.exp(rng.uniform(np.log(8), np.log(200))))
    kind, seed = number % 5, int(rng.integers(1 << 30))
    if kind < 2:
        return nx.random_regular_graph(3 + kind, n + n % 2, seed)  # type: ignore[no-any-return]
    if kind == 2:
        graph = nx.barabasi_albert_graph(n, 2, seed)
    elif kind == 3:
        graph = nx.random_labeled_tree(n, seed=seed)
        graph.add_edges_from(nx.gnm_random_graph(n, n // 2, seed).edges)
    else:
        graph = nx.connected_watts_strogatz_graph(n, 4, 0.3, seed=seed)
    while max(dict(graph.degree).values()) > 15:
        hub = max(graph, key=graph.degree)
        far = max(graph[hub], key=lambda node: len(graph[node]))
        graph.remove_edge(hub, far)
        if not nx.is_connected(graph):
            graph.add_edge(hub, far)
            break
    return graph  # type: ignore[no-any-return]


def followed(routing: Acyclic) -> Iterator[list[Channel]]:
    """Yield all routes as (node, port, channel), by the words and the order alone."""
    topology, order = routing.topology, routing.link_order.tolist()
    place = {link: number for number, link in enumerate(order)}
    degree, terminals = topology.degree, topology.terminals.tolist()
    bits = max(1, (degree - 1).bit_length())
    for source, row in zip(terminals, routing.words.tolist(), strict=True):
        for goal, word in zip(terminals, row, strict=True):
            node, last, channel, route = source, -1, 0, []
            while word != 1:
                port, word = word & ((1 << bits) - 1), word >> bits
                now = place[int(routing.orbits[node]) * degree + port]
                channel += now <= last
                last = now
                route.append((node, port, channel))
                node = int(topology.neighbour[node, port])
            assert node == goal
            yield route


def judge(routing: Acyclic, graph: "nx.Graph[int] | nx.DiGraph[int]") -> float:
    """Check channels and dependencies; return the hops over those of shortest paths."""
    waits = nx.DiGraph()
    hops, longest = 0, 0
    for route in followed(routing):
        hops, longest = hops + len(route), max(longest, len(route))
        assert all(channel < routing.virtual_channels for *_, channel in route)
        nx.add_path(waits, route)
    assert nx.is_directed_acyclic_graph(waits)
    assert longest == routing.longest
    shortest = sum(sum(of.values()) for _, of in nx.all_pairs_shortest_path_length(graph))
    return hops / shortest


SOME = range(0, 100, 9)


@pytest.mark.parametrize("number", only(SOME, range(100)))
def test_random_graphs(number: int) -> None:
    graph = random_graph(number)
    topology = Edges(graph)
    if nx.diameter(graph) > 61 // max(1, (topology.degree - 1).bit_length()):
        with pytest.raises(ParameterError, match="needs a diameter of at most"):
            Acyclic(topology)
        return
    steps = 0 if number not in SOME else 300
    one, two = (judge(Acyclic(topology, virtual_channels=v, steps=steps), graph) for v in (1, 2))
    assert two <= 1.15
    assert one < 3

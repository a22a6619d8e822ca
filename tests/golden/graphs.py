"""Topologies of arbitrary graphs, and routings on them, for tests of what serves every family."""

from collections.abc import Callable, Sequence

import networkx as nx
import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.header import Layout, bits
from fingerpost.golden.routing import Decision, Routing
from fingerpost.golden.routing.walk import Routes, walk
from fingerpost.golden.topology import Topology

FloatArray = NDArray[np.float64]


class Edges(Topology):
    """The network of a graph; port i of a node leads to its i-th neighbour in rising order."""

    family = "edges"

    def __init__(self, graph: "nx.Graph[int]", terminals: Sequence[int] | None = None) -> None:
        links = (
            graph.to_directed()
        )  # out-ports are numbered by successors, in-ports by predecessors
        degree = max(d for count in (links.out_degree, links.in_degree) for _, d in count)
        neighbour = np.full((len(links), degree), -1)
        arrival_port = neighbour.copy()
        for node in links:
            for port, other in enumerate(sorted(links.successors(node))):
                neighbour[node, port] = other
                arrival_port[node, port] = sorted(links.predecessors(other)).index(node)
        names = tuple(f"L{port}" for port in range(degree))
        super().__init__(
            neighbour, arrival_port, names, None if terminals is None else np.array(terminals)
        )


@st.composite
def topologies(draw: st.DrawFn, *, directed: bool = False) -> Edges:
    """Draw connected graphs of up to 12 nodes, with terminals at some of them only."""
    n, seed = draw(st.integers(2, 12)), draw(st.integers(0, 10_000))
    if directed:
        graph = nx.gnp_random_graph(n, 0.3, seed=seed, directed=True)
        nx.add_cycle(graph, range(n))
    else:
        graph = nx.random_labeled_tree(n, seed=seed)
        graph.add_edges_from(nx.gnp_random_graph(n, draw(st.floats(0, 0.6)), seed=seed).edges)
    return Edges(graph, sorted(draw(st.sets(st.integers(0, n - 1), min_size=1))))


class Rule(Routing):
    """A routing whose header is the destination, and whose port is `rule(node, destination)`."""

    algorithm = "rule"

    def __init__(self, topology: Topology, rule: Callable[[int, int], int]) -> None:
        self.topology = topology
        self.rule = rule
        self.header = Layout.sequence(destination=(bits(topology.nodes), "the destination"))

    def encode(self, source: IntArray, destination: IntArray) -> IntArray:
        return np.asarray(destination)

    def unit(
        self, node: IntArray, arrival: IntArray, header: IntArray, selection: IntArray | None
    ) -> Decision:
        pairs: Sequence[tuple[int, int]] = list(zip(node.tolist(), header.tolist(), strict=True))
        port = np.array([self.rule(*pair) for pair in pairs], dtype=np.int64)
        return Decision(port, header, np.zeros_like(port))


def all_routes(routing: Routing) -> Routes:
    """Return the routes from each terminal to each."""
    terminals = routing.topology.terminals
    return walk(routing, np.repeat(terminals, len(terminals)), np.tile(terminals, len(terminals)))


def crossed(routing: Routing, weight: FloatArray | None = None) -> FloatArray:
    """Return what each link carries of a packet, or of its weight, from each terminal to each."""
    routes = all_routes(routing)
    weights = np.ones(len(routes.hops)) if weight is None else weight.ravel()
    load = np.zeros(routing.topology.neighbour.shape)
    packet, hop = np.nonzero(routes.ports >= 0)
    np.add.at(load, (routes.nodes[packet, hop], routes.ports[packet, hop]), weights[packet])
    return load


def distances(topology: Topology) -> dict[int, dict[int, int]]:
    """Return the hops from each node to each, by networkx."""
    return dict(nx.all_pairs_shortest_path_length(nx.DiGraph(links_of(topology))))


def check_shortest(routing: Routing) -> None:
    """Assert that all routes between terminals are shortest paths."""
    away, terminals = distances(routing.topology), routing.topology.terminals.tolist()
    assert all_routes(routing).hops.tolist() == [away[u][v] for u in terminals for v in terminals]


def links_of(topology: Topology) -> list[tuple[int, int]]:
    """Return the two nodes of each link, in both orders if it leads both ways."""
    return [
        (node, int(other))
        for node in range(topology.nodes)
        for other in topology.neighbour[node]
        if other >= 0
    ]


def shortest_ports(topology: Topology) -> dict[tuple[int, int], list[int]]:
    """Return the ports on shortest paths from each node to each, ascending."""
    away = distances(topology)
    return {
        (node, end): [
            port
            for port, other in enumerate(topology.neighbour[node].tolist())
            if other >= 0 and away[other][end] < away[node][end]
        ]
        for node in range(topology.nodes)
        for end in range(topology.nodes)
    }


def minimal(topology: Topology) -> Rule:
    """Return a routing by shortest paths of networkx: the smallest port that is nearer."""
    ports = shortest_ports(topology)
    return Rule(topology, lambda node, end: topology.local if node == end else ports[node, end][0])


class Gamble(Rule):
    """Shortest paths, of whose next links chance takes one."""

    algorithm = "gamble"
    selection = "random"

    def __init__(self, topology: Topology) -> None:
        super().__init__(topology, lambda node, destination: 0)
        self.ports = {pair: x or [topology.local] for pair, x in shortest_ports(topology).items()}

    def unit(
        self, node: IntArray, arrival: IntArray, header: IntArray, selection: IntArray | None
    ) -> Decision:
        chance = np.zeros_like(header) if selection is None else selection
        ways = [self.ports[pair] for pair in zip(node.tolist(), header.tolist(), strict=True)]
        port = [way[(h * len(way)) >> 16] for way, h in zip(ways, chance.tolist(), strict=True)]
        return Decision(np.array(port, np.int64), header, np.zeros_like(header))

    def selections(
        self, node: IntArray, arrival: IntArray, header: IntArray
    ) -> tuple[IntArray, IntArray | None]:
        ways = [self.ports[pair] for pair in zip(node.tolist(), header.tolist(), strict=True)]
        which = np.repeat(np.arange(len(node)), [len(way) for way in ways])
        selection = [-(-(i << 16) // len(way)) for way in ways for i in range(len(way))]
        return which, np.array(selection)

"""Topologies of arbitrary graphs, and routings on them, for tests of what serves every family."""

from collections.abc import Callable, Sequence

import networkx as nx
import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.header import Layout, bits
from fingerpost.golden.routing import Decision, Routing
from fingerpost.golden.routing.walk import Routes, walk
from fingerpost.golden.topology import Topology


class Edges(Topology):
    """The network of a graph; port i of a node leads to its i-th neighbour in rising order."""

    family = "edges"

    def __init__(self, graph: "nx.Graph[int]", terminals: Sequence[int] | None = None) -> None:
        around = [sorted(graph[node]) for node in range(len(graph))]
        degree = max(map(len, around))
        neighbour = np.full((len(graph), degree), -1)
        arrival_port = neighbour.copy()
        for node, others in enumerate(around):
            for port, other in enumerate(others):
                neighbour[node, port] = other
                arrival_port[node, port] = around[other].index(node)
        names = tuple(f"L{port}" for port in range(degree))
        super().__init__(
            neighbour, arrival_port, names, None if terminals is None else np.array(terminals)
        )


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


def check_shortest(routing: Routing) -> None:
    """Assert that all routes between nodes, all of which have terminals, are shortest paths."""
    away = dict(nx.all_pairs_shortest_path_length(nx.DiGraph(links_of(routing.topology))))
    nodes = range(routing.topology.nodes)
    assert all_routes(routing).hops.tolist() == [away[u][v] for u in nodes for v in nodes]


def links_of(topology: Topology) -> list[tuple[int, int]]:
    """Return the two nodes of each link, in both orders if it leads both ways."""
    return [
        (node, int(other))
        for node in range(topology.nodes)
        for other in topology.neighbour[node]
        if other >= 0
    ]


def minimal(topology: Topology) -> Rule:
    """Return a routing by shortest paths of networkx: the smallest port that is nearer."""
    away = dict(nx.all_pairs_shortest_path_length(nx.DiGraph(links_of(topology))))

    def rule(node: int, destination: int) -> int:
        if node == destination:
            return topology.local
        return next(
            port
            for port, other in enumerate(topology.neighbour[node].tolist())
            if other >= 0 and away[other][destination] < away[node][destination]
        )

    return Rule(topology, rule)


class Gamble(Rule):
    """Shortest paths, of whose next links chance takes one."""

    algorithm = "gamble"
    selection = "random"

    def __init__(self, topology: Topology) -> None:
        super().__init__(topology, lambda node, destination: 0)
        away = dict(nx.all_pairs_shortest_path_length(nx.DiGraph(links_of(topology))))
        n = topology.nodes
        self.choices = [
            [
                [
                    port
                    for port, other in enumerate(topology.neighbour[node].tolist())
                    if other >= 0 and away[other][end] < away[node][end]
                ]
                or [topology.local]
                for end in range(n)
            ]
            for node in range(n)
        ]

    def unit(
        self, node: IntArray, arrival: IntArray, header: IntArray, selection: IntArray | None
    ) -> Decision:
        chance = np.zeros_like(header) if selection is None else selection
        ways = [self.choices[v][d] for v, d in zip(node.tolist(), header.tolist(), strict=True)]
        port = [way[(h * len(way)) >> 16] for way, h in zip(ways, chance.tolist(), strict=True)]
        return Decision(np.array(port, np.int64), header, np.zeros_like(header))

    def selections(
        self, node: IntArray, arrival: IntArray, header: IntArray
    ) -> tuple[IntArray, IntArray | None]:
        ways = [self.choices[v][d] for v, d in zip(node.tolist(), header.tolist(), strict=True)]
        which = np.repeat(np.arange(len(node)), [len(way) for way in ways])
        selection = [-(-(i << 16) // len(way)) for way in ways for i in range(len(way))]
        return which, np.array(selection)

"""Topologies of arbitrary graphs, and routings on them, for tests of what serves every family."""

from collections.abc import Callable, Sequence

import networkx as nx
import numpy as np

from golden.header import Layout, bits
from golden.routing import Decision, Routing
from golden.topology import Topology
from golden.topology.base import IntArray


class Edges(Topology):
    """The network of a graph; port i of a node leads to its i-th neighbour in rising order."""

    family = "edges"

    def __init__(self, graph: "nx.Graph[int]") -> None:
        around = [sorted(graph[node]) for node in range(len(graph))]
        degree = max(map(len, around))
        neighbour = np.full((len(graph), degree), -1)
        arrival_port = neighbour.copy()
        for node, others in enumerate(around):
            for port, other in enumerate(others):
                neighbour[node, port] = other
                arrival_port[node, port] = around[other].index(node)
        super().__init__(neighbour, arrival_port, tuple(f"L{port}" for port in range(degree)))


class Rule(Routing):
    """A routing whose header is the destination, and whose port is `rule(node, destination)`."""

    algorithm = "rule"

    def __init__(self, topology: Topology, rule: Callable[[int, int], int]) -> None:
        self.topology = topology
        self.rule = rule
        self.header = Layout.sequence(destination=(bits(topology.nodes), "the destination"))

    def encode(self, source: IntArray, destination: IntArray) -> IntArray:
        return np.asarray(destination)

    def decide(self, node: IntArray, arrival: IntArray, header: IntArray) -> Decision:
        pairs: Sequence[tuple[int, int]] = list(zip(node.tolist(), header.tolist(), strict=True))
        port = np.array([self.rule(*pair) for pair in pairs], dtype=np.int64)
        return Decision(port, header, np.zeros_like(port))


def minimal(topology: Topology) -> Rule:
    """Return a routing by shortest paths of networkx: the smallest port that is nearer."""
    pairs = [
        (node, int(other))
        for node in range(topology.nodes)
        for other in topology.neighbour[node]
        if other >= 0
    ]
    away = dict(nx.all_pairs_shortest_path_length(nx.DiGraph(pairs)))

    def rule(node: int, destination: int) -> int:
        if node == destination:
            return topology.local
        return next(
            port
            for port, other in enumerate(topology.neighbour[node].tolist())
            if other >= 0 and away[other][destination] < away[node][destination]
        )

    return Rule(topology, rule)

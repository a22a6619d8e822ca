"""The channel dependency graph of all routes, link by link, without use of any symmetry."""

from itertools import pairwise

import networkx as nx
import numpy as np

from golden.routing import Routing
from golden.walk import walk

Hop = tuple[int, int, int]


def channel_dependencies(routing: Routing, height: list[int], channels: int) -> "nx.DiGraph[Hop]":
    """Return the graph over (node, port, channel) of the routes of all pairs of nodes."""
    n = routing.topology.nodes
    routes = walk(routing, np.repeat(np.arange(n), n), np.tile(np.arange(n), n))
    graph: nx.DiGraph[Hop] = nx.DiGraph()
    for nodes, ports in zip(routes.nodes.tolist(), routes.ports.tolist(), strict=True):
        channel, climbing, hops = 0, True, []
        for node, after, port in zip(nodes, nodes[1:], ports, strict=False):
            if port < 0:
                break
            rises = height[after] > height[node]
            if rises and not climbing and channel < channels - 1:
                channel += 1
            climbing = rises
            hops.append((node, port, channel))
        graph.add_nodes_from(hops)
        graph.add_edges_from(pairwise(hops))
    return graph


def girth(graph: "nx.DiGraph[Hop]") -> int:
    """Return the length of a shortest cycle of a graph that has one."""
    return min(
        1 + away[start]
        for end in graph
        for away in [nx.single_source_shortest_path_length(graph.reverse(copy=False), end)]
        for start in graph[end]
        if start in away
    )

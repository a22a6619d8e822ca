"""The channel dependency graph of all routes, link by link, without use of any symmetry."""

from itertools import pairwise

import networkx as nx
import numpy as np

from fingerpost.golden.arrays import BoolArray
from fingerpost.golden.routing import Routing
from tests.golden.graphs import all_routes

Hop = tuple[int, int, int]

Turn = tuple[int, int, int]
"""A node, the port by which a packet comes, and the port by which it goes on."""


def channel_dependencies(routing: Routing, height: list[int], channels: int) -> "nx.DiGraph[Hop]":
    """Return the graph over (node, port, channel) of the routes of all pairs of nodes."""
    routes = all_routes(routing)
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


def turns_of_pairs(routing: Routing) -> set[Turn]:
    """Return the turns of the routes of all pairs of terminals, a node at a time."""
    topology, local = routing.topology, routing.topology.local
    found: set[Turn] = set()
    for source in topology.terminals.tolist():
        for destination in topology.terminals.tolist():
            node, arrival = source, local
            header = routing.encode(np.array([source]), np.array([destination]))
            while True:
                port, header, _ = routing.decide(np.array([node]), np.array([arrival]), header)
                out = int(port[0])
                found.add((node, arrival, out))
                if out == local:
                    break
                arrival = int(topology.arrival_port[node, out])
                node = int(topology.neighbour[node, out])
    return found


def all_ways(routing: Routing, source: int, destination: int) -> list[list[Turn]]:
    """Return the turns of every way a packet can go, by every decision, one packet at a time."""
    topology, local = routing.topology, routing.topology.local
    header = routing.encode(np.array([source]), np.array([destination]))
    done, going = [], [(source, local, int(header[0]), list[Turn]())]
    while going:
        node, arrival, word, turns = going.pop()
        _, decision = routing.alternatives(np.array([node]), np.array([arrival]), np.array([word]))
        for port, onward in zip(decision.port.tolist(), decision.header.tolist(), strict=True):
            way = [*turns, (node, arrival, port)]
            if port == local:
                done.append(way)
            else:
                there = int(topology.neighbour[node, port]), int(topology.arrival_port[node, port])
                going.append((*there, onward, way))
    return done


def pairs_of_ways(
    routing: Routing, increments: BoolArray
) -> tuple[set[Turn], set[tuple[Hop, Hop]]]:
    """Return the turns of all packets, and the links that follow each other on their ways.

    Each link has the VC class of the packet on it, without a limit. Symmetry is not used.
    """
    turns: set[Turn] = set()
    pairs: set[tuple[Hop, Hop]] = set()
    terminals = routing.topology.terminals.tolist()
    for source in terminals:
        for destination in terminals:
            for way in all_ways(routing, source, destination):
                turns.update(way)
                vc, last = 0, None
                for node, arrival, port in way[:-1]:
                    vc += last is not None and bool(increments[node, arrival, port])
                    if last is not None:
                        pairs.add((last, (node, port, vc)))
                    last = node, port, vc
    return turns, pairs


def girth(graph: "nx.DiGraph[Hop]") -> int:
    """Return the length of a shortest cycle of a graph that has one."""
    return min(
        1 + away[start]
        for end in graph
        for away in [nx.single_source_shortest_path_length(graph.reverse(copy=False), end)]
        for start in graph[end]
        if start in away
    )

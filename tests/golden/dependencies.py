"""The channel dependency graph of all routes, link by link, without use of any symmetry."""

from collections.abc import Iterator
from math import prod

import networkx as nx
import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.routing import Routing
from fingerpost.golden.routing.walk import Routes
from fingerpost.golden.topology import Topology
from tests.golden.graphs import all_routes

Hop = tuple[int, int, int]

Turn = tuple[int, int, int]
"""A node, the port by which a packet comes, and the port by which it goes on."""


def of_numbers(number: IntArray, shape: tuple[int, ...]) -> Iterator[Hop]:
    """Yield node, port and channel of links that are numbered in this order."""
    return zip(*(part.tolist() for part in np.unravel_index(number, shape)), strict=True)


def channel_dependencies(
    routing: Routing, increments: BoolArray, channels: int
) -> "nx.DiGraph[Hop]":
    """Return the graph over (node, port, channel) of the routes of all pairs of terminals."""
    topology, routes = routing.topology, all_routes(routing)
    shape = topology.nodes, topology.degree, channels
    graph: nx.DiGraph[Hop] = nx.DiGraph()
    channel = np.zeros(len(routes.hops), np.int64)
    for hop in range(int(routes.hops.max())):
        going = routes.hops > hop
        node, port = routes.nodes[going, hop], routes.ports[going, hop]
        if hop:
            last = routes.nodes[going, hop - 1], routes.ports[going, hop - 1]
            turn = increments[node, topology.arrival_port[last], port]
            before = np.ravel_multi_index((*last, channel[going]), shape)
            channel[going] = np.minimum(channel[going] + turn, channels - 1)
        link = np.ravel_multi_index((node, port, channel[going]), shape)
        graph.add_nodes_from(of_numbers(np.unique(link), shape))
        if hop:
            pairs = np.divmod(np.unique(before * prod(shape) + link), prod(shape))
            graph.add_edges_from(zip(*(of_numbers(end, shape) for end in pairs), strict=True))
    return graph


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


def vc_class(topology: Topology, vc_increments: BoolArray, routes: Routes) -> IntArray:
    """Return the VC class of a packet at each hop: its increments so far; as `routes.ports`."""
    nodes, ports = routes.nodes, routes.ports
    found = np.zeros(ports.shape, np.int64)
    for hop in range(1, ports.shape[1]):
        before, at, port = nodes[:, hop - 1], nodes[:, hop], ports[:, hop]
        # Where a row is padded with -1 anything is read, and nothing is made of it.
        arrival = topology.arrival_port[before, ports[:, hop - 1]]
        found[:, hop] = found[:, hop - 1] + (vc_increments[at, arrival, port] & (port >= 0))
    return found

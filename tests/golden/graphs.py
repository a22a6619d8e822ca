"""Arbitrary graphs, routings on them, and dependencies of channels, found without the model."""

from collections.abc import Callable, Iterator, Sequence
from math import prod

import networkx as nx
import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from fingerpost.golden.algebra.group import Group, Number
from fingerpost.golden.arrays import BoolArray, IntArray
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


class CyclicProduct(Group):
    """Z_m0 x Z_m1 x ..., of which no family is made.

    The number of (x0, x1, ...) is x0 + m0 (x1 + m1 (...)).
    """

    def __init__(self, *moduli: int) -> None:
        self.moduli, self.size = moduli, prod(moduli)

    def times(self, g: Number, h: Number) -> IntArray:
        g, h = np.broadcast_arrays(g, h)
        product, unit = np.zeros_like(g), 1
        for m in self.moduli:
            product = product + (g // unit + h // unit) % m * unit
            unit *= m
        return product

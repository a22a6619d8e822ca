import networkx as nx
import numpy as np
import pytest
from hypothesis import given

from fingerpost.golden.deadlock.channels import Channels
from fingerpost.golden.routing.table import UpDown
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.topology import Kyklos, Topology
from fingerpost.golden.topology.grid import Grid
from tests.golden.borel_group import EXAMPLE
from tests.golden.dependencies import channel_dependencies
from tests.golden.graphs import Edges, all_routes, crossed, distances, links_of, topologies


def legal(topology: Topology, root: int) -> "nx.DiGraph[tuple[int, bool]]":
    """Return the graph of (node, has gone down), by the definition of the order."""
    graph = nx.Graph(links_of(topology))
    level = nx.single_source_shortest_path_length(graph, root)
    ways: nx.DiGraph[tuple[int, bool]] = nx.DiGraph()
    for u, v in graph.to_directed().edges:
        down = (level[v], v) > (level[u], u)
        for fallen in {down, True}:
            if down or not fallen:
                ways.add_edge((u, fallen), (v, down))
        if down:
            ways.add_edge((u, False), (v, True))
    return ways


@given(topologies())
def test_every_route_is_a_shortest_one_up_and_then_down(topology: Topology) -> None:
    routing = UpDown(topology)
    ways = legal(topology, routing.root)
    found = all_routes(routing)
    for nodes, hops in zip(found.nodes.tolist(), found.hops.tolist(), strict=True):
        route = nodes[: hops + 1]
        if hops == 0:
            continue
        state = (route[0], False)
        for after in route[1:]:
            state = next(s for s in ((after, False), (after, True)) if s in ways[state])
        away = nx.single_source_shortest_path_length(ways, (route[0], False))
        ends = [away[end] for end in ((route[-1], False), (route[-1], True)) if end in away]
        assert hops == min(ends)


@given(topologies())
def test_one_channel_is_enough(topology: Topology) -> None:
    routing = UpDown(topology)
    assert not routing.vc_increments().any()
    assert Channels(routing, routing.vc_increments()).needed == 1
    graph = channel_dependencies(routing, routing.vc_increments(), 1)  # link by link
    assert nx.is_directed_acyclic_graph(graph)


@given(topologies())
def test_root_is_nearest_to_all(topology: Topology) -> None:
    away = distances(topology)
    total = [sum(away[node].values()) for node in range(topology.nodes)]
    assert UpDown(topology).root == total.index(min(total))


@pytest.mark.parametrize(
    ("topology", "lowest"),
    [(Edges(nx.icosahedral_graph()), 7), (Grid(sizes=[8, 8]), 380), (Grid(sizes=[2] * 6), 115)],
    ids=["icosahedron", "mesh", "hypercube"],
)
def test_ties_are_broken_for_balance(topology: Topology, lowest: int) -> None:
    # Against the first port of every shortest way, by a search of its own.
    routing = UpDown(topology)
    ways = legal(topology, routing.root)
    back = ways.reverse(copy=False)
    load = np.zeros_like(topology.neighbour)
    for end in range(topology.nodes):
        away: dict[tuple[int, bool], int] = {}
        for state in ((end, False), (end, True)):
            if state in back:
                for s, d in nx.single_source_shortest_path_length(back, state).items():
                    away[s] = min(d, away.get(s, d))
        for start in range(topology.nodes):
            state = (start, False)
            while state[0] != end:
                options = {
                    topology.neighbour[state[0]].tolist().index(s[0]): s
                    for s in ways[state]
                    if away.get(s, -1) == away[state] - 1
                }
                port = min(options)
                load[state[0], port] += 1
                state = options[port]
    found = crossed(routing)
    assert found.sum() == load.sum()
    assert found.max() <= lowest < load.max()


def test_what_came_from_above_goes_on_down() -> None:
    # Two branches 0-1-3-5 and 0-2-4-6, leaves 11.. that make 0 the root, and at the same level
    # the chain 7-8-9-10, all below 6, of which 7 is below 5 too.
    chain, leaves = nx.path_graph([7, 8, 9, 10]), nx.star_graph([0, 11, 12, 13, 14])
    graph = nx.compose_all(
        [
            nx.path_graph([0, 1, 3, 5, 7]),
            nx.path_graph([0, 2, 4, 6]),
            nx.star_graph([6, 7, 8, 9, 10]),
            chain,
            leaves,
        ]
    )
    routing = UpDown(Edges(graph))
    assert routing.root == 0
    found = walk(routing, np.array([5, 7, 10]), np.array([10, 10, 5]))
    assert [[v for v in row if v >= 0] for row in found.nodes.tolist()] == [
        [5, 7, 8, 9, 10],
        [7, 6, 10],
        [10, 9, 8, 7, 5],
    ]


def test_terminals_are_counted_among_themselves() -> None:
    topology = Kyklos(m=2, r=2, n=2)
    routing = UpDown(topology)
    assert routing.header.width == 2
    assert len(routing.climbing) == len(routing.falling) == len(topology.terminals) == 4
    found = all_routes(routing)
    assert (found.hops[np.arange(16) % 5 == 0] == 0).all()


def test_straps() -> None:
    topology = EXAMPLE.topology()
    routing = UpDown(topology)
    hops, falls = ([f"{name}{i}" for i in range(21)] for name in ("hop", "fall"))
    assert list(routing.straps) == ["above", *hops, *falls]
    assert routing.straps["above"].width == 4
    assert routing.orbit.tolist() == list(range(21))
    for node in range(21):
        word = int(routing.straps.value("above")[node])
        for port, above in enumerate(routing.above[node].tolist()):
            assert word >> port & 1 == above
        arrival = np.full(21, 4)
        ports = routing.decide(np.full(21, node), arrival, np.arange(21)).port.tolist()
        assert [int(routing.straps.value(name)[node]) for name in hops] == ports


def test_refuses_what_is_cut_off() -> None:
    with pytest.raises(ValueError, match=r"^Up-down routing needs a way from node 0 to 2$"):
        UpDown(Edges(nx.Graph([(0, 1), (2, 3)])))

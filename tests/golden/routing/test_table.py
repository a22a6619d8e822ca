"""Routing by tables, up and down; how balanced tables are."""

import math
from collections.abc import Callable
from itertools import product

import networkx as nx
import numpy as np
import pytest
from hypothesis import example, given
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.deadlock.channels import Channels
from fingerpost.golden.routing.balance import balanced_links, link_load, nearer, next_hops
from fingerpost.golden.routing.table import Table, UpDown
from fingerpost.golden.topology import Topology
from fingerpost.golden.topology.grid import Grid
from fingerpost.papers.two_phase_1995 import graph
from tests.golden.borel_group import EXAMPLE, Group, breadth_first, times, valid_groups
from tests.golden.graphs import (
    CyclicProduct,
    Edges,
    all_routes,
    channel_dependencies,
    check_shortest,
    crossed,
    distances,
    links_of,
    shortest_ports,
    topologies,
)

ANY = topologies() | topologies(directed=True)


def numbered(graph: "nx.Graph[object]") -> "nx.Graph[int]":
    return nx.convert_node_labels_to_integers(graph)


def ring(n: int, terminals: list[int]) -> Topology:
    """A directed ring: one out-port, one in-port."""
    return Edges(nx.cycle_graph(n, nx.DiGraph), terminals)


@given(ANY)
def test_next_hops_are_on_shortest_paths(topology: Topology) -> None:
    first, balanced = (next_hops(topology, balanced=choice) for choice in (False, True))
    ports = shortest_ports(topology)
    for row, destination in enumerate(topology.terminals.tolist()):
        for node in range(topology.nodes):
            ways = ports[node, destination] or [topology.local]
            assert first[row, node] == ways[0]
            assert balanced[row, node] in ways
    loads = []
    for routing in (Table(topology, choice="first"), Table(topology)):
        check_shortest(routing)
        loads.append(crossed(routing))
    assert loads[1].max() <= loads[0].max()


def test_where_there_is_no_way_there_is_no_port() -> None:
    # Node 2 has no terminal and nothing leads away from it.
    links = nx.DiGraph([(0, 1), (1, 0), (1, 2)])
    for balanced in (False, True):
        assert next_hops(Edges(links, [0, 1]), balanced=balanced).tolist() == [
            [2, 0, -1],
            [0, 2, -1],
        ]
        with pytest.raises(ValueError, match=r"^Table routing needs a way from node 2 to 0$"):
            next_hops(Edges(links), balanced=balanced)


# Balance.


def least(graph: "nx.Graph[int]", *, whole: bool) -> float:
    """The least highest load of shortest paths, by a program over flows to each destination.

    With `whole` each node sends all that goes to a destination by one link, as a table does; else
    flows may be split: then it is a bound for all that is whole.
    """
    n = len(graph)
    away = dict(nx.all_pairs_shortest_path_length(graph))
    hops = [
        (u, v, d)
        for u, v in graph.to_directed().edges
        for d in graph
        if away[u][d] == away[v][d] + 1
    ]
    count = len(hops)
    # Columns: the flow of each hop, whether it is taken, and the highest load.
    rows: list[dict[int, float]] = []
    limits: list[tuple[float, float]] = []
    into: dict[tuple[int, int], list[int]] = {}
    out: dict[tuple[int, int], list[int]] = {}
    links: dict[tuple[int, int], list[int]] = {}
    for column, (u, v, d) in enumerate(hops):
        into.setdefault((v, d), []).append(column)
        out.setdefault((u, d), []).append(column)
        links.setdefault((u, v), []).append(column)
    for (u, d), leaving in out.items():
        coming = into.get((u, d), [])
        rows.append(dict.fromkeys(leaving, 1.0) | dict.fromkeys(coming, -1.0))
        limits.append((1, 1))
        if whole:
            rows.append({count + column: 1.0 for column in leaving})
            limits.append((1, 1))
            for column in leaving:
                rows.append({column: 1.0, count + column: 1.0 - n})
                limits.append((-np.inf, 0))
    for some in links.values():
        rows.append(dict.fromkeys(some, 1.0) | {2 * count: -1.0})
        limits.append((-np.inf, 0))
    entries = [(row, column, x) for row, each in enumerate(rows) for column, x in each.items()]
    places, columns, values = (np.array(x) for x in zip(*entries, strict=True))
    matrix = sparse.csr_array((values, (places, columns)), shape=(len(rows), 2 * count + 1))
    cost: NDArray[np.float64] = np.zeros(2 * count + 1)
    cost[-1] = 1
    taken: IntArray = np.r_[np.zeros(count), np.ones(count), 1].astype(np.int64)
    found = milp(
        cost,
        constraints=LinearConstraint(matrix, *np.array(limits).T),
        bounds=Bounds(0, np.r_[np.full(count, np.inf), np.ones(count), np.inf]),
        integrality=taken if whole else 0 * taken,
    )
    assert found.status == 0
    return float(found.fun)


KNOWN = {
    "3-cube": (nx.hypercube_graph(3), 4),
    "4-cube": (nx.hypercube_graph(4), 8),
    "torus 4x4": (nx.grid_2d_graph(4, 4, periodic=True), 8),
    "mesh 4x4": (nx.grid_2d_graph(4, 4), 16),
    "mesh 3x5": (nx.grid_2d_graph(3, 5), 18),
    "torus 5x5": (nx.grid_2d_graph(5, 5, periodic=True), 15),
    "Petersen": (nx.petersen_graph(), 5),
    "borel-21": (nx.Graph(links_of(EXAMPLE.topology())), 11),
}
"""Well-known graphs, and the highest load that no shortest paths are below."""


@pytest.mark.parametrize("name", KNOWN)
def test_known_graphs_are_balanced_as_well_as_can_be(name: str) -> None:
    graph, highest = numbered(KNOWN[name][0]), KNOWN[name][1]
    assert math.ceil(least(graph, whole=False) - 1e-6) == highest
    assert crossed(Table(Edges(graph))).max() == highest


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "make",
    [
        lambda seed: nx.random_regular_graph(3, 12, seed=seed),
        lambda seed: nx.connected_watts_strogatz_graph(14, 4, 0.4, seed=seed),
        lambda seed: numbered(nx.random_geometric_graph(10, 0.6, seed=seed + 3)),
    ],
    ids=["regular", "small-world", "geometric"],
)
def test_no_table_of_an_irregular_graph_is_better(
    make: Callable[[int], "nx.Graph[int]"], seed: int
) -> None:
    graph = make(seed)
    assert nx.is_connected(graph)
    assert crossed(Table(Edges(graph))).max() == round(least(graph, whole=True))


# Headers and tables.


def test_terminals_are_counted_among_themselves() -> None:
    routing = Table(ring(6, [1, 4]))
    assert routing.encode(np.array([4, 1]), np.array([1, 4])).tolist() == [0, 1]
    assert list(routing.straps) == ["hop0", "hop1"]
    assert routing.straps.value("hop1").tolist() == [0, 0, 0, 0, 1, 0]
    assert routing.table_bits() == {"next hops": 2}
    error = Table(ring(6, [1, 3, 4])).decide(np.array(0), np.array(0), np.arange(4)).error
    assert error.tolist() == [0, 0, 0, 1]


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
    assert crossed(UpDown(topology)).max() <= lowest


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


def rest_of_the_way(group: Group) -> IntArray:
    """The labels of g^-1 v, by matrices."""
    back = [group.inverse(g) for g in group.links]
    return np.array([[group.label[times(g, v, group.p)] for g in back] for v in group.label])


def highest_load_of_split_flows(rest: IntArray, mask: BoolArray) -> float:
    """The least highest load if every node may share its packets out to all of its links."""
    n, degree = rest.shape
    node, link = np.nonzero(mask)
    flows = len(node)
    kept = np.zeros((n, flows + 1))  # what leaves a node came through it, or is its own
    kept[node, np.arange(flows)] = 1
    np.subtract.at(kept, (rest[node, link], np.arange(flows)), 1)
    loads = np.zeros((degree, flows + 1))
    loads[link, np.arange(flows)] = 1
    loads[:, -1] = -1
    cost = np.zeros(flows + 1)
    cost[-1] = 1
    solution = linprog(cost, A_ub=loads, b_ub=np.zeros(degree), A_eq=kept[1:], b_eq=np.ones(n - 1))
    return float(solution.fun)


def counted(rest: IntArray, link: IntArray) -> list[int]:
    """The load of the links, a route after the other."""
    load = [0] * rest.shape[1]
    for destination in range(1, len(rest)):
        node = destination
        while node:
            load[link[node]] += 1
            node = int(rest[node, link[node]])
    return load


def test_no_table_of_21_nodes_is_better_balanced() -> None:
    rest, away = rest_of_the_way(EXAMPLE), np.array(EXAMPLE.away)
    mask = nearer(rest, away)
    every = product(*(np.flatnonzero(row).tolist() for row in mask[1:]))
    best = min(max(counted(rest, np.array([0, *links]))) for links in every)
    # 42 hops, so 10.5 a link if that were possible.
    assert (away.sum(), best) == (42, 11)
    assert max(counted(rest, balanced_links(rest, away))) == 11


@pytest.mark.parametrize("column", range(4))
def test_1081_nodes_reach_99_percent_of_the_bound(column: int) -> None:
    topology = graph("table-3", column)
    group = Group(topology.p, topology.a, *topology.generators[:2])
    rest, away = rest_of_the_way(group), np.array(group.away)
    load = counted(rest, balanced_links(rest, away))
    assert max(load) <= sum(away) / 4 / 0.99


@given(valid_groups(largest=23, most=400))
@example(Group(13, 2, (4, 4), (3, 9)))  # a hard one: 239 if a choice counts but once
def test_load_is_close_to_the_least_that_flows_have(group: Group) -> None:
    rest, away = rest_of_the_way(group), np.array(group.away)
    load = counted(rest, balanced_links(rest, away))
    least = math.ceil(highest_load_of_split_flows(rest, nearer(rest, away)) - 1e-6)
    assert max(load) <= 1.01 * least + 1


@given(valid_groups(largest=23, most=400))
def test_links_lie_on_shortest_paths(group: Group) -> None:
    rest, away = rest_of_the_way(group), group.away
    link = balanced_links(rest, np.array(away))
    assert link[0] == 0
    for node in range(1, group.nodes):
        assert away[rest[node, link[node]]] == away[node] - 1
    assert link_load(rest, np.array(away), link).tolist() == counted(rest, link)


def test_other_cayley_graphs_have_other_degrees() -> None:
    # A torus of 5 x 5 with links +1, -1, +5, -5, and one diagonal.
    torus, links = CyclicProduct(5, 5), np.array([1, 4, 5, 20, 6, 24])
    rest = torus.times(torus.inverse(links), np.arange(25)[:, None])
    away = np.array(breadth_first(25, lambda v: rest[v].tolist(), 0))
    load = counted(rest, balanced_links(rest, away))
    assert max(load) <= math.ceil(away.sum() / 6) + 1

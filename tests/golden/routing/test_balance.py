import math
from itertools import product

import networkx as nx
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.optimize import linprog

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.routing.balance import (
    PortArray,
    balanced_links,
    link_load,
    nearer,
    next_hops,
)
from fingerpost.golden.topology import Topology
from tests.golden.borel_group import EXAMPLE, Group, times, valid_groups
from tests.golden.cayley import Cayley, CyclicProduct
from tests.golden.graphs import Edges
from tests.golden.two_phase_1995 import SETS


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


def crossed(topology: Topology, table: PortArray) -> IntArray:
    """The packets on every link, a packet after the other."""
    load = np.zeros_like(topology.neighbour)
    terminals = topology.terminals.tolist()
    for row, destination in enumerate(terminals):
        for source in terminals:
            node = source
            while node != destination:
                load[node, table[row, node]] += 1
                node = int(topology.neighbour[node, table[row, node]])
    return load


# One table for a Cayley graph.


def test_no_table_of_21_nodes_is_better_balanced() -> None:
    rest, away = rest_of_the_way(EXAMPLE), np.array(EXAMPLE.away)
    mask = nearer(rest, away)
    every = product(*(np.flatnonzero(row).tolist() for row in mask[1:]))
    best = min(max(counted(rest, np.array([0, *links]))) for links in every)
    # 42 hops, so 10.5 a link if that were possible.
    assert (away.sum(), best) == (42, 11)
    assert max(counted(rest, balanced_links(rest, away))) == 11


@pytest.mark.parametrize("name", [name for name in SETS if name.startswith("III")])
def test_1081_nodes_reach_99_percent_of_the_bound(name: str) -> None:
    p, a, t1, t2 = SETS[name][:4]
    group = Group(p, a, (t1, 1), (t2, 1))
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
    torus = Cayley(group=CyclicProduct(5, 5), generators=[1, 4, 5, 20, 6, 24])
    rest = torus.neighbour[:, torus.arrival_port[0]]  # in an abelian group g^-1 v = v g^-1
    away = np.array([nx.shortest_path_length(_graph(torus), 0, v) for v in range(25)])
    load = counted(rest, balanced_links(rest, away))
    assert max(load) <= math.ceil(away.sum() / 6) + 1


# Tables of next hops.


def _graph(topology: Topology) -> "nx.DiGraph[int]":
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(topology.nodes))
    node, port = np.nonzero(topology.neighbour >= 0)
    graph.add_edges_from(zip(node.tolist(), topology.neighbour[node, port].tolist(), strict=True))
    return graph


def directed(graph: "nx.DiGraph[int]", terminals: list[int] | None = None) -> Topology:
    """A topology of a directed graph: port i leads to the i-th successor."""
    degree = max(d for count in (graph.out_degree, graph.in_degree) for _, d in count)
    neighbour = np.full((len(graph), degree), -1)
    arrival_port = neighbour.copy()
    for node in graph:
        for port, other in enumerate(sorted(graph.successors(node))):
            neighbour[node, port] = other
            arrival_port[node, port] = sorted(graph.predecessors(other)).index(node)
    names = tuple(f"L{port}" for port in range(degree))
    return Topology(
        neighbour, arrival_port, names, None if terminals is None else np.array(terminals)
    )


@st.composite
def directed_topologies(draw: st.DrawFn) -> Topology:
    """Strongly connected graphs, with terminals at some nodes only."""
    n = draw(st.integers(2, 12))
    graph = nx.gnp_random_graph(n, 0.3, seed=draw(st.integers(0, 10_000)), directed=True)
    nx.add_cycle(graph, range(n))
    return directed(graph, sorted(draw(st.sets(st.integers(0, n - 1), min_size=1))))


@given(directed_topologies(), st.booleans())
def test_next_hops_are_on_shortest_paths(topology: Topology, balanced: bool) -> None:
    table = next_hops(topology, balanced=balanced)
    away = dict(nx.all_pairs_shortest_path_length(_graph(topology)))
    for row, destination in enumerate(topology.terminals.tolist()):
        for node in range(topology.nodes):
            port = int(table[row, node])
            if node == destination:
                assert port == topology.local
            else:
                onward = int(topology.neighbour[node, port])
                assert onward >= 0
                assert away[onward][destination] == away[node][destination] - 1


@given(directed_topologies())
def test_first_is_the_smallest_port(topology: Topology) -> None:
    table = next_hops(topology, balanced=False)
    away = dict(nx.all_pairs_shortest_path_length(_graph(topology)))
    for row, destination in enumerate(topology.terminals.tolist()):
        for node in set(range(topology.nodes)) - {destination}:
            for other in topology.neighbour[node, : table[row, node]].tolist():
                assert away[other][destination] >= away[node][destination]


@pytest.mark.parametrize(
    ("topology", "highest"),
    [
        (Edges(nx.convert_node_labels_to_integers(nx.hypercube_graph(4))), 10),
        (EXAMPLE.topology(), 12),
        (Edges(nx.convert_node_labels_to_integers(nx.grid_2d_graph(4, 4, periodic=True))), 9),
    ],
)
def test_balanced_next_hops_share_the_load(topology: Topology, highest: int) -> None:
    first, balanced = (
        crossed(topology, next_hops(topology, balanced=choice)) for choice in (False, True)
    )
    assert first.sum() == balanced.sum()
    assert balanced.max() <= highest < first.max()


def test_where_there_is_no_way_there_is_no_port() -> None:
    # Node 2 has no terminal and nothing leads away from it.
    topology = directed(nx.DiGraph([(0, 1), (1, 0), (1, 2)]), [0, 1])
    for balanced in (False, True):
        assert next_hops(topology, balanced=balanced).tolist() == [[2, 0, -1], [0, 2, -1]]


@pytest.mark.parametrize("balanced", [False, True])
def test_refuses_terminals_that_are_cut_off(balanced: bool) -> None:
    topology = directed(nx.DiGraph([(0, 1), (1, 0), (1, 2)]))
    with pytest.raises(ValueError, match=r"^Table routing needs a way from node 2 to 0$"):
        next_hops(topology, balanced=balanced)


def test_what_is_in_balance_stays_so() -> None:
    # Ports in the order of the dimensions: the smallest one is e-cube routing, 8 on every link.
    cube = Cayley(group=CyclicProduct(2, 2, 2, 2), generators=[1, 2, 4, 8])
    assert (crossed(cube, next_hops(cube, balanced=True)) == 8).all()


@given(directed_topologies())
def test_balance_is_never_worse_than_the_smallest_ports(topology: Topology) -> None:
    first, balanced = (
        crossed(topology, next_hops(topology, balanced=choice)) for choice in (False, True)
    )
    assert balanced.max() <= first.max()


@pytest.mark.regress
def test_next_hops_of_1081_nodes_reach_97_percent_of_the_bound() -> None:
    topology = SETS["III.1"].topology()
    load = crossed(topology, next_hops(topology, balanced=True))
    assert load.mean() / load.max() > 0.97

"""Shortest paths in Borel graphs; adaptive routing there, and by tables in any network."""

from collections.abc import Iterable
from itertools import product
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.routing.table import AdaptiveTable, Table
from fingerpost.golden.routing.vertex_transitive import Adaptive, VertexTransitive
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.topology import DoubleLoop, Topology
from tests.golden.borel_group import EXAMPLE, Group, times, valid_groups
from tests.golden.graphs import (
    Edges,
    all_routes,
    check_shortest,
    crossed,
    shortest_ports,
    topologies,
)

A, B, A_INVERSE, B_INVERSE, LOCAL = range(5)

OPTIONS: list[dict[str, Any]] = [
    {"table": table, **way}
    for table, way in product(
        ("balanced", "first"), ({"path": "hop"}, {"path": "source"}, {"address": "absolute"})
    )
]


@pytest.fixture(scope="module")
def hop() -> VertexTransitive:
    return VertexTransitive(EXAMPLE.topology(), table="first")


@pytest.fixture(scope="module")
def source() -> VertexTransitive:
    return VertexTransitive(EXAMPLE.topology(), table="first", path="source")


@pytest.fixture(scope="module")
def absolute() -> VertexTransitive:
    return VertexTransitive(EXAMPLE.topology(), table="first", address="absolute")


# The paper's results.


# Against other methods.


@given(valid_groups(largest=13, most=200), st.sampled_from(OPTIONS))
def test_delivers_all_pairs_by_shortest_paths(group: Group, options: dict[str, Any]) -> None:
    routing = VertexTransitive(group.topology(), **options)
    check_shortest(routing)


@given(valid_groups(most=1000))
def test_mask_marks_the_links_of_shortest_paths(group: Group) -> None:
    routing = VertexTransitive(group.topology(), table="first")
    for v, label in group.label.items():
        onward = [times(group.inverse(g), v, group.p) for g in group.links]
        nearer = [group.away[group.label[w]] < group.away[label] for w in onward]
        c, x = routing.locate(label)
        assert routing.mask[c, x] == sum(1 << link for link in range(4) if nearer[link])
        assert routing.distance[c, x] == group.away[label]


@given(valid_groups(most=1000))
def test_first_is_the_first_of_the_shortest_paths(group: Group) -> None:
    routing = VertexTransitive(group.topology(), table="first")
    goal = np.array([0, 1, group.nodes // 2, group.nodes - 1])
    ports = walk(routing, np.array(0), goal).ports.tolist()
    words = [[port for port in row if port >= 0] for row in ports]
    assert words == [group.first_word(label) for label in goal.tolist()]


@given(valid_groups(largest=13, most=200), st.sampled_from(["balanced", "first"]))
def test_all_headers_take_the_same_routes(group: Group, table: Any) -> None:
    ways: list[dict[str, Any]] = [{}, {"path": "source"}, {"address": "absolute"}]
    one, *others = (
        all_routes(routing).ports
        for routing in (VertexTransitive(group.topology(), table=table, **way) for way in ways)
    )
    for other in others:
        assert (one == other).all()


@given(valid_groups(largest=13, most=200), st.sampled_from(["balanced", "first"]))
def test_load_is_that_of_every_link(group: Group, table: Any) -> None:
    routing = VertexTransitive(group.topology(), table=table)
    assert (crossed(routing) == routing.load).all()
    names = ("A", "B", "A^-1", "B^-1")
    assert routing.constants() == {
        "link_load": dict(zip(names, routing.load.tolist(), strict=True))
    }


@given(valid_groups(largest=13, most=200))
def test_decisions_on_the_way_are_the_same_at_every_node(group: Group) -> None:
    routing = VertexTransitive(group.topology())
    header = np.arange(1 << routing.header.width)
    first = routing.decide(np.array(0), np.array(A), header)
    for node, arrival in [(1, B), (group.nodes - 1, A_INVERSE)]:
        decision = routing.decide(np.array(node), np.array(arrival), header)
        for part, expected in zip(decision, first, strict=True):
            assert (part == expected).all()


# Headers and decisions.


def test_absolute_address_stays_as_it_is(absolute: VertexTransitive) -> None:
    node, arrival, header = (part.ravel() for part in np.indices((21, 5, 2**6)))
    decision = absolute.decide(node, arrival, header)
    assert (decision.header == header % 2**5).all()
    wrong = [h % 4 == 3 or h >> 2 & 7 == 7 for h in header.tolist()]
    assert decision.error.tolist() == wrong
    generated_headers, refused = absolute.generate_header(node, header)
    assert (generated_headers == header).all()
    assert not refused.any()


def test_decisions_depend_on_the_node_if_the_address_is_absolute() -> None:
    relative = [VertexTransitive(EXAMPLE.topology(), **options).relative for options in OPTIONS]
    assert relative == [True, True, False] * 2


def test_link_headers_in_error(hop: VertexTransitive, source: VertexTransitive) -> None:
    for arrival in range(4):
        for routing, wrong in (
            (hop, [h & 3 == 3 or h >> 2 == 7 for h in range(2**5)]),
            (source, [h == 0 for h in range(2**7)]),
        ):
            header = np.arange(len(wrong))
            decision = routing.decide(np.array(0), np.array(arrival), header)
            assert decision.error.tolist() == wrong


LOCAL = 4

small_groups = valid_groups(largest=13, most=200)


def lowest(free: int, mask: int, balanced: int) -> int:
    """The rule, in words of its own."""
    open_links = [link for link in range(4) if free >> link & 1 and mask >> link & 1]
    if balanced in open_links or not open_links:
        return balanced
    return open_links[0]


def headers(routing: Adaptive) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    return np.arange(1 << routing.header.width)


@given(small_groups)
def test_without_traffic_it_is_vertex_transitive(group: Group) -> None:
    adaptive, plain = Adaptive(group.topology()), VertexTransitive(group.topology())
    n = group.nodes
    start, goal = np.repeat(np.arange(n), n), np.tile(np.arange(n), n)
    assert (walk(adaptive, start, goal).ports == walk(plain, start, goal).ports).all()
    for free in (0, 0b11111):
        for arrival in (0, LOCAL):
            header = headers(adaptive)
            told = adaptive.decide(np.array(1), np.array(arrival), header, np.array(free))
            untold = plain.decide(np.array(1), np.array(arrival), header)
            for part, expected in zip(told, untold, strict=True):
                assert (part == expected).all()


@given(small_groups)
def test_takes_the_lowest_free_link_if_the_balanced_one_is_not(group: Group) -> None:
    routing = Adaptive(group.topology())
    label = np.arange(1, group.nodes)
    header = routing.encode(np.array(0), label)
    mask = [int(routing.mask[routing.locate(j)]) for j in label.tolist()]
    balanced = routing.decide(np.array(0), np.array(0), header).port.tolist()
    for free in range(32):
        port = routing.decide(np.array(0), np.array(0), header, np.full(len(label), free)).port
        assert port.tolist() == [
            lowest(free, m, link) for m, link in zip(mask, balanced, strict=True)
        ]


@given(small_groups, st.sampled_from([0, LOCAL]))
def test_alternatives_are_what_the_selections_lead_to(group: Group, arrival: int) -> None:
    routing = Adaptive(group.topology())
    header = headers(routing)
    node, by = np.full_like(header, group.nodes - 1), np.full_like(header, arrival)
    led_to = set()
    for free in range(32):
        decision = routing.decide(node, by, header, np.full_like(header, free))
        rows = np.stack([header, *decision])[:, decision.error == 0]
        led_to |= set(map(tuple, rows.T.tolist()))
    packet, alternative = routing.alternatives(node, by, header)
    rows = np.stack([header[packet], *alternative])
    named = rows[:, alternative.error == 0].T.tolist()
    assert set(map(tuple, named)) == led_to
    assert len(named) == len(led_to)
    assert set(packet.tolist()) == set(header.tolist())
    wrong = routing.decide(node, by, header).error
    assert (alternative.error == wrong[packet]).all()


@given(small_groups, st.integers(0, 2**32))
def test_any_selections_leave_the_path_shortest(group: Group, seed: int) -> None:
    routing = Adaptive(group.topology())
    rng = np.random.default_rng(seed)
    goal = rng.permutation(group.nodes)
    node, arrival = np.zeros_like(goal), np.full_like(goal, LOCAL)
    header, hops = routing.encode(node, goal), np.zeros_like(goal)
    for _ in range(max(group.away) + 1):
        decision = routing.decide(node, arrival, header, rng.integers(32, size=len(goal)))
        away = decision.port != LOCAL
        port = np.where(away, decision.port, 0)
        assert not decision.error.any()
        arrival = np.where(away, routing.topology.arrival_port[node, port], arrival)
        node = np.where(away, routing.topology.neighbour[node, port], node)
        header = decision.header
        hops += away
    assert (node == goal).all()
    assert hops.tolist() == [group.away[label] for label in goal.tolist()]


CUBE = Edges(nx.convert_node_labels_to_integers(nx.hypercube_graph(3)))
"""Up to three shortest ways."""

OTHERS = [CUBE, DoubleLoop(nodes=9, a=1, b=2), DoubleLoop(nodes=10, a=1, b=4)]


def to_terminals(topology: Topology) -> dict[tuple[int, int], list[int]]:
    """Return the ports on shortest paths from each node to each terminal."""
    ports = shortest_ports(topology)
    return {pair: ways for pair, ways in ports.items() if pair[1] in topology.terminals}


def arrived(
    routing: AdaptiveTable, node: int, terminal: int
) -> tuple[IntArray, IntArray, IntArray]:
    """Return node, port of arrival and header of a packet from a terminal at the node."""
    header = routing.encode(np.array([node]), np.array([terminal]))
    return np.array([node]), np.array([routing.topology.local]), header


def check_ways(topology: Topology) -> None:
    routing = AdaptiveTable(topology)
    for (node, terminal), ways in to_terminals(topology).items():
        at = arrived(routing, node, terminal)
        packet, decision = routing.alternatives(*at)
        assert not packet.any()
        assert sorted(decision.port.tolist()) == (ways or [topology.local])
        assert not decision.error.any()


@given(topologies())
def test_takes_every_shortest_way_and_no_other(topology: Topology) -> None:
    check_ways(topology)


@pytest.mark.parametrize("topology", OTHERS, ids=["cube", "loop", "wide-loop"])
def test_takes_every_shortest_way_of_several_and_of_one_way_links(topology: Topology) -> None:
    check_ways(topology)
    assert max(map(len, to_terminals(topology).values())) > 1


def check_choice(topology: Topology, selections: Iterable[int]) -> None:
    routing, table = AdaptiveTable(topology), Table(topology)
    for (node, terminal), ways in to_terminals(topology).items():
        at = arrived(routing, node, terminal)
        own = int(table.decide(*at).port[0])
        assert routing.decide(*at).port.tolist() == [own]  # all are free
        for selection in selections:
            free = {port for port in ways if selection >> port & 1}
            expected = own if own in free or not free else min(free)
            assert routing.decide(*at, np.array([selection])).port.tolist() == [expected]


@given(topologies(), st.integers(0, 1 << 13))
def test_takes_the_tables_port_if_it_is_free_else_the_lowest_that_is(
    topology: Topology, selection: int
) -> None:
    check_choice(topology, [selection])


def test_chooses_among_three() -> None:
    check_choice(CUBE, range(16))


def test_ways_are_straps() -> None:
    routing = AdaptiveTable(Edges(nx.petersen_graph()))
    first = routing.straps.value("ways5")
    assert first[5] == 0
    assert first[0] == 1 << 2  # of 0 the neighbours are 1, 4, 5
    assert np.bitwise_count(first).sum() == 9  # in the Petersen graph shortest ways are unique

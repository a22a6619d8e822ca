"""Virtual channels, and graphs of what waits for what."""

import re
from itertools import pairwise, product
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.deadlock.channels import Channels, Dependencies
from fingerpost.golden.deadlock.order import heights, rank_classes, valleys
from fingerpost.golden.deadlock.states import Numbers, found, states
from fingerpost.golden.network.network import routed
from fingerpost.golden.routing import Decision, Routing, TwoPhase
from fingerpost.golden.routing.table import Table
from tests.golden.borel_group import EXAMPLE, Group, valid_groups
from tests.golden.graphs import (
    Edges,
    Gamble,
    Hop,
    Rule,
    all_routes,
    channel_dependencies,
    minimal,
    pairs_of_ways,
)
from tests.networks import CASES

SMALL = valid_groups(largest=13, most=80)


def some_order(routing: Routing, seed: int, by_class: bool) -> IntArray:
    """Return a random order of the nodes, or of the classes if possible."""
    random = np.random.default_rng(seed)
    if not by_class:
        return random.permutation(routing.topology.nodes)
    count = len(set(rank_classes(routing).tolist()))
    return heights(routing, random.permutation(count))


def ordered(routing: Routing, order: IntArray) -> Channels:
    """Return the channels with the valleys of an order."""
    return Channels(routing, valleys(routing.topology, order))


def ring(nodes: int) -> Channels:
    """Return the channels of shortest paths in a ring, under the order of the labels."""
    return ordered(minimal(Edges(nx.cycle_graph(nodes))), np.arange(nodes))


@given(SMALL, st.integers(0, 9), st.integers(1, 4))
def test_symmetry_does_not_change_the_verdict(group: Group, seed: int, count: int) -> None:
    routing = TwoPhase(group.topology())
    order = some_order(routing, seed, by_class=True)
    channels = ordered(routing, order)
    graph = channel_dependencies(routing, channels.vc_increments, count)
    assert channels.is_free_of_deadlock(count) == nx.is_directed_acyclic_graph(graph)


@given(SMALL, st.integers(0, 9), st.booleans(), st.integers(1, 4))
def test_of_an_order_the_last_channel_decides(
    group: Group, seed: int, by_class: bool, count: int
) -> None:
    for routing in (TwoPhase(group.topology()), Gamble(Edges(nx.petersen_graph()))):
        channels = ordered(routing, some_order(routing, seed, by_class))
        assert channels.order_suffices(count) == channels.is_free_of_deadlock(count)
        assert channels.order_suffices(channels.needed)
        assert channels.needed == 1 or not channels.order_suffices(channels.needed - 1)


def test_a_cycle_to_some_destinations_refuses_an_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fingerpost.golden.deadlock.state_graph.BLOCK", 12)  # a destination each
    channels = ring(12)
    for raised, verdict in ((0, False), (1, True)):
        channels.states.looked = 0
        assert channels.order_suffices(raised + 1) is verdict
        # To each terminal 12 sources, and the 11 links that lead there: 23 states.
        assert channels.states.looked == 12 * 23 if verdict else channels.states.looked < 12 * 23


def test_ring_by_hand() -> None:
    # 0 - 1 - 2 - 3 - 0: shortest paths of two hops 0 1 2, 1 0 3, 2 1 0, 3 0 1, so a valley at 0,
    # from 1 to 3 and from 3 to 1. One channel has no cycle: nothing turns at 3 or at 2 from 3.
    channels = ring(4)
    increments = {tuple(turn) for turn in np.argwhere(channels.vc_increments).tolist()}
    assert {(node, i, o) for node, i, o in increments if i != o} == {(0, 0, 1), (0, 1, 0)}
    assert channels.needed == 1
    # With 5 nodes every turn occurs, so the links around the ring wait for each other.
    channels = ring(5)
    assert channels.needed == 2
    assert channels.is_free_of_deadlock(2)
    assert [channels.order_suffices(count) for count in (1, 2)] == [False, True]
    assert channels.shortest_cycle(2) is None
    cycle = channels.shortest_cycle(1)
    assert cycle is not None
    around = [node for node, _, _ in cycle]
    start = around.index(0)
    assert around[start:] + around[:start] in ([0, 1, 2, 3, 4], [0, 4, 3, 2, 1])
    assert {channel for _, _, channel in cycle} == {0}


def test_turns_that_leave_a_cycle_on_every_channel_are_refused() -> None:
    routing = minimal(Edges(nx.cycle_graph(5)))
    channels = Channels(routing, np.zeros((5, 3, 3), np.bool_))
    message = (
        "rule can deadlock with any number of virtual channels: its increments leave a cycle on one"
        "; a shortest cycle of links: (L[01] from node [0-4] on channel 0(, )?){5}"
    )
    with pytest.raises(ValueError, match=f"^{message}$"):
        _ = channels.needed


def test_too_many_routes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fingerpost.golden.deadlock.state_graph.LARGEST", 35)
    message = (
        "Network needs at most 35 routes for the proof that it cannot deadlock, not 6 * 6 = 36"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        _ = ring(6).needed


def dependencies(graph: "nx.DiGraph[int]") -> Dependencies:
    pairs = np.array(sorted(graph.edges), np.int64).reshape(-1, 2)
    return Dependencies(len(graph), pairs[:, 0], pairs[:, 1])


@given(st.integers(1, 9), st.sets(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=24))
def test_cycles_are_those_of_networkx(vertices: int, pairs: set[tuple[int, int]]) -> None:
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(vertices))
    graph.add_edges_from((a, b) for a, b in pairs if max(a, b) < vertices)
    found = dependencies(graph)
    assert found.edges == graph.number_of_edges()
    assert found.is_acyclic() == nx.is_directed_acyclic_graph(graph)
    if found.is_acyclic():
        ranks = found.ranks()
        assert all(ranks[a] < ranks[b] for a, b in graph.edges)
        assert ranks.max() == nx.dag_longest_path_length(graph)
    else:
        with pytest.raises(ValueError, match=r"^Ranks need dependencies without a cycle$"):
            found.ranks()
    cycle = found.shortest_cycle()
    lengths = [len(other) for other in nx.simple_cycles(graph)]
    if cycle is None:
        assert not lengths
        return
    assert len(cycle) == min(lengths)
    assert len(set(cycle)) == len(cycle)
    assert all(graph.has_edge(a, b) for a, b in zip(cycle, cycle[1:] + cycle[:1], strict=True))


@pytest.mark.parametrize("closed", [False, pytest.param(True, marks=pytest.mark.regress)])
def test_long_chain(closed: bool) -> None:
    size = 3000
    chain = Dependencies(size, np.arange(size - 1 + closed), np.arange(1, size + closed) % size)
    assert chain.is_acyclic() != closed
    cycle = chain.shortest_cycle()
    assert cycle == (list(range(size)) if closed else None)


PAIRS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2**62)), max_size=40)
FEW = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=40)


@given(st.lists(PAIRS | FEW, max_size=5))
def test_numbers_are_those_of_a_dictionary(asked: list[list[tuple[int, int]]]) -> None:
    numbers, known = Numbers(1), dict[tuple[int, int], int]()
    for pairs in asked:
        first, second = (np.array([pair[i] for pair in pairs], np.int64) for i in range(2))
        found = numbers.of(first, second).tolist()
        for pair, number in zip(pairs, found, strict=True):
            assert known.setdefault(pair, number) == number
    assert sorted(known.values()) == list(range(numbers.known))
    kept = zip(numbers.first.tolist(), numbers.second.tolist(), strict=True)
    assert list(kept)[: numbers.known] == sorted(known, key=known.__getitem__)


GRAPHS = {
    "square": nx.cycle_graph(4),
    "hexagon": nx.cycle_graph(6),
    "cube": nx.hypercube_graph(3),
    "petersen": nx.petersen_graph(),
    "grid": nx.grid_2d_graph(3, 3),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_every_shortest_path_is_followed(name: str) -> None:
    topology = Edges(nx.convert_node_labels_to_integers(GRAPHS[name]))
    order = np.random.default_rng(1).permutation(topology.nodes)
    check_all_ways(Channels(Gamble(topology), valleys(topology, order)))


def test_channels_of_chance_are_proven_for_all_that_can_happen() -> None:
    # On a square a packet to the opposite corner may take either way, so every turn occurs:
    # shortest paths of one fixed choice need 1 channel there, chance needs 2.
    square = Edges(nx.cycle_graph(4))
    increments = valleys(square, np.arange(4))
    assert Channels(minimal(square), increments).needed == 1
    assert Channels(Gamble(square), increments).needed == 2


class Restless(Gamble):
    """A routing that never delivers."""

    def unit(self, node, arrival, header, selection):  # type: ignore[no-untyped-def]
        return Decision(np.zeros_like(node), header, np.zeros_like(node))


class Astray(TwoPhase):
    """Two-phase routing that takes every packet out after one hop; its orbits have seven nodes."""

    def unit(
        self, node: IntArray, arrival: IntArray, header: IntArray, selection: IntArray | None
    ) -> Decision:
        port, onward, error = super().unit(node, arrival, header, selection)
        local = self.topology.local
        return Decision(np.where(arrival == local, port, local), onward, error)


PATH = Edges(nx.path_graph(3))
"""Port 0 of node 1 leads to node 0, port 1 to node 2."""


@pytest.mark.parametrize(
    ("routing", "message"),
    [
        (Restless(Edges(nx.cycle_graph(4))), "gamble needs more than n = 4 hops"),
        (Rule(PATH, lambda node, end: 2), "rule delivers a packet from 0 to 0, not to 1"),
        (
            Rule(PATH, lambda node, end: 2 if node == end == 0 else 0),
            "rule needs more than n = 3 hops from 0 to 1",
        ),
        (Astray(EXAMPLE.topology()), r"two-phase delivers a packet from 0 to \d+, not to \d+"),
    ],
)
def test_routes_that_end_badly_are_refused(routing: Routing, message: str) -> None:
    width = routing.topology.degree + 1
    channels = Channels(routing, np.zeros((routing.topology.nodes, width, width), np.bool_))
    with pytest.raises(ValueError, match=f"^{message}$"):
        _ = channels.max_vcs


def test_behind_the_first_hop_a_node_stands_for_its_orbit() -> None:
    routing = TwoPhase(EXAMPLE.topology())
    terminals = routing.topology.terminals
    all_states = found(routing, routing.orbit, terminals[:3], terminals)
    assert set(all_states.node[all_states.steps.sources :].tolist()) == {0, 1, 2}


def check_all_ways(channels: Channels) -> None:
    """Compare turns, dependencies and crossings with all packets, one at a time."""
    topology, orbit = channels.topology, channels.orbit
    turns, pairs = pairs_of_ways(channels.routing, channels.vc_increments)
    assert set(map(tuple, np.argwhere(channels.used_turns).tolist())) == turns
    for count in range(1, channels.max_vcs + 1):
        graph = channels.dependencies(count)
        edges = zip(graph.start.tolist(), graph.end.tolist(), strict=True)

        def vertex(hop: Hop, count: int = count) -> int:
            node, port, vc = hop
            link = int(orbit[node]) * topology.degree + port
            return link * count + min(vc, count - 1)

        assert set(edges) == {(vertex(start), vertex(end)) for start, end in pairs}
    assert channels.max_vcs == 1 + max((hop[2] for pair in pairs for hop in pair), default=0)


def check_crossings(channels: Channels) -> None:
    """Compare how often links are crossed with the routes of all packets."""
    topology, orbit, terminals = channels.topology, channels.orbit, channels.topology.terminals
    routes = all_routes(channels.routing)
    size = np.bincount(orbit[terminals])  # one source stands for so many
    expected = np.zeros((2, int(orbit.max()) + 1, topology.degree))
    for nodes, ports in zip(routes.nodes.tolist(), routes.ports.tolist(), strict=True):
        for hop, (node, port) in enumerate(zip(nodes, ports, strict=False)):
            if port >= 0:
                expected[int(hop > 0), orbit[node], port] += 1 / size[orbit[nodes[0]]]
    crossings = channels.states.crossings
    assert crossings.longest == routes.hops.max()
    assert crossings.first == pytest.approx(expected[0].ravel())
    assert crossings.every == pytest.approx(expected.sum(axis=0).ravel())


QUICK = "table-", "adaptive-table-", "up-down-"
"""Algorithms of which the case is small."""


def case(name: str) -> Any:
    """Return a case, which is slow if it is of many packets."""
    return name if name.startswith(QUICK) else pytest.param(name, marks=pytest.mark.regress)


@pytest.mark.parametrize("name", [case(name) for name in CASES])
def test_states_are_all_that_packets_can_do(name: str) -> None:
    routing = routed(CASES[name]).routing
    classes = int(rank_classes(routing).max()) + 1
    height = heights(routing, np.random.default_rng(2).permutation(classes))
    own = routing.vc_increments()
    turns = valleys(routing.topology, height)
    for increments in [turns] if own is None else [turns, own]:
        check_all_ways(Channels(routing, increments))
        if not routing.selection:
            check_crossings(Channels(routing, increments))


@pytest.mark.parametrize("kept", [0, 1 << 23])
def test_blocks_of_destinations_make_no_difference(
    monkeypatch: pytest.MonkeyPatch, kept: int
) -> None:
    for size in ("BLOCK", "MERGED"):
        monkeypatch.setattr(f"fingerpost.golden.deadlock.state_graph.{size}", 20)
    monkeypatch.setattr("fingerpost.golden.deadlock.state_graph.KEPT", kept)
    for routing in (TwoPhase(EXAMPLE.topology()), Table(EXAMPLE.topology())):
        classes = int(rank_classes(routing).max()) + 1
        height = heights(routing, np.random.default_rng(3).permutation(classes))
        channels = Channels(routing, valleys(routing.topology, height))
        check_all_ways(channels)
        check_crossings(channels)


def test_states_are_those_of_all_walks() -> None:
    routing = Gamble(Edges(nx.petersen_graph()))
    node, arrival, header = states(routing, routing.topology.terminals)
    found = set(zip(node.tolist(), arrival.tolist(), header.tolist(), strict=True))
    assert len(found) == len(node)
    assert list(zip(node.tolist(), arrival.tolist(), header.tolist(), strict=True)) == sorted(found)
    expected = set()
    graph, neighbour = nx.petersen_graph(), routing.topology.neighbour
    for source, end in product(range(10), repeat=2):
        for path in nx.all_shortest_paths(graph, source, end):
            expected.add((source, 3, end))
            for here, there in pairwise(path):
                expected.add((there, int(np.flatnonzero(neighbour[there] == here)[0]), end))
    assert found == expected

"""Virtual channels, and graphs of what waits for what."""

import re

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.deadlock.channels import Channels, Dependencies
from fingerpost.golden.deadlock.order import heights, rank_classes, valleys
from fingerpost.golden.deadlock.states import Numbers
from fingerpost.golden.routing import Routing, TwoPhase
from tests.golden.borel_group import Group, valid_groups
from tests.golden.dependencies import channel_dependencies
from tests.golden.graphs import Edges, Gamble, minimal

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

import re

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from golden.channels import Channels, representative_routes
from golden.order import expand, units
from golden.routing import Routing, TwoPhase
from golden.walk import walk
from tests.golden.borel_group import EXAMPLE, Group, valid_groups
from tests.golden.dependencies import Hop, channel_dependencies, girth
from tests.golden.graphs import Edges, minimal

SMALL = valid_groups(largest=13, most=80)


def ordered(routing: Routing, seed: int, by_class: bool) -> Channels:
    """Return the channels under a random order of the nodes, or of the classes if possible."""
    topology = routing.topology
    random = np.random.default_rng(seed)
    if not by_class:
        return Channels(routing, random.permutation(topology.nodes))
    count = len(set(units(topology).tolist()))
    return Channels(routing, expand(topology, random.permutation(count)))


def ring(nodes: int) -> Channels:
    """Return the channels of shortest paths in a ring, under the order of the labels."""
    return Channels(minimal(Edges(nx.cycle_graph(nodes))), np.arange(nodes))


@given(SMALL, st.integers(0, 9), st.booleans())
def test_needed_is_enough_and_one_less_is_not(group: Group, seed: int, by_class: bool) -> None:
    routing = TwoPhase(group.topology())
    channels = ordered(routing, seed, by_class)
    height = channels.order.tolist()
    graph = channel_dependencies(routing, height, channels.needed)
    assert nx.is_directed_acyclic_graph(graph)
    assert {channel for _, _, channel in graph} == set(range(channels.needed))
    if channels.needed > 1:
        fewer = channel_dependencies(routing, height, channels.needed - 1)
        assert not nx.is_directed_acyclic_graph(fewer)


@given(SMALL, st.integers(0, 9), st.integers(1, 4))
def test_symmetry_does_not_change_the_verdict(group: Group, seed: int, count: int) -> None:
    routing = TwoPhase(group.topology())
    channels = ordered(routing, seed, by_class=True)
    graph = channel_dependencies(routing, channels.order.tolist(), count)
    assert channels.is_free_of_deadlock(count) == nx.is_directed_acyclic_graph(graph)


@given(SMALL, st.integers(0, 9), st.booleans(), st.integers(1, 3))
def test_shortest_cycle_is_one(group: Group, seed: int, by_class: bool, count: int) -> None:
    routing = TwoPhase(group.topology())
    channels = ordered(routing, seed, by_class)
    whole = channel_dependencies(routing, channels.order.tolist(), count)
    first = [int(np.flatnonzero(channels.orbit == orbit)[0]) for orbit in channels.orbit]
    graph: nx.DiGraph[Hop] = nx.DiGraph(
        [((first[n], p, c), (first[m], q, d)) for (n, p, c), (m, q, d) in whole.edges]
    )
    cycle = channels.shortest_cycle(count)
    if nx.is_directed_acyclic_graph(whole):
        assert cycle is None
    else:
        assert cycle is not None
        assert len(cycle) == girth(graph)
        assert all(graph.has_edge(*hop) for hop in zip(cycle, cycle[1:] + cycle[:1], strict=True))


def test_classes_of_nodes_stand_for_their_nodes() -> None:
    routing = TwoPhase(Group(5, 2, (1, 1), (3, 0)).topology())  # 4 classes, none joined to itself
    assert len(set(ordered(routing, 0, by_class=True).orbit.tolist())) == 4
    assert len(set(ordered(routing, 0, by_class=False).orbit.tolist())) == 20


def test_ring_by_hand() -> None:
    # 0 - 1 - 2 - 3 - 0: shortest paths of two hops 0 1 2, 1 0 3, 2 1 0, 3 0 1, so a valley at 0,
    # from 1 to 3 and from 3 to 1. One channel has no cycle: nothing turns at 3 or at 2 from 3.
    channels = ring(4)
    assert channels.above.tolist() == [[1, 1, 0], [0, 1, 0], [0, 1, 0], [0, 0, 0]]
    assert channels.needed == 1
    # With 5 nodes every turn occurs, so the links around the ring wait for each other.
    channels = ring(5)
    assert channels.needed == 2
    assert channels.is_free_of_deadlock(2)
    assert channels.shortest_cycle(2) is None
    cycle = channels.shortest_cycle(1)
    assert cycle is not None
    around = [node for node, _, _ in cycle]
    start = around.index(0)
    assert around[start:] + around[:start] in ([0, 1, 2, 3, 4], [0, 4, 3, 2, 1])
    assert {channel for _, _, channel in cycle} == {0}


def test_above_tells_which_neighbours_are_higher() -> None:
    routing = minimal(Edges(nx.star_graph(3)))  # 0 in the middle; leaves have one link
    channels = Channels(routing, np.array([2, 0, 1, 3]))
    assert channels.above.tolist() == [[0, 0, 1, 0], [1, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]]


def test_valleys_are_counted_along_a_route() -> None:
    routing = minimal(Edges(nx.path_graph(6)))
    channels = Channels(routing, np.array([3, 0, 4, 1, 5, 2]))  # down, up, down, up, down
    row = [node.tolist() for node in channels.routes.nodes].index([0, 1, 2, 3, 4, 5])
    assert channels.valleys[row].tolist() == [0, 1, 1, 2, 2]
    row = [node.tolist() for node in channels.routes.nodes].index([5, 4, 3, 2, 1, 0])
    assert channels.valleys[row].tolist() == [0, 0, 1, 1, 2]


def test_tree_needs_one_channel() -> None:
    assert Channels(minimal(Edges(nx.path_graph(6))), np.array([3, 0, 4, 1, 5, 2])).needed == 1


def test_routes_can_be_given() -> None:
    routing = minimal(Edges(nx.cycle_graph(5)))
    around = walk(routing, np.array([0, 1]), np.array([2, 3]))
    channels = Channels(routing, np.arange(5), around)
    assert channels.routes is around
    assert channels.is_free_of_deadlock(1)
    assert not Channels(routing, np.arange(5)).is_free_of_deadlock(1)


@given(SMALL, st.integers(0, 9), st.integers(1, 3))
def test_dependencies_are_the_same_without_a_bitmap(group: Group, seed: int, count: int) -> None:
    channels = ordered(TwoPhase(group.topology()), seed, by_class=True)
    with pytest.MonkeyPatch.context() as patch:
        by_bitmap = channels.dependencies(count)
        patch.setattr("golden.channels.BITMAP", 0)
        by_sorting = channels.dependencies(count)
    assert by_bitmap.shape == by_sorting.shape
    assert by_bitmap.nnz == by_sorting.nnz
    assert (by_bitmap != by_sorting).nnz == 0


def test_one_route_from_each_orbit_to_every_node() -> None:
    routing = TwoPhase(EXAMPLE.topology())
    routes = representative_routes(routing, routing.topology.orbit)
    sources = routes.nodes[:, 0]
    last = routes.nodes[np.arange(len(sources)), routes.hops]
    assert sources.tolist() == [0] * 21 + [1] * 21 + [2] * 21
    assert last.tolist() == list(range(21)) * 3


@pytest.mark.parametrize(
    ("order", "message"),
    [
        (np.arange(20), "Channel order needs one height for each of 21 nodes, not shape (20,)"),
        (
            np.arange(21)[:, None],
            "Channel order needs one height for each of 21 nodes, not shape (21, 1)",
        ),
        (
            np.arange(21) % 3,  # A joins nodes of one class: 0 and 3
            "Channel order needs neighbours of different height, not 0 at both node 0 and node 3",
        ),
    ],
)
def test_refuses_order(order: np.ndarray, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Channels(TwoPhase(EXAMPLE.topology()), order)

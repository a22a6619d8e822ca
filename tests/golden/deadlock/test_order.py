"""Orders of the nodes, and the search for one."""

import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.deadlock.lanes import Lanes
from fingerpost.golden.deadlock.order import heights, rank_classes, search, valleys
from fingerpost.golden.deadlock.states import Found, found
from fingerpost.golden.routing import Routing, TwoPhase
from fingerpost.golden.topology import Topology
from tests.golden.borel_group import EXAMPLE, Group, valid_groups
from tests.golden.graphs import Edges, channel_dependencies, minimal

FOUR_CLASSES = Group(5, 2, (1, 1), (3, 0))  # k = 4, and both links leave the class


@pytest.mark.parametrize(
    ("routing", "ranks"),
    [
        (TwoPhase(FOUR_CLASSES.topology()), [0, 1, 2, 3] * 5),
        (TwoPhase(EXAMPLE.topology()), [*range(21)]),  # a link stays within a class
        (minimal(Edges(nx.path_graph(3))), [0, 1, 2]),  # there is no symmetry
    ],
)
def test_classes_are_ranked_or_else_nodes(routing: Routing, ranks: list[int]) -> None:
    assert rank_classes(routing).tolist() == ranks


def test_valleys_of_a_star() -> None:
    star = Edges(nx.star_graph(3))  # 0 in the middle; leaves have one link
    increments = valleys(star, np.array([0, 1, 2, 3]))
    assert {tuple(turn) for turn in np.argwhere(increments).tolist()} == {
        (0, i, o) for i in range(3) for o in range(3)
    }
    increments = valleys(star, np.array([2, 0, 1, 3]))  # only leaf 3 is above; two leaves are below
    assert np.argwhere(increments).tolist() == [[0, 2, 2], [1, 0, 0], [2, 0, 0]]


def test_valleys_of_a_directed_ring() -> None:
    ring = Topology(np.array([[1], [2], [0]]), np.zeros((3, 1), np.int64), ("on",))
    assert np.argwhere(valleys(ring, np.array([2, 0, 1]))).tolist() == [[1, 0, 0]]
    assert ring.directed
    assert not Edges(nx.star_graph(3)).directed


@pytest.mark.parametrize("channels", range(1, 13))
def test_channels_are_dealt_out_as_cards_and_numbered_class_by_class(channels: int) -> None:
    for classes in range(1, channels + 1):
        lanes, numbers = Lanes(classes, channels), itertools.count()
        groups = [[next(numbers) for _ in range(i, channels, classes)] for i in range(classes)]
        assert lanes.count.tolist() == [len(group) for group in groups]
        assert lanes.first.tolist() == [group[0] for group in groups]
        next_vc = lanes.next_vc.tolist()
        for below, above in itertools.pairwise(groups):  # a raised packet keeps its lane, or wraps
            assert [next_vc[v] for v in below][: len(above)] == above
            assert {next_vc[v] for v in below} == set(above)
        assert [next_vc[v] for v in groups[-1]] == groups[-1]


def check_needed(routing: Routing, ranks: IntArray, count: int) -> None:
    """Assert that an order needs as many channels as it says, by all routes."""
    turns = valleys(routing.topology, heights(routing, ranks))
    for channels in range(1, count + 1):
        graph = channel_dependencies(routing, turns, channels)
        assert nx.is_directed_acyclic_graph(graph) == (channels == count)


@pytest.mark.regress
@settings(max_examples=10)
@given(valid_groups(largest=13, most=80), st.integers(0, 9))
def test_found_order_needs_the_channels_that_it_says(group: Group, seed: int) -> None:
    routing = TwoPhase(group.topology())
    ranks, count = search(routing, steps=100, seed=seed)
    check_needed(routing, ranks, count)


def test_search_finds_two_channels_for_the_example() -> None:
    # The order of the labels needs 3 at n = 21; the first random order no fewer.
    routing = TwoPhase(EXAMPLE.topology(), words="first")
    assert search(routing, steps=0)[1] == 3
    assert search(routing)[1] == 2


@settings(max_examples=10)
@given(valid_groups(largest=13, most=80), st.data())
def test_search_from_any_order(group: Group, data: st.DataObject) -> None:
    routing = TwoPhase(group.topology())
    count = int(rank_classes(routing).max()) + 1
    start = np.array(data.draw(st.permutations(range(count))))
    at_once, needed = search(routing, steps=0, start=start)
    assert at_once.tolist() == start.tolist()
    assert search(routing, steps=60, start=start)[1] <= needed


def test_search_ends_when_the_target_is_reached() -> None:
    routing = TwoPhase(EXAMPLE.topology())
    at_once, first = search(routing, steps=200, target=3), search(routing, steps=0)
    assert at_once[0].tolist() == first[0].tolist()


def test_search_finds_all_states_once(monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = []

    def counted(routing: Routing, orbit: IntArray, *ends: IntArray) -> Found:
        blocks.append(len(ends[1]))
        return found(routing, orbit, *ends)

    monkeypatch.setattr("fingerpost.golden.deadlock.state_graph.found", counted)
    search(TwoPhase(EXAMPLE.topology()), steps=200)
    assert blocks == [21]


def test_what_a_sample_lets_pass_is_proven_by_all_routes(monkeypatch: pytest.MonkeyPatch) -> None:
    routing = TwoPhase(EXAMPLE.topology())
    monkeypatch.setattr("fingerpost.golden.deadlock.order.SAMPLE", 40)
    ranks, count = search(routing, steps=300)
    check_needed(routing, ranks, count)


def test_search_serves_any_graph() -> None:
    routing = minimal(Edges(nx.petersen_graph()))
    ranks, count = search(routing)
    assert sorted(ranks.tolist()) == list(range(10))
    check_needed(routing, ranks, count)
    assert search(minimal(Edges(nx.complete_graph(4))))[1] == 1


def test_search_ends_when_its_proofs_have_looked_at_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    routing = TwoPhase(EXAMPLE.topology(), words="first")
    steps: list[int] = []

    def progress(done: int, total: int) -> None:
        steps[-1] = done

    for limit in (0, 10**9):
        monkeypatch.setattr("fingerpost.golden.deadlock.order.LARGEST_WORK", limit)
        steps.append(0)
        search(routing, progress=progress)
    assert steps[0] < steps[1]


def test_search_of_many_routes_proves_the_lowest_energy_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("fingerpost.golden.deadlock.order.LARGE", 0)
    routing = TwoPhase(EXAMPLE.topology(), words="first")
    worse, needed = search(routing, steps=0)
    assert needed == 3
    start, needed = search(routing, steps=300)
    assert needed == search(routing, steps=300, start=worse)[1] == 2
    # The steps from a good order lead through worse ones; the start is given back if it is better.
    ranks, count = search(routing, steps=5, start=start)
    assert (ranks.tolist(), count) == (start.tolist(), 2)

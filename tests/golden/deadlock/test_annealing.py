import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.deadlock.order import heights, rank_classes, search, valleys
from fingerpost.golden.deadlock.states import Found, found
from fingerpost.golden.routing import Routing, TwoPhase
from tests.golden.borel_group import EXAMPLE, Group, valid_groups
from tests.golden.dependencies import channel_dependencies
from tests.golden.graphs import Edges, minimal


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


def test_search_depends_on_its_arguments_only() -> None:
    routing = TwoPhase(EXAMPLE.topology())
    (ranks, count), (again, same) = (search(routing, steps=50, seed=3) for _ in range(2))
    assert (ranks.tolist(), count) == (again.tolist(), same)
    assert search(routing, steps=50, seed=4)[0].tolist() != ranks.tolist()


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
    assert search(routing, steps=0)[1] == 3
    start, needed = search(routing, steps=300)
    assert needed == 2
    # The steps from a good order lead through worse ones; the start is given back if it is better.
    worse, _ = search(routing, steps=0)
    assert search(routing, steps=300, start=worse)[1] == 2
    ranks, count = search(routing, steps=5, start=start)
    assert (ranks.tolist(), count) == (start.tolist(), 2)
    falling = iter(range(0, -100, -1))
    energy = "fingerpost.golden.deadlock.order._Orders.energy"
    monkeypatch.setattr(energy, lambda *_: float(next(falling)))
    ranks, count = search(routing, steps=50, start=start)
    assert (ranks.tolist(), count) == (start.tolist(), 2)  # a false energy, and true proofs

import re

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from golden.arrays import IntArray
from golden.deadlock.order import expand, search, units, valleys
from golden.routing import Routing, TwoPhase
from golden.routing.walk import Routes, walk
from golden.topology import Topology
from tests.golden.borel_group import EXAMPLE, Group, valid_groups
from tests.golden.dependencies import channel_dependencies
from tests.golden.graphs import Edges, minimal

FOUR_CLASSES = Group(5, 2, (1, 1), (3, 0))  # k = 4, and both links leave the class


def test_classes_are_ranked_if_no_link_stays_within_one() -> None:
    assert units(TwoPhase(FOUR_CLASSES.topology())).tolist() == [0, 1, 2, 3] * 5


def test_nodes_are_ranked_if_a_link_stays_within_a_class() -> None:
    assert units(TwoPhase(EXAMPLE.topology())).tolist() == list(range(21))


def test_nodes_are_ranked_if_there_is_no_symmetry() -> None:
    assert units(minimal(Edges(nx.path_graph(3)))).tolist() == [0, 1, 2]


def test_every_node_has_the_height_of_its_class() -> None:
    assert (
        expand(TwoPhase(FOUR_CLASSES.topology()), np.array([2, 0, 3, 1])).tolist()
        == [2, 0, 3, 1] * 5
    )


@pytest.mark.parametrize(
    ("group", "ranks", "message"),
    [
        (
            FOUR_CLASSES,
            [0, 1, 2],
            "Channel order needs each of 0..3 once, the ranks of the 4 classes",
        ),
        (
            FOUR_CLASSES,
            [0, 1, 2, 2],
            "Channel order needs each of 0..3 once, the ranks of the 4 classes",
        ),
        (
            FOUR_CLASSES,
            [1, 2, 3, 4],
            "Channel order needs each of 0..3 once, the ranks of the 4 classes",
        ),
        (EXAMPLE, [0, 1, 2], "Channel order needs each of 0..20 once, the ranks of the 21 nodes"),
    ],
)
def test_refuses_ranks(group: Group, ranks: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        expand(TwoPhase(group.topology()), np.array(ranks))


@settings(max_examples=10)
@given(valid_groups(largest=13, most=80), st.integers(0, 9))
def test_found_order_needs_the_channels_that_it_says(group: Group, seed: int) -> None:
    routing = TwoPhase(group.topology())
    ranks, count = search(routing, steps=100, seed=seed)
    height = expand(routing, ranks).tolist()
    assert nx.is_directed_acyclic_graph(channel_dependencies(routing, height, count))
    if count > 1:
        fewer = channel_dependencies(routing, height, count - 1)
        assert not nx.is_directed_acyclic_graph(fewer)


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
        valleys(EXAMPLE.topology(), order)


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


def test_search_gives_nothing_worse_than_its_start() -> None:
    routing = TwoPhase(EXAMPLE.topology(), words="first")
    start, needed = search(routing)
    assert (needed, search(routing, steps=5)[1]) == (2, 3)
    ranks, count = search(routing, steps=5, start=start)
    assert (ranks.tolist(), count) == (start.tolist(), 2)


@settings(max_examples=10)
@given(valid_groups(largest=13, most=80), st.data())
def test_search_from_any_order(group: Group, data: st.DataObject) -> None:
    routing = TwoPhase(group.topology())
    count = int(units(routing).max()) + 1
    start = np.array(data.draw(st.permutations(range(count))))
    at_once, needed = search(routing, steps=0, start=start)
    assert at_once.tolist() == start.tolist()
    assert search(routing, steps=60, start=start)[1] <= needed


def test_search_refuses_a_start_that_ranks_nothing() -> None:
    message = "Channel order needs each of 0..20 once, the ranks of the 21 nodes"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        search(TwoPhase(EXAMPLE.topology()), start=np.arange(20))


def test_search_ends_when_the_target_is_reached() -> None:
    routing = TwoPhase(EXAMPLE.topology())
    at_once, first = search(routing, steps=200, target=3), search(routing, steps=0)
    assert at_once[0].tolist() == first[0].tolist()


def test_search_walks_all_routes_once(monkeypatch: pytest.MonkeyPatch) -> None:
    walks = []

    def counted(routing: Routing, source: IntArray, destination: IntArray) -> Routes:
        walks.append(len(source))
        return walk(routing, source, destination)

    monkeypatch.setattr("golden.deadlock.channels.walk", counted)
    search(TwoPhase(EXAMPLE.topology()), steps=200)
    assert walks == [21 * 21]


def test_what_a_sample_lets_pass_is_proven_by_all_routes(monkeypatch: pytest.MonkeyPatch) -> None:
    routing = TwoPhase(EXAMPLE.topology())
    monkeypatch.setattr("golden.deadlock.order.SAMPLE", 40)
    ranks, count = search(routing, steps=300)
    height = expand(routing, ranks).tolist()
    assert nx.is_directed_acyclic_graph(channel_dependencies(routing, height, count))
    assert not nx.is_directed_acyclic_graph(channel_dependencies(routing, height, count - 1))


def test_search_serves_any_graph() -> None:
    graph = nx.petersen_graph()
    ranks, count = search(minimal(Edges(graph)))
    assert sorted(ranks.tolist()) == list(range(10))
    height = ranks.tolist()
    assert nx.is_directed_acyclic_graph(channel_dependencies(minimal(Edges(graph)), height, count))


def test_routes_of_one_hop_need_one_channel() -> None:
    assert search(minimal(Edges(nx.complete_graph(4))))[1] == 1

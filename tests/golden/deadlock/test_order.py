"""Orders of nodes, and lanes of VC classes."""

import itertools
import re

import networkx as nx
import numpy as np
import pytest

from fingerpost.golden.deadlock.lanes import Lanes
from fingerpost.golden.deadlock.order import heights, rank_classes, valleys
from fingerpost.golden.routing import Routing, TwoPhase
from fingerpost.golden.topology import Topology
from tests.golden.borel_group import EXAMPLE, Group
from tests.golden.graphs import Edges, minimal

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


def test_every_node_has_the_height_of_its_class() -> None:
    assert (
        heights(TwoPhase(FOUR_CLASSES.topology()), np.array([2, 0, 3, 1])).tolist()
        == [2, 0, 3, 1] * 5
    )


@pytest.mark.parametrize(
    ("group", "ranks", "needed"),
    [
        *(
            (FOUR_CLASSES, ranks, (3, "4 classes"))
            for ranks in ([0, 1, 2], [0, 1, 2, 2], [1, 2, 3, 4])
        ),
        (EXAMPLE, [0, 1, 2], (20, "21 nodes")),
    ],
)
def test_refuses_ranks(group: Group, ranks: list[int], needed: tuple[int, str]) -> None:
    message = "Channel order needs each of 0..{} once, the ranks of the {}".format(*needed)
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        heights(TwoPhase(group.topology()), np.array(ranks))


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


EVERY = [(classes, channels) for channels in range(1, 13) for classes in range(1, channels + 1)]


def shared_out(classes: int, channels: int) -> list[list[int]]:
    """Deal out channels as cards, then number them class by class."""
    size = [0] * classes
    for card in range(channels):
        size[card % classes] += 1
    numbers = itertools.count()
    return [[next(numbers) for _ in range(lanes)] for lanes in size]


@pytest.mark.parametrize(("classes", "channels"), EVERY)
def test_channels_are_dealt_out(classes: int, channels: int) -> None:
    lanes, groups = Lanes(classes, channels), shared_out(classes, channels)
    assert lanes.count.tolist() == [len(group) for group in groups]
    assert lanes.first.tolist() == [group[0] for group in groups]


@pytest.mark.parametrize(("classes", "channels"), EVERY)
def test_a_raised_packet_goes_one_class_up_and_keeps_its_lane(classes: int, channels: int) -> None:
    next_vc, groups = Lanes(classes, channels).next_vc.tolist(), shared_out(classes, channels)
    for below, above in itertools.pairwise(groups):
        for lane, channel in enumerate(below):
            assert next_vc[channel] in above
            if lane < len(above):
                assert next_vc[channel] == above[lane]
        # All lanes of a class are used by packets from below, if there are enough.
        assert {next_vc[channel] for channel in below} == set(above[: len(below)])
    assert [next_vc[channel] for channel in groups[-1]] == groups[-1]


@pytest.mark.parametrize(("classes", "channels"), [(0, 1), (3, 2), (0, 0)])
def test_refuses_fewer_channels_than_classes(classes: int, channels: int) -> None:
    message = f"Lanes needs 1 <= classes <= channels, not {classes} and {channels}"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Lanes(classes, channels)

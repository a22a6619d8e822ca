import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.routing.adaptive import Adaptive
from fingerpost.golden.routing.vertex_transitive import VertexTransitive
from fingerpost.golden.routing.walk import walk
from tests.golden.borel_group import Group, valid_groups

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

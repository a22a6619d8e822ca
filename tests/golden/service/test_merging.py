"""Fair shares of links, by hand and by what defines them."""

import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.measure.latency import zero_load
from fingerpost.golden.network.network import Network
from fingerpost.golden.routing.walk import walk
from tests.golden.model.networks import borel21, built
from tests.golden.service.endless import hot_spot, permutation
from tests.golden.service.fairness import assess, judge, shares
from tests.golden.service.streams import Limit, water_fill

PATH = [(0, 1), (1, 2), (2, 3)]
CROSS = [(0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (1, 6)]
"""Five arms at node 0, and the first has two nodes, 1 and 6."""


def tree(links: list[tuple[int, int]]) -> Network:
    return built({"family": "edge-list", "nodes": len(links) + 1, "links": links})


def to(network: Network, **goals: int) -> np.ndarray:
    destination = np.full(network.topology.nodes, -1)
    for source, goal in goals.items():
        destination[int(source[1:])] = goal
    return destination


def test_every_merge_along_a_path_takes_a_half() -> None:
    network = tree(PATH)
    found = shares(network, hot_spot(network, 3))
    expected = [1 / 4, 1 / 4, 1 / 2, np.nan]
    assert found.along == pytest.approx(expected, nan_ok=True)
    assert found.behind == pytest.approx(expected, nan_ok=True)


def test_arms_of_a_star_share_alike() -> None:
    network = tree(CROSS)
    found = shares(network, hot_spot(network, 2))
    # At node 0 three other arms and the terminal; on the long arm two, one behind the other.
    expected = [1 / 5, 1 / 10, np.nan, 1 / 5, 1 / 5, 1 / 5, 1 / 10]
    assert found.along == pytest.approx(expected, nan_ok=True)


def test_packets_wait_behind_others_of_their_queue() -> None:
    # 6 and 1 share the queue by which 1 leads to 0; 6 goes on to 2, as do 3 and 4; 1 to 5.
    network = tree(CROSS)
    found = shares(network, to(network, n6=2, n1=5, n3=2, n4=2))
    assert found.along[[6, 1, 3, 4]] == pytest.approx([1 / 6, 1 / 2, 1 / 3, 1 / 3])
    assert found.behind[[6, 1, 3, 4]] == pytest.approx([1 / 6, 1 / 6, 1 / 3, 1 / 3])
    assert np.isnan(found.along[[0, 2, 5]]).all()


def test_who_meets_nobody_has_a_link_to_itself() -> None:
    network = borel21()
    destination = np.full(21, -1)
    destination[4] = 17
    found = shares(network, destination)
    assert (found.along[4], found.behind[4]) == (1, 1)


def test_nobody_is_promised_more_than_along_its_route() -> None:
    network = borel21()
    for seed in range(5):
        found = shares(network, permutation(network, seed))
        sends = ~np.isnan(found.along)
        assert (found.behind[sends] <= found.along[sends]).all()
        assert (found.behind[sends] > 0).all()


# The service that is judged by it.


def test_a_flow_alone_runs_at_full_rate() -> None:
    network = borel21()
    found = judge(network, to(network, n4=17), length=4, cycles=500)
    assert 480 / 500 <= found.accepted <= 1
    assert (found.sources, found.judged, found.starved) == (1, 1, 0)
    assert found.gap == 4  # a packet after the other
    assert (found.patience, found.onset) == (1, 0)  # the first without a wait


def test_who_begins_late_or_waits_is_seen_to_wait() -> None:
    network, nodes = borel21(), 21
    goal = to(network, n4=17)
    flits, gap, began = np.zeros((3, nodes), np.int64)
    hops = int(walk(network.routing, np.array([4]), np.array([17])).hops[0])
    least = zero_load(network, hops, flits=4)
    assert least is not None
    flits[4], gap[4], began[4] = 200, 40, 100 + least
    found = assess(network, goal, length=4, cycles=400, flits=flits, gap=gap, began=began)
    assert found.onset == 100 / 4  # beyond what its way takes in an empty network
    assert (found.gap, found.patience) == (40, 40 / 4)
    assert (found.starved, found.behind, found.accepted) == (0, 0.5, 0.5)
    flits[4], gap[4], began[4] = 0, 400, 400
    found = assess(network, goal, length=4, cycles=400, flits=flits, gap=gap, began=began)
    assert (found.starved, found.poorest, found.accepted) == (1, 4, 0)


ONE = Fraction(1)


@pytest.mark.parametrize(
    ("limits", "rates"),
    [
        ([("abc", ONE)], {"a": 1 / 3, "b": 1 / 3, "c": 1 / 3}),
        # What a slow one leaves goes to the others.
        ([("abc", ONE), ("a", Fraction(1, 8))], {"a": 1 / 8, "b": 7 / 16, "c": 7 / 16}),
        # Two channels of an output, one with a credit every four cycles: a and b share that.
        ([("abc", ONE), ("ab", Fraction(1, 4)), ("c", ONE)], {"a": 1 / 8, "b": 1 / 8, "c": 3 / 4}),
        # Both inputs of a and b are shared with others; d has what is left of the second.
        (
            [("abc", Fraction(3, 10)), ("cd", ONE)],
            {"a": 1 / 10, "b": 1 / 10, "c": 1 / 10, "d": 9 / 10},
        ),
        ([("a", Fraction(0)), ("ab", ONE)], {"a": 0.0, "b": 1.0}),
    ],
)
def test_rates_worked_out_by_hand(limits: list[Limit], rates: dict[str, float]) -> None:
    assert water_fill(list(rates), limits) == pytest.approx(rates)


@st.composite
def problems(draw: st.DrawFn) -> tuple[int, list[Limit]]:
    count = draw(st.integers(1, 6))
    some = st.sets(st.integers(0, count - 1), min_size=1)
    limit = st.tuples(some, st.fractions(0, 1, max_denominator=8))
    return count, [*draw(st.lists(limit, max_size=5)), (set(range(count)), ONE)]


@given(problems())
def test_nobody_gets_more_but_from_who_has_no_more(problem: tuple[int, list[Limit]]) -> None:
    # The bottleneck property, which max-min fair rates alone have: each stream has a limit that
    # is reached and in which no other has more (Data Networks, 6.5.2).
    count, limits = problem
    rates = water_fill(range(count), limits)
    used = [sum(rates[stream] for stream in members) for members, _ in limits]
    for stream in range(count):
        assert any(
            stream in members
            and total == pytest.approx(float(capacity))
            and all(rates[other] <= rates[stream] + 1e-9 for other in members)
            for (members, capacity), total in zip(limits, used, strict=True)
        )
    for (_, capacity), total in zip(limits, used, strict=True):
        assert total <= float(capacity) + 1e-9


def test_refuses_a_stream_without_a_limit() -> None:
    message = "Fair share needs a limit of every stream, not none of 'b'"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        water_fill("ab", [("a", ONE)])

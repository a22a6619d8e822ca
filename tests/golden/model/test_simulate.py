import re
from typing import Any

import numpy as np
import pytest

from golden.model import Traffic, simulate
from golden.routing.walk import walk
from tests.golden.model.networks import borel21


def mean_hops() -> float:
    routing = borel21().routing
    n = routing.topology.nodes
    hops = walk(routing, np.repeat(np.arange(n), n), np.tile(np.arange(n), n)).hops
    return float(hops.sum()) / (n * (n - 1))


@pytest.mark.parametrize("length", [1, 4])
def test_what_is_offered_is_accepted_below_saturation(length: int) -> None:
    found = simulate(borel21(), load=0.2, cycles=3000, seed=1, packet_length=length)
    assert found.outcome == "drained"
    assert found.offered == pytest.approx(0.2, rel=0.06)
    assert found.accepted == pytest.approx(found.offered, rel=0.06)
    assert found.packets == pytest.approx(0.2 * 3000 * 21 / length, rel=0.06)
    assert found.cycles == 3000
    assert found.seconds > 0


def test_links_carry_what_the_routes_say() -> None:
    found = simulate(borel21(), load=0.2, cycles=3000, seed=2)
    assert found.link_load.shape == (21, 4)
    # Flits per terminal and cycle: each is on as many links as its route has hops.
    assert found.link_load.sum() / 21 == pytest.approx(found.accepted * mean_hops(), rel=0.03)
    assert 0 < found.link_load.min() <= found.link_load.max() <= 1


def test_latency_of_a_nearly_idle_network() -> None:
    found = simulate(borel21(), load=0.01, cycles=6000, seed=1)
    launch = borel21().routing.launch_cycles
    assert found.latency_mean is not None
    assert found.latency_median is not None
    assert found.latency_p99 is not None
    # Three cycles in each router, and the launch.
    assert found.latency_mean == pytest.approx(launch + 3 * (mean_hops() + 1), rel=0.03)
    assert found.latency_median <= found.latency_p99


def test_more_load_than_links_can_carry_saturates() -> None:
    # What is accepted in every cycle is less, and the packets that wait get ever more.
    found = simulate(borel21(), load=1, cycles=1500, seed=1, packet_length=4)
    assert found.offered == pytest.approx(1, rel=0.05)
    assert found.accepted < 0.9 * found.offered
    stalled = simulate(borel21(), load=1, cycles=300, seed=1, packet_length=4, stall=0.8)
    assert stalled.outcome == "saturated"  # a flit in five cycles: 300 take more than twice 300
    bound = min(1, 4 / mean_hops())  # 4 links a node, one flit a cycle each
    assert 0.6 < found.accepted <= bound
    assert found.link_load.max() <= 1
    low = simulate(borel21(), load=0.1, cycles=1500, seed=1, packet_length=4)
    assert low.latency_mean is not None
    assert found.latency_mean is not None
    assert low.latency_mean < found.latency_mean


def test_stalling_terminals_cost_throughput() -> None:
    brisk, slow = (
        simulate(borel21(), load=0.5, cycles=800, seed=1, stall=stall) for stall in (0, 0.9)
    )
    # A terminal that gives one credit back in 10 cycles accepts no more than that.
    assert slow.accepted <= 0.11 < brisk.accepted


def test_same_seed_same_result() -> None:
    def result(seed: int) -> tuple[object, ...]:
        found = simulate(borel21(), load=0.4, cycles=300, seed=seed, stall=0.3)
        return found.accepted, found.latency_mean, found.packets, found.link_load.tolist()

    assert result(5) == result(5)
    assert result(5) != result(6)


def test_nothing_made_after_the_warm_up_leaves_no_latency() -> None:
    found = simulate(borel21(), load=0.0001, cycles=10, seed=0)
    assert found.packets == 0
    assert (found.latency_mean, found.latency_median, found.latency_p99) == (None, None, None)
    assert (found.accepted, found.outcome) == (0, "drained")


def test_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    simulate(borel21(), load=0.1, cycles=200, progress=lambda *pair: told.append(pair))
    assert told[0] == (0, 200)
    assert {total for _, total in told} == {200}
    assert [done for done, _ in told] == sorted(done for done, _ in told)


@pytest.mark.parametrize(
    ("load", "length"), [(0, 1), (-0.5, 1), (1.5, 1), (4.5, 4), (float("inf"), 1)]
)
def test_refuses_an_impossible_load(load: float, length: int) -> None:
    message = (
        f"Traffic needs a load above 0 and up to {length} flits per terminal and cycle, the mean "
        f"length of its packets, not {load}"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        simulate(borel21(), load=load, cycles=10, packet_length=length)


def test_refuses_empty_packets() -> None:
    message = "Length fixed needs at least 1 of flits, not 0"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        simulate(borel21(), load=0.1, cycles=10, packet_length=0)


def test_refuses_no_cycles() -> None:
    with pytest.raises(ValueError, match=r"^Traffic needs at least 1 cycle, not 0$"):
        simulate(borel21(), load=0.1, cycles=0)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"cycles": 10**30}, f"Simulation needs at most 1000000000 cycles, not {10**30}"),
        (
            {"cycles": 10**9},
            f"Simulation needs at most {10**8} packets, not 2100000000: fewer cycles, or less load",
        ),
        (
            {"packet_length": 101},
            "Simulation needs packets of at most as many flits as there are cycles, 100, not 101",
        ),
    ],
)
def test_refuses_what_takes_too_long(given: dict[str, float], message: str) -> None:
    arguments: dict[str, Any] = {"load": 0.1, "cycles": 100} | given
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        simulate(borel21(), **arguments)


def test_a_packet_can_have_as_many_flits_as_there_are_cycles() -> None:
    assert simulate(borel21(), load=0.5, cycles=9, packet_length=9).cycles == 9


# Traffic.


def test_traffic_is_uniform() -> None:
    traffic = Traffic(borel21(), 0.5, 4000, seed=1, lengths=(1, 5), malformed=0.3)
    assert (traffic.source != traffic.destination).all()
    pairs = np.zeros((21, 21))
    np.add.at(pairs, (traffic.source, traffic.destination), 1)
    assert pairs[~np.eye(21, dtype=bool)].min() > 0
    by_goal = pairs.sum(axis=0) / len(traffic.source)
    assert by_goal == pytest.approx(np.full(21, 1 / 21), rel=0.15)
    assert np.bincount(traffic.length).tolist()[0] == 0
    assert set(traffic.length.tolist()) == {1, 2, 3, 4, 5}
    assert (traffic.kind != 0).mean() == pytest.approx(0.3, rel=0.1)
    assert (traffic.time >= 0).all()
    assert (traffic.time < 4000).all()
    for node in range(21):
        assert (np.diff(traffic.time[traffic.source == node]) > 0).all()

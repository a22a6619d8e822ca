import dataclasses
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from fingerpost.golden.analysis.loads import loads
from fingerpost.golden.compiled.reference import Reference, ReferenceRun
from fingerpost.golden.measure import Outcome, simulate
from fingerpost.golden.measure.measurement import Simulation
from fingerpost.golden.measure.phases import Phases
from fingerpost.golden.measure.watch import STILL, Watched
from fingerpost.golden.network.network import Network
from fingerpost.golden.traffic import Traffic, Windows
from tests.golden.model.networks import borel21, built


def pair() -> Network:
    """Two nodes with a link: a packet waits at its source, or not at all."""
    return built({"family": "grid", "sizes": [2]}, "dimension-order")


def of(kind: type[ReferenceRun]) -> Any:
    """Return what makes an engine of runs of another kind."""

    def make(network: Network, traffics: Sequence[Traffic], *, stall: float) -> Reference:
        made = Reference(network, [])
        made.runs = [kind(network, traffic, stall=stall) for traffic in traffics]
        return made

    return make


def mean(found: Simulation) -> float:
    assert found.latencies.mean is not None
    return found.latencies.mean.mean


@pytest.mark.parametrize("length", [1, 4])
def test_what_is_offered_is_accepted_below_saturation(length: int) -> None:
    found = simulate(borel21(), load=0.2, cycles=2000, seed=1, packet_length=length)
    assert found.outcome is Outcome.OK
    assert found.offered == pytest.approx(0.2, rel=0.1)
    assert found.accepted.mean == pytest.approx(found.offered, rel=0.02)
    low, high = found.accepted.interval or (0, 0)
    assert low < found.accepted.mean < high < 1.2 * low
    assert 0.6 * found.offered < found.accepted_least < found.accepted.mean
    assert found.packets == pytest.approx(0.2 * 2000 * 21 / length, rel=0.1)
    assert found.latencies.packets == found.packets
    assert (found.cycles, found.settled) == (2000, True)
    assert found.seconds > 0


def test_links_carry_what_the_routes_say() -> None:
    found = simulate(borel21(), load=0.2, cycles=2000, warm_up=100, seed=2)
    assert found.link_load.shape == (21, 4)
    # Flits per terminal and cycle: each is on as many links as its route has hops.
    assert found.link_load.sum() / 21 == pytest.approx(
        found.accepted.mean * loads(borel21().routing).mean_hops, rel=0.03
    )
    assert 0 < found.link_load.min() <= found.link_load.max() <= 1


@pytest.mark.parametrize(("load", "length"), [(0.6, 8), (0.9, 1)])
def test_waiting_at_the_source_is_that_of_a_queue_with_constant_service(
    load: float, length: int
) -> None:
    # Geo/D/1 (the M/D/1 of slots): a packet comes in a cycle with probability p, its service is
    # L cycles; the mean wait is p L (L - 1) / (2 (1 - p L)). Nothing else waits in this network.
    found = simulate(pair(), load=load, cycles=5000, warm_up=500, seed=2, packet_length=length)
    wait = load * (length - 1) / (2 * (1 - load))
    assert found.latencies.mean is not None
    low, high = found.latencies.mean.interval or (0, 0)
    latency = 3 * 2 + length - 1 + wait
    assert low - 0.01 <= latency <= high + 0.01
    assert high - low < 0.3 * latency
    assert found.outcome is Outcome.OK


def test_accepted_is_what_came_out_by_source() -> None:
    """Everything counted again, from the flits on the links to the terminals."""
    tails: list[tuple[int, int]] = []

    class Seeing(ReferenceRun):
        def step(self) -> Any:
            out = self.model.ejected
            tails.extend((self.now, tag) for tag in out.tag[out.tail].tolist())
            return super().step()

    phases = Phases(cycles=400, warm_up=150)
    found = simulate(
        borel21(), load=0.95, cycles=400, warm_up=150, seed=4, packet_length=3, make=of(Seeing)
    )
    traffic = Traffic(borel21(), 0.95, phases.horizon, seed=4, lengths=(3, 3))
    served = [0] * 21
    for cycle, packet in tails:
        served[traffic.source[packet]] += 3 * (150 <= cycle < 550)
    assert found.accepted.mean == pytest.approx(sum(served) / 21 / 400)
    assert found.accepted_least == pytest.approx(min(served) / 400)
    made = (traffic.time >= 150) & (traffic.time < 550)
    assert found.packets == made.sum()
    assert found.offered == pytest.approx(made.sum() * 3 / 21 / 400)
    latency = [c - traffic.time[packet] for c, packet in tails if made[packet]]
    assert found.latencies.counts.tolist() == [np.bincount(latency).tolist()]


# Outcomes.


def test_more_load_than_links_can_carry_saturates() -> None:
    found = simulate(borel21(), load=1, cycles=1000, seed=1, packet_length=4)
    assert found.outcome is Outcome.SATURATED
    assert found.offered == pytest.approx(1, rel=0.05)
    bound = min(1, 4 / loads(borel21().routing).mean_hops)  # 4 links a node, one flit a cycle each
    assert 0.6 < found.accepted.mean <= bound
    assert found.link_load.max() <= 1
    assert found.drain == 0
    low = simulate(borel21(), load=0.1, cycles=600, seed=1, packet_length=4)
    assert low.outcome is Outcome.OK
    assert mean(low) < mean(found)


def test_half_of_what_is_offered_is_saturated_and_not_drained() -> None:
    # A terminal that gives one credit back in four cycles accepts no more than that.
    found = simulate(borel21(), load=0.5, cycles=1000, seed=1, stall=0.75)
    assert found.outcome is Outcome.SATURATED
    assert 0.2 < found.accepted.mean <= 0.25


def test_a_fuller_end_than_beginning_is_not_saturation() -> None:
    """Few packets: less comes out than is made, but not by more than chance explains."""
    for seed in range(12):
        found = simulate(borel21(), load=0.02, cycles=60, warm_up=50, seed=seed)
        assert found.outcome is Outcome.OK


def test_network_without_its_proof_deadlocks() -> None:
    forged = dataclasses.replace(borel21(), virtual_channels=1)
    found = simulate(forged, load=1, cycles=600, seed=1, packet_length=9)
    assert found.outcome is Outcome.DEADLOCKED
    assert found.drain >= STILL - 20 * 600
    assert found.accepted.mean < 0.1
    sound = simulate(borel21(), load=1, cycles=600, seed=1, packet_length=9)
    assert sound.outcome is Outcome.SATURATED


def test_long_queues_that_move_are_no_deadlock() -> None:
    # One credit in twenty cycles: packets wait for longer than nothing may move for.
    found = simulate(borel21(), load=1, cycles=400, warm_up=6000, seed=1, stall=0.95)
    assert found.outcome is Outcome.SATURATED
    assert found.accepted.mean == pytest.approx(0.05, abs=0.02)
    assert found.drain == 0


def test_deadlock_behind_the_measurement_is_one() -> None:
    """It comes late, and the simulation does not stop before it is certain."""

    class Stuck(ReferenceRun):
        def step(self) -> Any:
            if self.now < 390:
                return super().step()
            self._now += 1
            return ()

    found = simulate(borel21(), load=0.2, cycles=200, warm_up=200, drain=30, seed=1, make=of(Stuck))
    assert found.outcome is Outcome.DEADLOCKED
    assert STILL - 64 <= found.drain <= STILL + 64


def test_drain_that_is_too_short_is_a_time_out() -> None:
    found = simulate(borel21(), load=0.2, cycles=500, drain=3, seed=1)
    assert (found.outcome, found.drain) == (Outcome.TIME_OUT, 3)
    assert found.latencies.packets < found.packets
    enough = simulate(borel21(), load=0.2, cycles=500, drain=100, seed=1)
    assert enough.outcome is Outcome.OK
    assert enough.drain <= 100
    assert enough.latencies.packets == enough.packets


# Phases.


def test_warm_up_is_as_long_as_it_is_given() -> None:
    found = simulate(borel21(), load=0.2, cycles=500, warm_up=123, seed=1)
    assert (found.warm_up, found.settled) == (123, True)
    time = Traffic(borel21(), 0.2, Phases(500, 123).horizon, seed=1).time
    assert found.packets == ((time >= 123) & (time < 623)).sum()


def test_warm_up_ends_when_it_is_steady() -> None:
    found = simulate(borel21(), load=0.2, cycles=800, seed=1)
    assert (found.warm_up, found.settled) == (400, True)  # two windows agree at once
    # Long queues at the sources take long to build up.
    slow = simulate(pair(), load=0.97, cycles=800, packet_length=40, seed=1)
    assert slow.warm_up > 400
    assert slow.warm_up % 200 == 0


def test_warm_up_that_never_is_steady_ends() -> None:
    class Silent(ReferenceRun):
        def step(self) -> Any:
            self._now += 1

    found = simulate(borel21(), load=0.2, cycles=40, seed=1, make=of(Silent))
    assert (found.warm_up, found.settled) == (200, False)
    assert found.outcome is Outcome.DEADLOCKED


def test_same_seed_same_result() -> None:
    def result(seed: int) -> tuple[object, ...]:
        found = simulate(borel21(), load=0.4, cycles=300, seed=seed, stall=0.3)
        return found.accepted, found.latencies.mean, found.packets, found.link_load.tolist()

    assert result(5) == result(5)
    assert result(5) != result(6)


def test_nothing_made_leaves_no_latency() -> None:
    found = simulate(borel21(), load=0.000001, cycles=10, warm_up=2, seed=0)
    assert found.packets == 0
    assert found.latencies.mean is None
    assert (found.accepted.mean, found.outcome) == (0, Outcome.OK)


def test_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    simulate(borel21(), load=0.1, cycles=200, warm_up=50, progress=lambda *pair: told.append(pair))
    assert told[0] == (0, 250)
    assert {total for _, total in told} == {250}
    assert [done for done, _ in told] == sorted(done for done, _ in told)


# Windows.


@pytest.fixture
def small_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows of 200 packets, in the mean."""
    defaults = Windows.__init__.__kwdefaults__
    assert defaults is not None
    monkeypatch.setitem(defaults, "packets", 200)


@pytest.mark.usefixtures("small_windows")
@pytest.mark.parametrize(
    ("load", "options"),
    [(0.3, {"stall": 0.2}), (0.95, {"packet_length": (1, 5)}), (0.3, {"drain": 2})],
)
def test_windows_find_what_the_reference_finds_with_all_packets_at_once(
    load: float, options: dict[str, Any]
) -> None:
    def result(**made: Any) -> tuple[object, ...]:
        found = simulate(borel21(), load=load, cycles=150, seed=1, flows=True, **options, **made)
        assert found.latencies.flows is not None
        return (
            *(found.outcome, found.offered, found.accepted, found.accepted_least, found.packets),
            *(found.warm_up, found.drain, found.latencies.mean, found.link_load.tolist()),
            *(found.latencies.counts.tolist(), found.latencies.flows.tolist()),
        )

    assert result() == result(make=of(ReferenceRun))


@pytest.mark.usefixtures("small_windows")
def test_memory_does_not_grow_with_the_run() -> None:
    windows = Windows(borel21(), 0.4, 3000, seed=2)
    watched = Watched(borel21(), windows)
    known, came = [], []
    watched.sink = lambda sent: came.append(len(sent.time))
    for _ in range(30):
        watched.advance(100)
        known.append(len(watched.engine.packets))
    assert len(windows) > 100
    assert max(known) < 3 * 200
    assert sum(came) > 0.9 * 0.4 * 21 * 3000


# What it refuses.


@pytest.mark.parametrize(
    ("given", "message"),
    [
        *(
            (
                {"load": load, "packet_length": length},
                (
                    f"Traffic needs a load above 0 and up to {length} flits per terminal and "
                    f"cycle, the mean length of its packets, not {load}"
                ),
            )
            for load, length in ((0, 1), (-0.5, 1), (1.5, 1), (4.5, 4), (float("inf"), 1))
        ),
        ({"cycles": 0}, "Simulation needs at least 1 cycle, not 0"),
        ({"cycles": 10**30}, f"Simulation needs at most 1000000000 cycles, not {10**30}"),
        (
            {"cycles": 10**9, "warm_up": 7},
            (
                f"Simulation needs at most {10**8} packets, not 2625000015, with those of warm-up "
                "and drain: fewer cycles, or less load"
            ),
        ),
        (
            {"packet_length": 101},
            "Simulation needs packets of at most as many flits as there are cycles, 100, not 101",
        ),
        ({"warm_up": -1}, "Simulation needs a warm-up of 0..1000000000 cycles, not -1"),
        ({"drain": 10**10}, f"Simulation needs a drain of 0..1000000000 cycles, not {10**10}"),
    ],
)
def test_refuses_what_cannot_be_or_takes_too_long(given: dict[str, float], message: str) -> None:
    arguments: dict[str, Any] = {"load": 0.1, "cycles": 100} | given
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        simulate(borel21(), **arguments)


def test_a_packet_can_have_as_many_flits_as_there_are_cycles() -> None:
    assert simulate(borel21(), load=0.5, cycles=9, packet_length=9).cycles == 9

"""Simulations: what is measured, and latencies without contention by a formula of its own."""

import dataclasses
import re
from collections.abc import Sequence
from itertools import pairwise
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fingerpost.golden.analysis.loads import loads
from fingerpost.golden.engine import engine
from fingerpost.golden.engine.wormhole import Wormhole
from fingerpost.golden.measure import Outcome, simulate
from fingerpost.golden.measure.latency import zero_load
from fingerpost.golden.measure.measurement import Simulation
from fingerpost.golden.measure.watch import Watched
from fingerpost.golden.network.network import Network
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.traffic import Traffic, Windows
from fingerpost.netfile.source import read
from tests.fingerpost.common import NETWORKS
from tests.golden.service.endless import endless
from tests.networks import PETERSEN, arriving, borel21, built, load, only


def pair() -> Network:
    """Two nodes with a link: a packet waits at its source, or not at all."""
    return built({"family": "grid", "sizes": [2]}, "dimension-order")


def of(kind: type[Wormhole]) -> Any:
    """Return what makes an engine of another kind, which takes all packets at once."""

    def make(network: Network, traffics: Sequence[Traffic], *, stall: float) -> Wormhole:
        made = kind(network, traffics, stall=stall)
        made.takes_windows = False
        return made

    return make


def mean(found: Simulation) -> float:
    assert found.latency is not None
    return found.latency.mean


@pytest.mark.parametrize("length", [1, 4])
def test_what_is_offered_is_accepted_below_saturation(length: int) -> None:
    found = simulate(borel21(), load=0.2, cycles=2000, precision=0, seed=1, packet_length=length)
    assert found.outcome is Outcome.STABLE
    assert found.offered == pytest.approx(0.2, rel=0.1)
    assert found.accepted.mean == pytest.approx(found.offered, rel=0.02)
    low, high = found.accepted.interval or (0, 0)
    assert low < found.accepted.mean < high < 1.3 * low
    assert 0.6 * found.offered < found.accepted_least < found.accepted.mean
    assert found.packets == pytest.approx(0.2 * found.cycles * 21 / length, rel=0.1)
    assert mean(found) == found.latencies.mean
    assert (found.warm_up + found.cycles, found.precise) == (2000, True)
    assert found.warm_up <= 1000
    assert found.seconds > 0


def test_links_carry_what_the_routes_say() -> None:
    found = simulate(borel21(), load=0.2, cycles=2000, precision=0, warm_up=100, seed=2)
    assert found.link_load.shape == (21, 4)
    # Flits per terminal and cycle: each is on as many links as its route has hops.
    assert found.link_load.sum() / 21 == pytest.approx(
        found.accepted.mean * loads(borel21().routing).mean_hops, rel=0.03
    )
    assert 0 < found.link_load.min() <= found.link_load.max() <= 1


@pytest.mark.parametrize(("load", "length"), only([(0.9, 1)], [(0.6, 8), (0.9, 1)]))
def test_waiting_at_the_source_is_that_of_a_queue_with_constant_service(
    load: float, length: int
) -> None:
    # Geo/D/1 (the M/D/1 of slots): a packet comes in a cycle with probability p, its service is
    # L cycles; the mean wait is p L (L - 1) / (2 (1 - p L)). Nothing else waits in this network.
    latency = 2 * 2 + length - 1 + load * (length - 1) / (2 * (1 - load))
    inside = 0
    for seed in range(20):
        found = simulate(
            pair(), load=load, cycles=200_000, precision=0.05, seed=seed, packet_length=length
        )
        assert (found.outcome, found.precise) == (Outcome.STABLE, True)
        assert found.latency is not None
        low, high = found.latency.interval or (0, 0)
        assert high - low <= 2 * 0.05 * found.latency.mean
        inside += low - 0.01 <= latency <= high + 0.01
    assert inside >= 18


def test_accepted_is_what_came_out_by_source() -> None:
    """Everything counted again, from the flits on the links to the terminals."""
    tails: list[tuple[int, int]] = []

    class Seeing(Wormhole):
        def run(self, cycles: int, *, until_delivered: bool = False) -> None:
            for now in range(self.runs[0].now, self.runs[0].now + cycles):
                place, flits = arriving(self)
                out = (place % self.config.ports == self.config.local) & flits["tail"]
                tails.extend((now, tag) for tag in flits["tag"][out].tolist())
                super().run(1, until_delivered=until_delivered)

    found = simulate(
        borel21(), load=0.95, cycles=400, precision=0, warm_up=150, seed=4, packet_length=3,
        make=of(Seeing),
    )  # fmt: skip
    traffic = Traffic(borel21(), 0.95, 550, seed=4, lengths=(3, 3))
    served = [0] * 21
    for cycle, packet in tails:
        served[traffic.source[packet]] += 3 * (150 <= cycle < 550)
    assert found.accepted.mean == pytest.approx(sum(served) / 21 / 400)
    assert found.accepted_least == pytest.approx(min(served) / 400)
    made = (traffic.time >= 150) & (traffic.time < 550)
    assert found.offered == pytest.approx(made.sum() * 3 / 21 / 400)
    latency = [c - traffic.time[packet] for c, packet in tails if 150 <= c < 550]
    assert found.packets == len(latency)
    assert found.latencies.counts.tolist() == [np.bincount(latency).tolist()]


# Outcomes.


@pytest.mark.parametrize(("load", "outcome"), [(0.9, "stable"), (1.0, "not stable")])
@pytest.mark.parametrize("length", [1, 4])
def test_a_link_that_is_a_queue_is_stable_below_its_capacity(
    load: float, outcome: str, length: int
) -> None:
    # Three nodes in a line, uniform: the links carry 1/2 + 1/2 of the load; a terminal the load.
    network = built({"family": "grid", "sizes": [2]}, "dimension-order")
    stall = 0.05  # a terminal takes 0.95 flits a cycle
    found = simulate(network, load=load, seed=3, packet_length=length, stall=stall)
    assert found.outcome.value == outcome


def test_a_run_that_is_too_short_says_so_and_has_no_interval() -> None:
    found = simulate(borel21(), load=0.2, cycles=5, seed=1)
    assert (found.outcome, found.precise) == (Outcome.UNDECIDED, False)
    near = simulate(borel21(), load=0.7, cycles=60, seed=1)
    assert near.outcome is Outcome.UNDECIDED
    assert near.latency is not None
    assert near.latency.interval is None


@pytest.mark.parametrize("seed", range(4))
def test_the_time_in_which_an_empty_network_fills_is_not_measured(seed: int) -> None:
    # A line of n nodes: (n + 1) / 3 hops in the mean, and 2 cycles in each router. Until a packet
    # has been under way for as long, the packets in flight become more.
    line = built({"family": "grid", "sizes": [200]}, "dimension-order")
    found = simulate(line, load=0.002, cycles=3000, precision=0, seed=seed)
    assert 2 * (201 / 3 + 1) <= found.warm_up <= 1500
    assert found.warm_up + found.cycles == 3000


def test_network_without_its_proof_deadlocks() -> None:
    forged = dataclasses.replace(borel21(), virtual_channels=1)
    found = simulate(forged, load=1, cycles=12_000, precision=0, seed=1, packet_length=20)
    assert (found.outcome, found.latency) == (Outcome.DEADLOCKED, None)
    sound = simulate(borel21(), load=1, seed=1, packet_length=20)
    assert sound.outcome is Outcome.UNSTABLE


class Stuck(Wormhole):
    """A network in which nothing moves from cycle 390 on."""

    def run(self, cycles: int, *, until_delivered: bool = False) -> None:
        moving = min(cycles, max(0, 390 - self.runs[0].now))
        super().run(moving, until_delivered=until_delivered)
        self.arrays.clock["now"] += cycles - moving


def test_deadlock_at_the_end_of_the_measurement_is_one() -> None:
    """It comes late, and the simulation does not stop before it is certain."""
    found = simulate(borel21(), load=0.2, cycles=200, warm_up=200, seed=1, make=of(Stuck))
    assert (found.outcome, found.cycles) == (Outcome.DEADLOCKED, 200)


# How long it runs.


def test_it_runs_until_it_is_as_precise_as_was_asked() -> None:
    lengths = []
    for precision in (0.05, 0.01, 0.005):
        found = simulate(borel21(), load=0.5, precision=precision, seed=1)
        assert found.latency is not None
        assert found.latency.within(precision)
        assert found.precise
        lengths.append(found.warm_up + found.cycles)
    assert lengths == sorted(lengths)
    assert 4096 <= lengths[0] < lengths[-1] <= 20_000
    short = simulate(borel21(), load=0.6, cycles=2000, precision=0.0001, seed=1)
    assert (short.precise, short.warm_up + short.cycles) == (False, 2000)


def test_a_run_that_goes_on_is_the_same_run() -> None:
    """Its packets do not depend on the precision: what is measured at first is measured again."""
    long, longer = (
        simulate(borel21(), load=0.6, cycles=cycles, warm_up=0, precision=0, seed=1)
        for cycles in (1500, 3000)
    )
    first = (c.sum() for c in (long.latencies.counts, longer.latencies.counts))
    assert len({*first}) == 2
    again = simulate(borel21(), load=0.6, cycles=3000, warm_up=0, precision=1e-9, seed=1)
    assert again.latencies.counts.tolist() == longer.latencies.counts.tolist()


@pytest.mark.parametrize("arrivals", ["bernoulli", "on-off:alpha=0.1,beta=0.1"])
def test_packets_that_are_made_at_once_are_made_for_a_longer_run(arrivals: str) -> None:
    found = simulate(borel21(), load=0.3, cycles=12_000, precision=1e-6, seed=1, arrivals=arrivals)
    assert found.warm_up + found.cycles == 12_000
    assert found.offered == pytest.approx(0.3, rel=0.05)  # to the end


def test_a_trace_is_measured_to_its_end(tmp_path: Path) -> None:
    file = tmp_path / "trace.csv"
    rows = [(0, 0, 1), (3, 1, 0), (700, 0, 1), (701, 0, 1)]
    file.write_text("cycle,source,destination\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows))
    found = simulate(pair(), load=None, pattern=f"trace:file={file},flits=2")
    assert (found.outcome, found.packets, found.warm_up) == (Outcome.COMPLETE, 4, 0)
    # 4 cycles for two routers, one for the second flit; the last packet waits for one of another.
    assert found.latency is not None
    assert found.latency.mean == pytest.approx((5 + 5 + 5 + 6) / 4)
    assert found.latency.interval is None
    assert 701 + 6 <= found.cycles <= 701 + 6 + 64


def test_nothing_made_leaves_no_latency() -> None:
    found = simulate(borel21(), load=0.000001, cycles=10, warm_up=2, seed=0)
    assert found.packets == 0
    assert found.latency is None
    assert found.accepted.mean == 0
    long = simulate(borel21(), load=0.000001, cycles=2000, seed=0)
    assert (long.packets, long.outcome, long.precise) == (0, Outcome.STABLE, False)


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
    defaults: Any = Windows.__init__.__defaults__
    assert defaults[-1] == 1 << 17
    monkeypatch.setattr(Windows.__init__, "__defaults__", (*defaults[:-1], 200))


@pytest.mark.usefixtures("small_windows")
@pytest.mark.parametrize(
    ("load", "options"),
    [(0.3, {"stall": 0.2}), (0.95, {"packet_length": (1, 5)}), (0.3, {"warm_up": 20})],
)
def test_windows_find_what_is_found_with_all_packets_at_once(
    load: float, options: dict[str, Any]
) -> None:
    def result(**made: Any) -> tuple[object, ...]:
        found = simulate(borel21(), load=load, cycles=1500, seed=1, flows=True, **options, **made)
        assert found.latencies.flows is not None
        return (
            *(found.outcome, found.offered, found.accepted, found.accepted_least, found.packets),
            *(found.warm_up, found.cycles, found.latency, found.link_load.tolist()),
            *(found.latencies.counts.tolist(), found.latencies.flows.tolist()),
        )

    assert result() == result(make=of(Wormhole))


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


LAUNCH = {
    "borel-21": 2,  # two-phase by table
    "borel-21-shortest": 1,  # vertex-transitive, path hop
    "borel-21-adaptive": 1,
    "metacyclic-84": 2,  # two-phase by table
    "petersen-up-down": 0,
    "kyklos-2-2-4": 2,
    "rotator-4": 0,
    "scc-4": 0,
    "star-4": 0,
    "super-rotator-13": 2,
    "torus-8x8": 0,
}
"""Cycles that making a header takes, by docs/explanation/router.md and docs/howto/integrate.md."""


def journey(network: Network, source: int, goal: int, flits: int) -> tuple[int, int, int]:
    """Send one packet; return its latency, the links it took, and where it came out."""
    destination = np.full(network.topology.nodes, -1)
    destination[source] = goal
    alone = endless(network, destination, length=flits, cycles=0)
    model = engine(network, [Traffic(network, None, 1, pattern=alone)])
    model.run(1000, until_delivered=True)
    run = model.runs[0]
    assert run.faults == []
    assert run.delivered.min() > 0
    hops = run.sent[:, : network.topology.local].sum() // flits
    return int(run.delivered[0]), int(hops), int(run.received.argmax())


def check_latencies(network: Network, hop: int, generate_header: int, flits: int) -> None:
    """Compare the latency of some packets with the formula."""
    rng = np.random.default_rng(3)
    for source, goal in rng.choice(network.topology.terminals, (12, 2)).tolist():
        latency, hops, at = journey(network, source, goal, flits)
        assert at == goal
        if not network.routing.selection:
            assert hops == walk(network.routing, np.array(source), np.array([goal])).hops[0]
        # A flit is on the link, is granted and crosses, perhaps in the next cycle: two cycles or
        # three in each router, of which there is one more than there are links.
        expected = generate_header + hop * (hops + 1) + flits - 1
        assert latency == expected == network.least_latency(hops, flits)
        assert zero_load(network, hops, flits=flits) == expected


@pytest.mark.parametrize("name", only([*LAUNCH][:3] + [*LAUNCH][4:], LAUNCH))
@pytest.mark.parametrize(("hop", "flits"), [(2, 1), (2, 4), (3, 4)])
def test_latency_of_one_packet_to_the_cycle(name: str, hop: int, flits: int) -> None:
    network = read(NETWORKS / f"{name}.yaml").with_router(hop_cycles=hop).network()
    check_latencies(network, hop, LAUNCH[name], flits)


def test_registers_on_links_cost_a_cycle_each() -> None:
    at = [[0, 0], [3, 1], [5, 5], [0, 4], [9, 2], [2, 2], [1, 7], [6, 6], [8, 1], [4, 0]]
    link = {"kind": "flit", "cycles": "auto", "reach": 2}
    network = built(PETERSEN, link=link, positions={"kind": "given", "at": at})
    terminals = np.arange(1, 10)
    routes = walk(network.routing, np.zeros_like(terminals), terminals)
    expected = []
    for goal, nodes, count in zip(terminals.tolist(), routes.nodes, routes.hops, strict=True):
        latency, hops, _ = journey(network, 0, goal, 3)
        tiles = [
            sum(abs(a - b) for a, b in zip(at[one], at[other], strict=True))
            for one, other in pairwise(nodes[: count + 1].tolist())
        ]
        registers = sum(ceil(length / 2) - 1 for length in tiles)
        expected.append(registers)
        assert latency == zero_load(network, hops, flits=3, registers=registers)
        assert latency == 2 * (hops + 1) + 2 + registers
    assert network.registers_on(routes).tolist() == expected
    found, pairs = loads(network.routing), [(a, b) for a in range(10) for b in range(10) if a != b]
    every = network.registers_on(walk(network.routing, *np.array(pairs).T))
    assert network.wire_cycles(found.load) == pytest.approx(every.mean())


@pytest.mark.parametrize("hop", [2, 3])
def test_register_behind_the_routing_unit_costs_a_cycle_in_each_router(hop: int) -> None:
    network = built(PETERSEN, hop_cycles=hop, routing_register=True)
    for goal in range(1, 10):
        latency, hops, at = journey(network, 0, goal, 2)
        assert (latency, at) == ((hop + 1) * (hops + 1) + 1, goal)
        assert zero_load(network, hops, flits=2) == latency


def test_links_that_vary_have_no_formula() -> None:
    network = load("borel-21-os-link")
    assert re.search("serial", network.link.jitter_reason)
    assert zero_load(network, 2) is None

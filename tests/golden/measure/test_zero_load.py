"""Latency of packets that meet no others, by a formula that is written down here anew."""

import dataclasses
import re

import numpy as np
import pytest

from fingerpost.golden.analysis.loads import loads
from fingerpost.golden.flit import Flits
from fingerpost.golden.measure import simulate
from fingerpost.golden.measure.latency import zero_load
from fingerpost.golden.model import Model
from fingerpost.golden.network.network import Network
from fingerpost.golden.routing.walk import walk
from tests.golden.model.networks import packet
from tests.networks import load
from tests.quick import only

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

NOTHING = np.empty(0, np.int64)


def journey(
    model: Model, network: Network, source: int, goal: int, flits: int
) -> tuple[int, int, int]:
    """Send one packet; return its latency, the links it took, and where it came out."""
    coming = packet(network, source, goal, flits)
    hops = 0
    back = NOTHING
    for now in range(1000):
        node = model.ejected.port_index // model.ports
        hops += int(model.link.head.sum())
        if model.ejected.tail.any():
            model.step(Flits.empty(), node)
            for _ in range(30):  # credits come home
                model.step(Flits.empty(), NOTHING)
            return now, hops, int(node[0])
        back = node
        model.step(coming[now] if now < flits else Flits.empty(), back)
    raise AssertionError(f"no packet from {source} to {goal}")


def check_latencies(network: Network, generate_header: int, flits: int) -> None:
    """Compare the latency of some packets with the formula."""
    model = Model(network)
    rng = np.random.default_rng(3)
    for source, goal in rng.choice(network.topology.terminals, (12, 2)).tolist():
        latency, hops, at = journey(model, network, source, goal, flits)
        assert at == goal
        if not network.routing.selection:
            assert hops == walk(network.routing, np.array(source), np.array([goal])).hops[0]
        # A flit is on the link, then granted, then crosses: three cycles in each router, of which
        # there is one more than there are links.
        expected = generate_header + 3 * (hops + 1) + flits - 1
        assert latency == expected == network.least_latency(hops, flits)
        assert zero_load(network, hops, flits=flits) == expected


@pytest.mark.parametrize("name", only([*LAUNCH][:3] + [*LAUNCH][4:], LAUNCH))
@pytest.mark.parametrize("flits", [1, 4])
def test_latency_of_one_packet_to_the_cycle(name: str, flits: int) -> None:
    check_latencies(load(name), LAUNCH[name], flits)


def test_register_behind_the_routing_unit_costs_a_cycle_in_each_router() -> None:
    network = dataclasses.replace(load("petersen"), routing_register=True, hop_cycles=4)
    model = Model(network)
    for goal in range(1, 10):
        latency, hops, at = journey(model, network, 0, goal, 2)
        assert (latency, at) == (4 * (hops + 1) + 1, goal)
        assert zero_load(network, hops, flits=2) == latency


def test_mean_over_all_pairs_is_that_of_the_hops_of_loads() -> None:
    network = load("petersen-up-down")
    model = Model(network)
    total = 0
    for source in range(10):
        for goal in range(10):
            total += 0 if source == goal else journey(model, network, source, goal, 1)[0]
    assert zero_load(network, loads(network.routing).mean_hops) == pytest.approx(total / 90)


def test_nearly_idle_network_comes_near_to_it() -> None:
    network = load("borel-21")
    found = simulate(network, load=0.008, cycles=4000, warm_up=0).latencies.mean
    assert found is not None
    least = zero_load(network, loads(network.routing).mean_hops)
    assert found == pytest.approx(least, rel=0.03)


def test_links_that_vary_have_no_formula() -> None:
    network = load("borel-21-os-link")
    assert re.search("serial", network.link.jitter_reason)
    assert zero_load(network, 2) is None

"""Every packet arrives within the bound, and each part of the bound is needed."""

from typing import Any

import numpy as np
import pytest

from fingerpost.golden.engine import engine
from fingerpost.golden.engine.wormhole import Wormhole
from fingerpost.golden.network.network import Network
from fingerpost.golden.router.state import of_run
from fingerpost.golden.traffic import Traffic
from tests.golden.model.networks import built
from tests.golden.service.delivery import Delivery
from tests.golden.service.endless import endless, hot_spot
from tests.networks import PETERSEN

TOPOLOGIES: dict[str, tuple[dict[str, Any], str]] = {
    "petersen": (PETERSEN, "table"),
    "torus-3x3": ({"family": "grid", "sizes": [3, 3], "wrap": True}, "dimension-order"),
    "star-3": ({"family": "star", "n": 3}, "greedy"),
}


def network(name: str, **router: Any) -> Network:
    topology, algorithm = TOPOLOGIES[name]
    return built(topology, algorithm, **router)


DEAF = 1 << 20
"""A terminal whose backlog is less by so much returns no credit."""


def longest_wait(network: Network, traffic: Traffic, cycles: int, *, pause: int = 1) -> int:
    """Run a network; return for how long no packet of some source came out.

    Each terminal returns a credit so many cycles after the one before, at the earliest.
    """
    model = engine(network, [traffic])
    assert isinstance(model, Wormhole)
    run, state = model.runs[0], of_run(model.arrays, 0)
    backlog, received = state.terminals.backlog, state.flits
    waited = np.zeros_like(backlog)
    for _ in range(cycles if pause > 1 else 0):
        waited += 1
        owed = backlog - received
        backlog[waited < pause] -= DEAF
        model.run(1)
        backlog[waited < pause] += DEAF
        waited[backlog - received < owed] = 0
    model.run(cycles - run.now)
    waits = []
    for each in np.unique(traffic.source).tolist():
        times = np.sort(run.delivered[(traffic.source == each) & (run.delivered >= 0)])
        waits.append(np.diff(times, append=cycles).max() if len(times) else cycles)
    return int(max(waits))


@pytest.mark.parametrize("name", TOPOLOGIES)
@pytest.mark.parametrize("length", [1, 3])
def test_packets_arrive_within_the_bound(name: str, length: int) -> None:
    some = network(name, buffer_depth=2)
    bound = Delivery(some, longest=length, stall=1).cycles
    spot = endless(some, hot_spot(some, 0), length=length, cycles=400)
    hot, spread = Traffic(some, None, 1, pattern=spot), Traffic(some, 1.0, 400, lengths=length)
    longest = max(longest_wait(some, each, 400) for each in (hot, spread))
    # While a packet waits for the one before, that one is behind its own bound.
    assert 0 < longest <= 2 * bound


def test_slow_terminals_need_more_than_a_bound_for_fast_ones() -> None:
    """With one source there is nothing to wait for but the terminal."""
    some = network("star-3", buffer_depth=1)
    destination = np.full(some.topology.nodes, -1)
    destination[0] = int(some.topology.neighbour[0, 0])
    pause = 4 * Delivery(some, stall=1).flit_cycles
    pattern = endless(some, destination, length=1, cycles=6 * pause)
    traffic = Traffic(some, None, 1, pattern=pattern)
    longest = longest_wait(some, traffic, 6 * pause, pause=pause)
    assert pause <= longest <= 2 * Delivery(some, stall=pause).cycles


def test_the_bound_grows_with_all_that_it_depends_on() -> None:
    bound = Delivery(network("petersen"), longest=2, stall=4, gap=2).cycles
    for more in ({"longest": 3}, {"stall": 5}, {"gap": 3}):
        other = {"longest": 2, "stall": 4, "gap": 2} | more
        assert Delivery(network("petersen"), **other).cycles > bound
    assert (
        Delivery(network("petersen", virtual_channels=4), longest=2, stall=4, gap=2).cycles > bound
    )


def test_refuses_what_has_no_bound() -> None:
    with pytest.raises(ValueError, match="turn_bypass_limit"):
        Delivery(network("torus-3x3", bypass_limit=1, turn_bypass_limit=2))
    with pytest.raises(ValueError, match="service: bounded"):
        Delivery(network("petersen", service="local"))

"""Every packet arrives within the bound, and each part of the bound is needed."""

from typing import Any

import numpy as np
import pytest

from fingerpost.golden.flit import Flits
from fingerpost.golden.network.network import Network
from fingerpost.golden.service.delivery import Delivery
from fingerpost.golden.service.flows import Flows, hot_spot, uniform
from tests.golden.model.networks import built
from tests.networks import PETERSEN

TOPOLOGIES: dict[str, tuple[dict[str, Any], str]] = {
    "petersen": (PETERSEN, "table"),
    "torus-3x3": ({"family": "grid", "sizes": [3, 3], "wrap": True}, "dimension-order"),
    "star-3": ({"family": "star", "n": 3}, "greedy"),
}


def network(name: str, **router: Any) -> Network:
    topology, algorithm = TOPOLOGIES[name]
    return built(topology, algorithm, **router)


class Slow(Flows):
    """Terminals that give a credit back `stall` cycles after the one before, at most."""

    stall = 1

    def _receive(self, flits: Flits) -> None:
        super()._receive(flits)
        self.waiting = getattr(self, "waiting", np.zeros_like(self.backlog)) + 1

    def exchange(self, credited: Any, out: Flits) -> tuple[Flits, Any]:
        injected, back = super().exchange(credited, out)
        node = back // self.network.classes
        early = self.waiting[node] < self.stall
        self.backlog[node[early]] += 1
        self.waiting[node[~early]] = 0
        return injected, back[~early]


@pytest.mark.parametrize("name", TOPOLOGIES)
@pytest.mark.parametrize("length", [1, 3])
def test_packets_arrive_within_the_bound(name: str, length: int) -> None:
    some = network(name, buffer_depth=2)
    bound = Delivery(some, longest=length, stall=1).cycles
    longest = 0
    for destination in (hot_spot(some, 0), uniform(some)):
        flows = Flows(some, destination, length=length)
        flows.run(400)
        flows.finish()
        longest = max(longest, int(flows.gap.max()))
    # While a packet waits for the one before, that one is behind its own bound.
    assert 0 < longest <= 2 * bound


def test_slow_terminals_need_more_than_a_bound_for_fast_ones() -> None:
    """With one source there is nothing to wait for but the terminal."""
    some = network("star-3", buffer_depth=1)
    destination = np.full(some.topology.nodes, -1)
    destination[0] = int(some.topology.neighbour[0, 0])
    flows = Slow(some, destination)
    flows.stall = stall = 4 * Delivery(some, stall=1).flit_cycles
    flows.run(6 * stall)
    flows.finish()
    assert int(flows.gap.max()) >= stall
    assert int(flows.gap.max()) <= 2 * Delivery(some, stall=stall).cycles


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

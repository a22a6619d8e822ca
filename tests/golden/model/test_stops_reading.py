"""Terminals that stop reading hold up what routes through them, and nothing else."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.model import CreditTerminalModel, Model, Traffic, cycle
from fingerpost.golden.routing.walk import walk
from tests.golden.model.networks import borel21, drain, is_empty


class Deaf(CreditTerminalModel):
    """Terminals of which one reads nothing."""

    deaf = -1

    def give_back(self) -> IntArray:
        back = super().give_back()
        self.backlog[back[back == self.deaf]] += 1
        return back[back != self.deaf]


@pytest.mark.regress
def test_terminal_that_stops_reading_holds_up_only_what_routes_through_it() -> None:
    network = borel21()
    topology = network.topology
    n, deaf, sender = topology.nodes, 8, 3
    everyone = np.arange(n)
    pairs = np.repeat(everyone, n), np.tile(everyone, n)
    routes = walk(network.routing, *pairs)
    used = [
        {(int(v), int(p)) for v, p in zip(nodes, ports, strict=False) if p >= 0}
        for nodes, ports in zip(routes.nodes, routes.ports, strict=True)
    ]
    blocked = used[sender * n + deaf]
    free = {
        s: [d for d in range(n) if d not in (s, deaf) and not used[s * n + d] & blocked]
        for s in range(n)
    }
    traffic = Traffic(network, 0.15, 300, seed=1, lengths=(1, 4))
    rng = np.random.default_rng(1)
    for number, source in enumerate(traffic.source.tolist()):
        goal = deaf if source == sender else int(rng.choice(free[source]))
        traffic.destination[number] = goal
    model, terminals = Model(network), Deaf(traffic)
    terminals.deaf = deaf
    for now in range(1500):
        cycle(model, terminals, now)
    others = traffic.source != sender
    assert (terminals.delivered[others] >= 0).all()
    assert terminals.backlog[deaf] == network.buffer_depth
    assert (terminals.delivered[~others] < 0).any()
    terminals.deaf = -1
    for now in range(1500, 3000):
        cycle(model, terminals, now)
    assert terminals.empty
    assert is_empty(model)


@pytest.mark.regress
@settings(max_examples=10)
@given(st.integers(0, 20), st.integers(0, 100))
def test_network_goes_on_when_a_terminal_reads_again(deaf: int, seed: int) -> None:
    traffic = Traffic(borel21(), 0.3, 300, seed=seed, lengths=(1, 4))
    model, terminals = Model(borel21()), Deaf(traffic)
    terminals.deaf = deaf
    for now in range(600):
        cycle(model, terminals, now)
    assert terminals.backlog[deaf] <= model.network.buffer_depth
    terminals.deaf = -1
    drain(model, terminals, 600)
    assert terminals.all_delivered
    assert terminals.faults == []

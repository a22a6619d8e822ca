"""Terminals that stop reading hold up what routes through them, and nothing else."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fingerpost.golden.model import Traffic
from fingerpost.golden.routing.walk import walk
from tests.golden.model.networks import borel21, drain, is_empty, start


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
    model, terminals = start(traffic)
    held = np.array([deaf])

    def one(now: int, *, reads: bool) -> None:
        terminals.credit(model.injection_credit)
        injected = terminals.send(now)
        terminals.receive(model.ejected, now)
        back = terminals.give_back()
        if not reads:
            terminals.backlog[np.intersect1d(back, held)] += 1
            back = np.setdiff1d(back, held)
        model.step(injected, back)

    for now in range(1500):
        one(now, reads=False)
    others = traffic.source != sender
    assert (terminals.delivered[others] >= 0).all()
    assert terminals.backlog[deaf] == network.buffer_depth
    assert (terminals.delivered[~others] < 0).any()
    for now in range(1500, 3000):
        one(now, reads=True)
    assert terminals.empty
    assert is_empty(model)


@pytest.mark.regress
@settings(max_examples=10)
@given(st.integers(0, 20), st.integers(0, 100))
def test_network_goes_on_when_a_terminal_reads_again(deaf: int, seed: int) -> None:
    traffic = Traffic(borel21(), 0.3, 300, seed=seed, lengths=(1, 4))
    model, terminals = start(traffic)
    for now in range(600):
        terminals.credit(model.injection_credit)
        injected = terminals.send(now)
        terminals.receive(model.ejected, now)
        back = terminals.give_back()
        terminals.backlog[back[back == deaf]] += 1
        model.step(injected, back[back != deaf])
    assert terminals.backlog[deaf] <= model.network.buffer_depth
    drain(model, terminals, 600)
    assert terminals.all_delivered
    assert terminals.faults == []

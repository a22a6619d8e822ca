"""Message classes, and terminals that stop reading: what routes through them waits, no other."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.engine import Engine, Run, engine
from fingerpost.golden.engine.wormhole import Wormhole
from fingerpost.golden.network.network import Network, build
from fingerpost.golden.router.records import NEVER
from fingerpost.golden.router.state import of_run
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.traffic import Traffic
from tests.golden.model.networks import BOREL, arriving, borel21, built
from tests.golden.model.test_model import Sent
from tests.quick import only

CASES: dict[str, tuple[dict[str, Any], str, dict[str, Any]]] = {
    "one channel": ({"family": "grid", "sizes": [2, 3]}, "dimension-order", {"classes": 2}),
    "rings": ({"family": "grid", "sizes": [5, 3], "wrap": True}, "dimension-order", {"classes": 3}),
    "increments": (BOREL, "two-phase", {"classes": 2}),
    "lanes": (BOREL, "two-phase", {"classes": 2, "virtual_channels": 5}),
    "shallow": (BOREL, "vertex-transitive", {"classes": 4, "buffer_depth": 1}),
    "free links": (BOREL, "adaptive", {"classes": 2, "bypass_limit": 2}),
    "chance": ({"family": "star", "n": 4}, "random", {"classes": 2, "routing_register": True}),
    "leaves": ({"family": "kyklos", "m": 2, "r": 2, "n": 4}, "m", {"classes": 2}),
}


DEAF = 1 << 20
"""A channel of a terminal whose backlog is less by so much returns no credit."""


def network(case: str) -> Network:
    topology, algorithm, router = CASES[case]
    return built(topology, algorithm, **router)


def deafen(model: Engine, channels: IntArray, *, deaf: bool = True) -> None:
    """Let some channels of terminals return no credit; or let them return credits again."""
    assert isinstance(model, Wormhole)
    of_run(model.arrays, 0).terminals.backlog[channels] -= DEAF if deaf else -DEAF


def run(network: Network, *, deaf: bool = False) -> tuple[Traffic, Run]:
    """Run traffic of all classes, each on its channels; return it, and what became of it.

    Terminals that are `deaf` take class 0 until their buffers are full, and then no more of it.
    """
    traffic = Traffic(network, 0.5, 300, seed=1, lengths=(1, 4))
    model = engine(network, [traffic], stall=0.1)
    assert isinstance(model, Wormhole)
    channels = network.topology.nodes * network.classes
    deafen(model, np.arange(0, channels if deaf else 0, network.classes))
    for _ in range(2000):
        model.run(1)
        place, flits = arriving(model)
        flits = flits[place % model.config.ports < model.config.local]
        of_channel = flits["channel"] // network.channels_per_class
        assert (of_channel == traffic.message_class[flits["tag"]]).all()
    assert model.runs[0].faults == []
    return traffic, model.runs[0]


@pytest.mark.parametrize("case", only(["rings", "lanes", "leaves"], CASES))
def test_a_class_that_is_not_taken_stops_no_other(case: str) -> None:
    traffic, ends = run(network(case), deaf=True)
    others = traffic.message_class > 0
    assert (ends.delivered[others] >= 0).all()
    assert (ends.delivered[~others] < 0).any()


@pytest.mark.regress
def test_a_stream_that_is_not_taken_stops_no_other() -> None:
    net = build({**network("one channel").description, "terminal": {"kind": "axi-stream"}})
    traffic = Traffic(net, 0.5, 300, lengths=(1, 4))
    model = engine(net, [traffic], stall=0.1)
    assert isinstance(model, Wormhole)
    users = of_run(model.arrays, 0).terminals.user
    users["reads_until"][::2], users["reads_again"][::2] = 0, NEVER
    model.run(1500)
    others, ends = traffic.message_class > 0, model.runs[0]
    assert (ends.delivered[others] >= 0).all()
    assert (ends.delivered[~others] < 0).all()
    assert ends.faults == []


@pytest.mark.regress
@pytest.mark.parametrize("case", CASES)
def test_channels_of_different_classes_never_mix(case: str) -> None:
    net = network(case)
    traffic, ends = run(net)
    assert ends.empty
    assert set(traffic.message_class.tolist()) == set(range(net.classes))


def test_shares_of_classes_are_those_that_are_asked_for() -> None:
    net = network("rings")
    traffic = Traffic(net, 0.5, 4000, classes=(3, 0, 1))
    found = np.bincount(traffic.message_class, minlength=3) / len(traffic.source)
    assert found == pytest.approx([0.75, 0, 0.25], abs=0.02)
    assert (np.diff(traffic.terminal_channel) >= 0).all()


@pytest.mark.parametrize("shares", [(1.0,), (1, -1, 1), (0, 0, 0)])
def test_refuses_other_shares(shares: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match=r"^Traffic needs a share for each message class"):
        Traffic(network("rings"), 0.5, 10, classes=shares)


def test_channels_and_proof_are_those_of_one_class() -> None:
    one, two = (built(BOREL, "two-phase", classes=n) for n in (1, 2))
    assert (one.virtual_channels, two.virtual_channels, two.channels_per_class) == (2, 4, 2)
    assert two.lanes.next_vc.tolist() == [1, 1, 3, 3]
    assert one.in_order
    assert two.in_order
    assert two.assumption.endswith("of class c without waiting to send packets of a class <= c")
    assert one.assumption.endswith("takes arriving packets without waiting to send")


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
    model = engine(network, [traffic])
    terminal = np.array([deaf])
    deafen(model, terminal)
    model.run(1500)
    run, others = model.runs[0], traffic.source != sender
    assert (run.delivered[others] >= 0).all()
    assert (run.delivered[~others] < 0).any()
    deafen(model, terminal, deaf=False)
    assert model.arrays.terminals.backlog[0, deaf] == network.buffer_depth
    model.run(1500)
    assert run.empty
    assert not run.flits


@pytest.mark.regress
@settings(max_examples=10)
@given(st.integers(0, 20), st.integers(0, 100))
def test_network_goes_on_when_a_terminal_reads_again(deaf: int, seed: int) -> None:
    sent = Sent(Traffic(borel21(), 0.3, 300, seed=seed, lengths=(1, 4)))
    deafen(sent.model, np.array([deaf]))
    sent.model.run(600)
    deafen(sent.model, np.array([deaf]), deaf=False)
    assert sent.state.terminals.backlog[deaf] <= sent.network.buffer_depth
    sent.drain()
    assert sent.run.all_delivered
    assert sent.run.faults == []

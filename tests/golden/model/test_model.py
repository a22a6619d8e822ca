"""What networks let through: packets whole and once, streams, classes, deaf terminals."""

from collections import Counter, defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.engine import Engine, engine
from fingerpost.golden.engine.wormhole import Wormhole
from fingerpost.golden.network.network import Network
from fingerpost.golden.router.records import LATE
from fingerpost.golden.router.state import of_run
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.traffic import NO_HEAD, Traffic
from tests.golden.graphs import vc_class
from tests.networks import BOREL, arriving, borel21, built, only

traffics = st.builds(
    Traffic,
    st.sampled_from([1, 2, 3, 4, 7]).map(borel21),
    st.floats(0.02, 0.9),
    st.integers(1, 120),
    seed=st.integers(0, 1000),
    lengths=st.sampled_from([(1, 1), (1, 5), (4, 4), (3, 9)]),
)
stalls = st.sampled_from([0, 0.3, 0.9])


class Sent:
    """A traffic in the model, with what is where between two cycles."""

    def __init__(self, traffic: Traffic, stall: float = 0.0) -> None:
        assert isinstance(traffic.network, Network)
        self.network, self.traffic = traffic.network, traffic
        model = engine(traffic.network, [traffic], stall=stall)
        assert isinstance(model, Wormhole)
        self.model = model
        self.run, self.config = self.model.runs[0], self.model.config
        self.state = of_run(self.model.arrays, 0)

    def drain(self, most: int = 20_000) -> None:
        """Run until no flit and no credit is anywhere."""
        while not (self.run.empty and self.is_empty()):
            assert self.run.now < most
            self.model.run(20)

    def is_empty(self) -> bool:
        lines = self.state.in_flight
        masks = [lines.arriving, lines.credits, lines.terminal_credits, lines.injection["valid"]]
        return not (self.run.flits or any(mask.any() for mask in masks))

    def assert_at_rest(self) -> None:
        """All credits are back, no channel is in use, no terminal sent without a credit."""
        assert (self.state.routers.credits == self.network.buffer_depth).all()
        assert not self.state.routers.router["busy"].any()
        assert not self.run.overruns.any()

    @property
    def in_packet(self) -> bool:
        """Return whether a packet has come in without its tail."""
        return bool(self.state.routers.vc_buffer["in_packet"].any())


@settings(max_examples=25)
@given(traffics, stalls)
def test_every_packet_is_delivered_and_every_credit_comes_back(
    traffic: Traffic, stall: float
) -> None:
    sent = Sent(traffic, stall)
    seen: dict[int, list[tuple[int, bool, bool]]] = defaultdict(list)
    while not (sent.run.empty and sent.is_empty()):
        for place, flit in zip(*arriving(sent.model), strict=True):
            node, port = divmod(int(place), sent.config.ports)
            if port == sent.config.local:
                seen[int(flit["tag"])].append((node, bool(flit["head"]), bool(flit["tail"])))
        sent.model.run(1)
        assert sent.run.now < 20_000
    assert sorted(seen) == list(range(len(traffic.source)))
    for tag, flits in seen.items():
        length = int(traffic.length[tag])
        node = int(traffic.destination[tag])
        assert flits == [(node, i == 0, i == length - 1) for i in range(length)]
    assert sent.run.faults == []
    assert (sent.run.delivered > traffic.time).all()
    assert sent.run.received.sum() == traffic.length.sum()
    sent.assert_at_rest()
    assert not sent.in_packet
    assert not sent.run.errors.any()


# Malformed packets.


def test_error_counter_stops_at_255() -> None:
    traffic = Traffic(borel21(), 0.9, 1000, lengths=(2, 2), malformed=1)
    traffic.kind[:] = NO_HEAD
    sent = Sent(traffic)
    sent.drain()
    assert sent.run.errors.tolist() == [255] * 21
    assert sent.run.received.sum() == 0


DEAF = 1 << 20
"""A terminal, or a channel of one, whose backlog is less by so much returns no credit."""


def streams(network: Network, goal: int, length: int, packets: int) -> Wormhole:
    """Let all nodes send all that credits allow to a node, from the first cycle on."""
    traffic = Traffic(network, 0.9, packets, lengths=(length, length))
    traffic.time[:] = 0
    traffic.destination[:] = goal
    model = engine(network, [traffic])
    assert isinstance(model, Wormhole)
    model.arrays.terminals.due[0, goal] = LATE
    return model


@pytest.mark.parametrize("length", [1, 3, 1000])
@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5, 8])
def test_stream_between_neighbours(depth: int, length: int) -> None:
    # A flit that is taken is on the link in the next cycle, and is taken in the next router in the
    # second; its credit is on the link in the third, and serves from the fourth on.
    per_100 = min(100, 100 * depth // 4)
    network = borel21(depth)
    model = streams(network, int(network.topology.neighbour[0, 0]), length, 2500)
    model.arrays.terminals.due[0, 1:] = LATE
    model.run(40)
    received = model.runs[0].received.sum()
    model.run(400)
    assert model.runs[0].received.sum() - received == 4 * per_100


@pytest.mark.parametrize(
    ("depth", "length", "pause"),
    only(
        [(1, 1, 3), (4, 1, 4), (8, 4, 1), (8, 1, 4)],
        [(d, length, p) for d in (1, 4, 8) for length in (1, 2, 3, 4) for p in (1, 3, 4, 6, 7, 8)],
    ),
)
def test_a_hot_spot_is_shared_by_the_channels_that_lead_to_it(
    depth: int, length: int, pause: int
) -> None:
    """Its terminal returns a credit so many cycles after the one before, at the earliest."""
    network, goal = borel21(depth), 5
    model = streams(network, goal, length, 2000)
    run, backlog = model.runs[0], of_run(model.arrays, 0).terminals.backlog
    for now in range(2000 if pause > 1 else 0):
        backlog[goal] -= DEAF * (now % pause > 0)
        model.run(1)
        backlog[goal] += DEAF * (now % pause > 0)
    model.run(2000 - run.now)
    # Heads take turns by channels, and inputs by links: somewhere between the two.
    sources = np.delete(np.arange(network.topology.nodes), goal)
    routes = walk(network.routing, sources, np.array([goal]))
    classes = vc_class(network.topology, network.channels.vc_increments, routes)
    last = {
        source: (int(routes.nodes[row, hops - 1]), int(classes[row, hops - 1]))
        for row, (source, hops) in enumerate(zip(sources.tolist(), routes.hops, strict=True))
    }
    packets = Counter(last[s] for s in run.traffic.source[run.delivered >= 0].tolist())
    assert set(packets) == set(last.values())
    assert min(packets.values()) >= 0.8 * packets.total() / len(packets)
    assert packets.total() * length >= 400 * depth**0.5 / pause


CASES: dict[str, tuple[dict[str, Any], str, dict[str, Any]]] = {
    "one channel": ({"family": "grid", "sizes": [2, 3]}, "dimension-order", {"classes": 2}),
    "rings": ({"family": "grid", "sizes": [5, 3], "wrap": True}, "dimension-order", {"classes": 3}),
    "increments": (BOREL, "two-phase", {"classes": 2}),
    "lanes": (BOREL, "two-phase", {"classes": 2, "virtual_channels": 3}),
    "many lanes": (BOREL, "two-phase", {"classes": 2, "virtual_channels": 5}),
    "shallow": (BOREL, "vertex-transitive", {"classes": 4, "buffer_depth": 1}),
    "free links": (BOREL, "adaptive", {"classes": 2, "bypass_limit": 2}),
    "chance": ({"family": "star", "n": 4}, "random", {"classes": 2, "routing_register": True}),
    "leaves": ({"family": "kyklos", "m": 2, "r": 2, "n": 4}, "m", {"classes": 2}),
}


def of(case: str) -> Network:
    topology, algorithm, router = CASES[case]
    return built(topology, algorithm, **router)


def deafen(model: Engine, channels: IntArray, *, deaf: bool = True) -> None:
    """Let some channels of terminals return no credit; or let them return credits again."""
    assert isinstance(model, Wormhole)
    of_run(model.arrays, 0).terminals.backlog[channels] -= DEAF if deaf else -DEAF


@pytest.mark.parametrize("case", only(["rings", "lanes", "leaves"], CASES))
def test_a_class_that_is_not_taken_stops_no_other(case: str) -> None:
    """Terminals take class 0 until their buffers are full; each class is on its channels."""
    network = of(case)
    traffic = Traffic(network, 0.5, 300, seed=1, lengths=(1, 4))
    model = engine(network, [traffic], stall=0.1)
    assert isinstance(model, Wormhole)
    deafen(model, np.arange(0, network.topology.nodes * network.classes, network.classes))
    for _ in range(1000):
        model.run(1)
        place, flits = arriving(model)
        flits = flits[place % model.config.ports < model.config.local]
        of_channel = flits["channel"] // network.channels_per_class
        assert (of_channel == traffic.message_class[flits["tag"]]).all()
    ends, others = model.runs[0], traffic.message_class > 0
    assert ends.faults == []
    assert (ends.delivered[others] >= 0).all()
    assert (ends.delivered[~others] < 0).any()


def test_shares_of_classes_are_those_that_are_asked_for() -> None:
    net = of("rings")
    traffic = Traffic(net, 0.5, 4000, classes=(3, 0, 1))
    found = np.bincount(traffic.message_class, minlength=3) / len(traffic.source)
    assert found == pytest.approx([0.75, 0, 0.25], abs=0.02)
    assert (np.diff(traffic.terminal_channel) >= 0).all()


@pytest.mark.parametrize("shares", [(1.0,), (1, -1, 1), (0, 0, 0)])
def test_refuses_other_shares(shares: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match=r"^Traffic needs a share for each message class"):
        Traffic(of("rings"), 0.5, 10, classes=shares)


def test_channels_and_proof_are_those_of_one_class() -> None:
    one, two = (built(BOREL, "two-phase", classes=n) for n in (1, 2))
    assert (one.virtual_channels, two.virtual_channels, two.channels_per_class) == (2, 4, 2)
    assert two.lanes.next_vc.tolist() == [1, 1, 3, 3]
    assert one.in_order
    assert two.in_order
    assert two.assumption.endswith("of class c without waiting to send packets of a class <= c")
    assert one.assumption.endswith("takes arriving packets without waiting to send")

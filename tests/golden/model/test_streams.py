"""What a router lets through: a stream alone, and streams that share an output."""

from collections import Counter

import numpy as np
import pytest

from fingerpost.golden.engine import engine
from fingerpost.golden.engine.wormhole import Wormhole
from fingerpost.golden.network.network import Network
from fingerpost.golden.router.records import LATE
from fingerpost.golden.router.state import of_run
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.traffic import Traffic
from tests.golden.dependencies import vc_class
from tests.golden.model.networks import borel21
from tests.quick import only

DEAF = 1 << 20
"""A terminal whose backlog is less by so much returns no credit."""


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

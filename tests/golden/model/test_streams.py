"""What a router lets through: streams alone, and streams that share an output."""

from collections import Counter

import numpy as np
import pytest

from fingerpost.golden.engine import Engine, engine
from fingerpost.golden.engine.wormhole import Wormhole
from fingerpost.golden.network.network import Network
from fingerpost.golden.router.records import LATE
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.traffic import Traffic
from tests.golden.dependencies import vc_class
from tests.golden.model.networks import borel21


def streams(network: Network, goal: int, sources: list[int], length: int, packets: int) -> Engine:
    """Let some nodes send all that credits allow to a node, from the first cycle on."""
    traffic = Traffic(network, 0.9, packets, lengths=(length, length))
    traffic.time[:] = 0
    traffic.destination[:] = goal
    model = engine(network, [traffic])
    assert isinstance(model, Wormhole)
    others = np.setdiff1d(np.arange(network.topology.nodes), sources)
    model.arrays.terminals.due[0, others] = LATE
    return model


@pytest.mark.parametrize("length", [1, 3, 1000])
@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5, 8])
def test_stream_between_neighbours(depth: int, length: int) -> None:
    # A flit that is taken crosses, is on the link, and is taken in the next router in the third
    # cycle; its credit is on the link in the fourth, and serves from the fifth on.
    per_100 = min(100, 100 * depth // 5)
    network = borel21(depth)
    model = streams(network, int(network.topology.neighbour[0, 0]), [0], length, 2500)
    model.run(40)
    received = model.runs[0].received.sum()
    model.run(400)
    assert model.runs[0].received.sum() - received == 4 * per_100


@pytest.mark.parametrize("length", [1, 4])
def test_two_streams_into_one_output_share_it(length: int) -> None:
    network = borel21()
    neighbour, port = network.topology.neighbour, network.topology.arrival_port
    goal = 5
    sources = [int(neighbour[goal, 0]), int(neighbour[goal, 1])]
    assert [int(neighbour[s, port[goal, i]]) for i, s in enumerate(sources)] == [goal, goal]
    model = streams(network, goal, sources, length, 1000)
    model.run(500)
    run = model.runs[0]
    flits = Counter(run.traffic.source[run.delivered >= 0].tolist())
    assert set(flits) == set(sources)
    assert abs(flits[sources[0]] - flits[sources[1]]) <= 1
    # A channel passes from packet to packet without a pause.
    assert run.received.sum() >= 480


@pytest.mark.regress
@pytest.mark.parametrize("length", [1, 3])
def test_a_hot_spot_is_shared_by_the_channels_that_lead_to_it(length: int) -> None:
    network = borel21()
    goal = 5
    sources = np.delete(np.arange(network.topology.nodes), goal)
    model = streams(network, goal, sources.tolist(), length, 2000)
    model.run(2000)
    run = model.runs[0]
    # Heads take turns by channels, and inputs by links: somewhere between the two.
    channels = network.channels
    routes = walk(network.routing, sources, np.array([goal]))
    classes = vc_class(network.topology, channels.vc_increments, routes)
    last: dict[int, tuple[int, int]] = {}
    for row, hops in enumerate(routes.hops.tolist()):
        last[int(sources[row])] = int(routes.nodes[row, hops - 1]), int(classes[row, hops - 1])
    assert len(last) == 20
    packets = Counter(last[s] for s in run.traffic.source[run.delivered >= 0].tolist())
    assert set(packets) == set(last.values())
    assert min(packets.values()) >= 0.8 * packets.total() / len(packets)
    assert packets.total() * length >= 1000

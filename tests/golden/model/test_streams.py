"""What a router lets through: streams alone, and streams that share an output."""

from collections import Counter

import numpy as np
import pytest

from fingerpost.golden.deadlock.channels import vc_class
from fingerpost.golden.model import CreditTerminalModel, Model, Traffic, cycle
from fingerpost.golden.network.network import Network
from fingerpost.golden.routing.walk import walk
from tests.golden.model.networks import borel21, start


def streams(
    network: Network, goal: int, sources: list[int], length: int, packets: int
) -> tuple[Traffic, Model, CreditTerminalModel]:
    """Let some nodes send all that credits allow to a node, from the first cycle on."""
    traffic = Traffic(network, 0.9, packets, lengths=(length, length))
    traffic.time[:] = 0
    traffic.destination[:] = goal
    model, terminals = start(traffic)
    others = np.setdiff1d(np.arange(network.topology.nodes), sources)
    terminals.end[others] = terminals.packet[others]
    return traffic, model, terminals


@pytest.mark.parametrize("length", [1, 3, 1000])
@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5, 8])
def test_stream_between_neighbours(depth: int, length: int) -> None:
    # A flit that is taken crosses, is on the link, and is taken in the next router in the third
    # cycle; its credit is on the link in the fourth, and serves from the fifth on.
    per_100 = min(100, 100 * depth // 5)
    network = borel21(depth)
    _, model, terminals = streams(network, int(network.topology.neighbour[0, 0]), [0], length, 2500)
    received = []
    for now in range(440):
        received.append(terminals.received_flits)
        cycle(model, terminals, now)
    assert terminals.received_flits - received[40] == 4 * per_100


@pytest.mark.parametrize("length", [1, 4])
def test_two_streams_into_one_output_share_it(length: int) -> None:
    network = borel21()
    neighbour, port = network.topology.neighbour, network.topology.arrival_port
    goal = 5
    sources = [int(neighbour[goal, 0]), int(neighbour[goal, 1])]
    assert [int(neighbour[s, port[goal, i]]) for i, s in enumerate(sources)] == [goal, goal]
    traffic, model, terminals = streams(network, goal, sources, length, 1000)
    for now in range(500):
        cycle(model, terminals, now)
    flits = Counter(traffic.source[terminals.delivered >= 0].tolist())
    assert set(flits) == set(sources)
    assert abs(flits[sources[0]] - flits[sources[1]]) <= 1
    # A channel passes from packet to packet without a pause.
    assert terminals.received_flits >= 480


@pytest.mark.regress
@pytest.mark.parametrize("length", [1, 3])
def test_a_hot_spot_is_shared_by_the_channels_that_lead_to_it(length: int) -> None:
    network = borel21()
    goal = 5
    sources = np.delete(np.arange(network.topology.nodes), goal)
    traffic, model, terminals = streams(network, goal, sources.tolist(), length, 2000)
    for now in range(2000):
        cycle(model, terminals, now)
    # Heads take turns by channels, and inputs by links: somewhere between the two.
    channels = network.channels
    routes = walk(network.routing, sources, np.array([goal]))
    classes = vc_class(network.topology, channels.vc_increments, routes)
    last: dict[int, tuple[int, int]] = {}
    for row, hops in enumerate(routes.hops.tolist()):
        last[int(sources[row])] = int(routes.nodes[row, hops - 1]), int(classes[row, hops - 1])
    assert len(last) == 20
    packets = Counter(last[s] for s in traffic.source[terminals.delivered >= 0].tolist())
    assert set(packets) == set(last.values())
    assert min(packets.values()) >= 0.8 * packets.total() / len(packets)
    assert packets.total() * length >= 1000

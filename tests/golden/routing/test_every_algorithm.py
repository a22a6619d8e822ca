"""What every algorithm does, on the examples of its families and with each of its choices."""

from typing import Any

import numpy as np
import pytest

from fingerpost.golden.network.network import routed
from fingerpost.golden.routing import Routing
from tests.networks import CASES


@pytest.fixture(scope="module", params=CASES.values(), ids=[*CASES])
def routing(request: pytest.FixtureRequest) -> Routing:
    return routed(request.param).routing


def test_decisions_keep_the_shape_of_their_arguments(routing: Routing) -> None:
    terminals, local = routing.topology.terminals, routing.topology.local
    node = terminals[: len(terminals) // 2 * 2].reshape(2, -1)
    header = routing.encode(node, node[::-1])
    assert header.shape == node.shape
    decision = routing.decide(node, np.full_like(node, local), header)
    assert {part.shape for part in decision} == {node.shape}
    one = routing.decide(node[0, 0], np.array(local), header[0, 0])
    assert {part.shape for part in one} == {()}


def test_packet_to_oneself_is_delivered_at_once(routing: Routing) -> None:
    node, local = routing.topology.terminals, routing.topology.local
    port, _, error = routing.decide(node, np.full_like(node, local), routing.encode(node, node))
    assert (port == local).all()
    assert not error.any()


@pytest.mark.parametrize("selection", [None, 1])
def test_any_bits_are_decided(routing: Routing, selection: Any) -> None:
    topology, rng = routing.topology, np.random.default_rng(1)
    node = rng.integers(topology.nodes, size=500)
    header = rng.integers(1 << routing.header.width, size=500)
    for arrival in range(topology.local + 1):
        told = None if selection is None else np.full_like(node, selection)
        port, onward, error = routing.decide(node, np.full_like(node, arrival), header, told)
        assert set(error.tolist()) <= {0, 1}
        good = error == 0
        assert ((port[good] >= 0) & (port[good] <= topology.local)).all()
        assert ((onward[good] >= 0) & (onward[good] < 1 << routing.header.width)).all()

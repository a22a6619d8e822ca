"""Routes that are found before packets are sent, against a walk from router to router."""

import numpy as np
import pytest

from fingerpost.golden.compiled.routes import RouteTable
from fingerpost.golden.network.network import Network
from fingerpost.golden.routing.walk import walk
from tests.golden.model.networks import borel21


@pytest.fixture
def network() -> Network:
    return borel21()


def test_routes_lead_where_a_walk_does_and_are_found_once(network: Network) -> None:
    n = network.topology.nodes
    source, destination = np.divmod(np.random.default_rng(1).permutation(n * n), n)
    header = network.routing.encode(source, destination)
    table, firsts, sizes = RouteTable(network), [], []
    for some in np.array_split(np.arange(n * n), 7):
        firsts.append(table.first(source[some], header[some]))
        sizes.append(len(table.steps))
    first = np.concatenate(firsts)
    node, step, hops = source.copy(), first.copy(), np.zeros_like(source)
    for _ in range(n):
        port = table.steps["port"][step]
        away = port != network.topology.local
        node[away] = network.topology.neighbour[node[away], port[away]]
        hops += away
        step = np.where(away, table.steps["next"][step], step)
    assert (node == destination).all()
    assert hops.tolist() == walk(network.routing, source, destination).hops.tolist()
    # All known: nothing is added, and the answers are the same.
    assert table.first(source, header).tolist() == first.tolist()
    assert len(table.steps) == sizes[-1]
    assert sizes[-1] < 7 * sizes[0]
    whole = RouteTable(network)
    whole.first(source, header)
    assert len(whole.steps) == sizes[-1]


def test_one_route_alone_is_found(network: Network) -> None:
    header = network.routing.encode(np.array([4]), np.array([17]))
    table = RouteTable(network)
    assert table.first(np.array([4]), header).tolist() == [4]  # the last step has number 0
    assert len(table.steps) == 5

"""The model on networks that are not Borel graphs: directed, uneven, partly without terminals."""

import dataclasses

import networkx as nx
import pytest

from fingerpost.golden.deadlock.channels import Channels
from fingerpost.golden.deadlock.order import search, valleys
from fingerpost.golden.measure import Outcome, simulate
from fingerpost.golden.network.network import Network
from fingerpost.golden.routing import Routing
from fingerpost.golden.topology import DoubleLoop
from tests.golden.graphs import Edges, Gamble, minimal
from tests.golden.model.networks import built
from tests.networks import PETERSEN


def network(routing: Routing) -> Network:
    """Return a network with the channels that it needs."""
    order, channels = search(routing, steps=100)
    return dataclasses.replace(
        built(PETERSEN),
        routing=routing,
        order=order,
        channels=Channels(routing, valleys(routing.topology, order)),
        virtual_channels=channels,
    )


NETWORKS: dict[str, Routing] = {
    "directed": minimal(DoubleLoop(nodes=7, a=1, b=2)),
    "uneven": minimal(Edges(nx.lollipop_graph(4, 3))),
    "star": minimal(Edges(nx.star_graph(5), terminals=[1, 2, 3, 4, 5])),
    "chance": Gamble(Edges(nx.petersen_graph())),
    "chance on a torus": Gamble(
        Edges(nx.convert_node_labels_to_integers(nx.grid_2d_graph(4, 4, periodic=True)))
    ),
}


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("length", [5, pytest.param(1, marks=pytest.mark.regress)])
def test_below_and_beyond_saturation(name: str, length: int) -> None:
    net = network(NETWORKS[name])
    for load in (0.05, 0.9):
        found = simulate(
            net, load=load, cycles=400, precision=0, warm_up=400, seed=3, packet_length=length
        )
        assert found.offered == pytest.approx(load, rel=0.4)
        assert found.link_load.max() <= 1
    low = simulate(net, load=0.02, cycles=3000, seed=3, packet_length=length)
    assert low.outcome is Outcome.STABLE
    assert low.accepted.mean == pytest.approx(low.offered, rel=0.1)


def test_nodes_without_terminal_send_nothing() -> None:
    net = network(NETWORKS["star"])
    found = simulate(net, load=0.1, cycles=2000, seed=1)
    assert found.offered == pytest.approx(0.1, rel=0.1)
    assert found.link_load[0].sum() == pytest.approx(5 * found.accepted.mean, rel=0.1)


def test_chance_spreads_packets_over_both_ways() -> None:
    square = network(Gamble(Edges(nx.cycle_graph(4))))
    found = simulate(square, load=0.3, cycles=3000, seed=1)
    assert found.link_load.min() > 0.8 * found.link_load.mean()

"""Routes from end to end, and the channels that they need."""

from itertools import product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fingerpost.golden.routing.kyklos import KyklosRouting
from fingerpost.golden.routing.kyklos_h2 import H2
from fingerpost.golden.routing.kyklos_m import M
from fingerpost.golden.routing.kyklos_p2 import P2, ModifiedP2
from fingerpost.golden.routing.kyklos_y2 import Y2
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.topology.kyklos import Variant
from tests.golden.dependencies import channel_dependencies
from tests.golden.graphs import all_routes
from tests.golden.kyklos_1988 import Reference, networks
from tests.golden.routing.kyklos_strategies import (
    SMALL,
    STRATEGIES,
    generated_headers,
    levels_of,
    strategies,
)

VARIANTS: tuple[Variant, ...] = "original", "proposed"


def check_routes(net: Reference, strategy: type[KyklosRouting]) -> None:
    topology = net.topology()
    routing = strategy(topology)
    i, j = np.divmod(np.arange(net.leaves**2), net.leaves)
    levels = np.array(levels_of(routing, generated_headers(routing, i, j)))
    routes = walk(routing, i, j)
    assert (routes.hops == 2 * levels.sum(axis=1)).all()
    rng = np.random.default_rng(0)
    for row in rng.choice(len(i), min(len(i), 500), replace=False).tolist():
        a, b = int(i[row]), int(j[row])
        if strategy is Y2:
            x = net.x(a, b)
            wanted = [level > 0 for level in net.h2(x)]
        else:
            wanted = (levels[row] > 0).tolist()
        last = net.first(wanted, net.start(a))
        names = [topology.name(node) for node in routes.nodes[row, : routes.hops[row] + 1]]
        assert names == net.route(a, b, levels[row].tolist(), last)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("parameters", [*SMALL, (2, 4, 8)])
def test_all_pairs(parameters: tuple[int, int, int], strategy: type[KyklosRouting]) -> None:
    net = Reference(*parameters)
    if strategy in strategies(net):
        check_routes(net, strategy)


@pytest.mark.parametrize("strategy", [M, P2, ModifiedP2])
def test_all_pairs_of_kyklos_1(strategy: type[KyklosRouting]) -> None:
    net = Reference(2, 2, 4, "I")
    check_routes(net, strategy)
    # Both trees are one: the way is the same in each.
    hops = all_routes(strategy(net.topology())).hops.tolist()
    assert hops == [2 * (i ^ j).bit_length() for i, j in product(range(16), repeat=2)]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("parameters", [(2, 2, 6), (3, 2, 4)])
def test_all_pairs_of_the_original(
    strategy: type[KyklosRouting], parameters: tuple[int, int, int]
) -> None:
    # As long as in the proposed network: that is an instance of KYKLOS-II, renamed.
    if strategy in strategies(Reference(*parameters)):
        original, proposed = (
            all_routes(strategy(Reference(*parameters, variant).topology())).hops
            for variant in VARIANTS
        )
        assert np.bincount(original).tolist() == np.bincount(proposed).tolist()


@settings(deadline=None)
@given(networks(most=100), st.data())
def test_routes_of_any_network(net: Reference, data: st.DataObject) -> None:
    leaf = st.lists(st.integers(0, net.leaves - 1), min_size=20, max_size=20)
    i, j = np.array(data.draw(leaf)), np.array(data.draw(leaf))
    for strategy in strategies(net):
        routing = strategy(net.topology())
        levels = np.sum(levels_of(routing, generated_headers(routing, i, j)), axis=1)
        assert (walk(routing, i, j).hops == 2 * levels).all()


def test_example_2_passes_through_a_leaf() -> None:
    # 20 to 14 in <2, 2, 6>: two levels of each tree, eight hops, the start tree of 20 last.
    topology = Reference(2, 2, 6).topology()
    routes = walk(H2(topology), np.array([20]), np.array([14]))
    assert [topology.name(int(node)) for node in routes.nodes[0]] == [
        "L20", "1.1.12", "1.2.4", "1.1.4", "L12", "0.1.6", "0.2.3", "0.1.7", "L14",
    ]  # fmt: skip


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize(
    "parameters", [(2, 1, 4), (2, 2, 4), (2, 2, 6), (2, 3, 6), (2, 4, 8), (2, 5, 5)]
)
def test_two_channels_are_free_of_deadlock(
    strategy: type[KyklosRouting], parameters: tuple[int, int, int]
) -> None:
    routing = strategy(Reference(*parameters).topology())
    graph = channel_dependencies(routing, routing.vc_increments(), 9)
    assert nx.is_directed_acyclic_graph(graph)
    # Of the nine that there are no route takes more than two.
    assert {channel for _, _, channel in graph} <= {0, 1}


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("parameters", [(2, 2, 4), (2, 3, 6), (2, 4, 8)])
def test_one_channel_is_enough_for_single_trees_only(
    strategy: type[KyklosRouting], parameters: tuple[int, int, int]
) -> None:
    routing = strategy(Reference(*parameters).topology())
    graph = channel_dependencies(routing, routing.vc_increments(), 1)
    assert nx.is_directed_acyclic_graph(graph) == (strategy is M)  # of single trees


def test_of_two_trees_both_changes_are_turns() -> None:
    increments = H2(Reference(2, 2, 2).topology()).vc_increments()
    turns = [[leaf, u, t] for leaf in range(4) for u, t in ((0, 1), (1, 0))]
    assert np.argwhere(increments).tolist() == turns


def test_turns_are_at_leaves_to_trees_of_higher_number() -> None:
    increments = H2(Reference(2, 3, 3).topology()).vc_increments()
    assert increments.shape == (29, 4, 4)
    assert np.argwhere(increments).tolist() == [
        [leaf, u, t] for leaf in range(8) for u in range(3) for t in range(u + 1, 3)
    ]

from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

from golden.analysis.loads import loads
from golden.routing import TwoPhase
from golden.routing.walk import walk
from tests.golden.borel_group import EXAMPLE, Group, valid_groups
from tests.golden.graphs import Edges, Gamble, minimal


def test_path_by_hand() -> None:
    # 0 - 1 - 2: of a source's 1 flit per cycle half goes to each other node.
    found = loads(minimal(Edges(nx.path_graph(3))))
    assert found.load.tolist() == [[1.0, 0.0], [1.0, 1.0], [1.0, 0.0]]
    assert found.mean_hops == found.mean_distance == pytest.approx(4 / 3)
    assert found.link_saturation == found.terminal_saturation == found.saturation == 1
    assert found.bound == 1  # 4 links, 3 terminals, 4/3 hops


def test_complete_graph_reaches_the_bound() -> None:
    found = loads(minimal(Edges(nx.complete_graph(6))))
    assert found.load == pytest.approx(1 / 5)
    assert found.link_saturation == pytest.approx(5)
    assert found.saturation == 1  # of a terminal
    assert found.bound == pytest.approx(5)


@given(valid_groups(largest=13, most=80))
def test_symmetry_does_not_change_the_loads(group: Group) -> None:
    routing = TwoPhase(group.topology())
    n = routing.topology.nodes
    routes = walk(routing, np.repeat(np.arange(n), n), np.tile(np.arange(n), n))
    crossed: Counter[tuple[int, int]] = Counter()
    for nodes, ports in zip(routes.nodes.tolist(), routes.ports.tolist(), strict=True):
        crossed.update((node, port) for node, port in zip(nodes, ports, strict=False) if port >= 0)
    found = loads(routing)
    for (node, port), count in crossed.items():
        assert found.load[node, port] == pytest.approx(count / (n - 1))
    assert found.load.sum() == pytest.approx(sum(crossed.values()) / (n - 1))
    assert found.mean_hops == pytest.approx(routes.hops.sum() / n / (n - 1))


def test_packets_in_several_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    routing = TwoPhase(EXAMPLE.topology())
    at_once = loads(routing)
    monkeypatch.setattr("golden.analysis.loads.CHUNK", 1)
    assert loads(routing).load.tolist() == at_once.load.tolist()


def test_bound_of_borel_graphs_is_four_over_the_mean_distance() -> None:
    found = loads(TwoPhase(EXAMPLE.topology()))
    assert found.mean_distance == pytest.approx(2.1)
    assert found.bound == pytest.approx(4 / 2.1)
    assert found.link_saturation == pytest.approx(1 / found.load.max())


def test_chance_is_averaged() -> None:
    # Opposite nodes of a square have two shortest ways: each gets half of the packets.
    found = loads(Gamble(Edges(nx.cycle_graph(4))))
    assert found.load == pytest.approx((1 + 2 / 2 + 0) / 3, abs=0.15)
    assert found.load.sum() == pytest.approx(8 * 2 / 3)


def test_nodes_without_terminal_only_carry() -> None:
    star = Edges(nx.star_graph(4), terminals=[1, 2, 3, 4])
    found = loads(minimal(star))
    assert found.mean_hops == 2
    assert found.load[0].tolist() == pytest.approx([1, 1, 1, 1])
    assert found.bound == pytest.approx(1)

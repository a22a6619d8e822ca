from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from fingerpost.golden.analysis.loads import loads
from fingerpost.golden.routing import H2, DimensionOrder, Routing, TwoPhase
from fingerpost.golden.topology import Grid, Kyklos
from fingerpost.golden.traffic.spelling import pattern
from tests.golden.borel_group import EXAMPLE
from tests.golden.graphs import Edges, Gamble, crossed, distances, minimal


def test_path_by_hand() -> None:
    # 0 - 1 - 2: of a source's 1 flit per cycle half goes to each other node.
    found = loads(minimal(Edges(nx.path_graph(3))))
    assert found.load.tolist() == [[1.0, 0.0], [1.0, 1.0], [1.0, 0.0]]
    assert found.mean_hops == found.mean_distance == pytest.approx(4 / 3)
    assert found.link_saturation == found.terminal_saturation == found.saturation == 1
    assert found.bound == 1  # 4 links, 3 terminals, 4/3 hops


def test_packets_in_several_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    routing = TwoPhase(EXAMPLE.topology())
    at_once = loads(routing)
    monkeypatch.setattr("fingerpost.golden.analysis.loads.CHUNK", 1)
    assert loads(routing).load.tolist() == at_once.load.tolist()


def test_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fingerpost.golden.analysis.loads.CHUNK", 50)
    told: list[tuple[int, int]] = []
    routing = H2(Kyklos(m=2, r=2, n=4))
    loads(routing, "hotspot:nodes=3", progress=lambda *pair: told.append(pair))
    assert told == [(16, 16)]  # a packet for each leaf


def test_chance_is_averaged() -> None:
    # Opposite nodes of a square have two shortest ways: each gets half of the packets.
    found = loads(Gamble(Edges(nx.cycle_graph(4))))
    assert found.load == pytest.approx((1 + 2 / 2 + 0) / 3, abs=0.15)
    assert found.load.sum() == pytest.approx(8 * 2 / 3)


# Other patterns.


PATTERNS = [
    "uniform",
    "transpose",
    "shuffle",
    "hotspot:nodes=3",
    "hotspot:nodes=3;4,share=0.3",
    "tornado",
]


@pytest.mark.parametrize("name", PATTERNS)
@pytest.mark.parametrize(
    "routing", [TwoPhase(EXAMPLE.topology()), H2(Kyklos(m=2, r=2, n=4))], ids=["borel", "kyklos"]
)
def test_loads_of_a_pattern_are_those_of_its_matrix(routing: Routing, name: str) -> None:
    topology = routing.topology
    found, n = loads(routing, name), len(topology.terminals)
    rows = pattern(name).demand(topology).rows(np.arange(n))
    assert found.load == pytest.approx(crossed(routing, rows))
    assert found.mean_hops == pytest.approx(found.load.sum() / n)
    away = distances(topology)
    there = [[away[i][j] for j in topology.terminals.tolist()] for i in topology.terminals.tolist()]
    assert found.mean_distance == pytest.approx((rows * there).sum() / n)
    busiest = max(rows.sum(axis=0).max(), rows.sum(axis=1).max())
    assert found.terminal_saturation == pytest.approx(1 / busiest)
    assert found.link_saturation == pytest.approx(1 / found.load.max())
    assert found.saturation == min(found.terminal_saturation, found.link_saturation) <= 1


def test_weights_by_hand(tmp_path: Path) -> None:
    # 0 - 1 - 2: 0 sends 3/4 of all to 2, and 1/4 goes from 2 to 1: of 3 terminals' 3 flits.
    path = tmp_path / "matrix.csv"
    path.write_text("source,destination,weight\n0,2,6\n2,1,2\n")
    found = loads(minimal(Edges(nx.path_graph(3))), f"matrix:{path}")
    assert found.load.tolist() == [[2.25, 0], [0, 2.25], [0.75, 0]]
    assert (found.mean_hops, found.mean_distance) == (1.75, 1.75)
    assert found.saturation == found.terminal_saturation == pytest.approx(1 / 2.25)
    assert found.bound == pytest.approx(4 / 3 / 1.75)


def test_nothing_on_the_links(tmp_path: Path) -> None:
    path = tmp_path / "matrix.csv"
    path.write_text("source,destination\n0,0\n1,1\n2,2\n")
    found = loads(minimal(Edges(nx.path_graph(3))), f"matrix:{path},weight=1")
    assert found.load.max() == found.mean_hops == 0
    assert (found.link_saturation, found.bound, found.saturation) == (np.inf, np.inf, 1)


@pytest.mark.parametrize(
    ("sizes", "wrap", "name", "saturation"),
    [
        # Dally and Towles, Principles and Practices, Section 3.2: 1/gamma of the busiest channel.
        ([8], True, "tornado", 1 / 3),  # every packet goes 3 hops the same way
        ([8], True, "neighbor", 1.0),
        ([8, 8], False, "bitcomp", 1 / 4),  # 32 flits cross the middle by 8 links
        ([8, 8], False, "uniform", 63 / 128),  # half of 32 flits, but to others only
        ([8, 8], False, "transpose", 1 / 7),  # 7 packets turn at a corner of the mesh
    ],
)
def test_known_saturations(sizes: list[int], wrap: bool, name: str, saturation: float) -> None:
    found = loads(DimensionOrder(Grid(sizes=sizes, wrap=wrap)), name)
    assert found.saturation == pytest.approx(saturation)

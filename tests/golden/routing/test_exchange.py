"""Tables of next hops against the best that there are, found by linear programming."""

import math
from collections.abc import Callable

import networkx as nx
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.routing.balance import next_hops
from tests.golden.borel_group import EXAMPLE
from tests.golden.graphs import Edges

Links = dict[tuple[int, int], int]
"""What each link carries, by its two nodes."""


def carried(graph: "nx.Graph[int]") -> Links:
    """What the links carry of a packet from each node to each other, one after the other."""
    topology = Edges(graph)
    table = next_hops(topology, balanced=True)
    load: Links = dict.fromkeys(graph.to_directed().edges, 0)
    for destination in graph:
        for source in graph:
            node = source
            while node != destination:
                onward = int(topology.neighbour[node, table[destination, node]])
                load[node, onward] += 1
                node = onward
    return load


def numbered(graph: "nx.Graph[object]") -> "nx.Graph[int]":
    return nx.convert_node_labels_to_integers(graph)


def least(graph: "nx.Graph[int]", *, whole: bool) -> float:
    """The least highest load of shortest paths, by a program over flows to each destination.

    With `whole` each node sends all that goes to a destination by one link, as a table does; else
    flows may be split: then it is a bound for all that is whole.
    """
    n = len(graph)
    away = dict(nx.all_pairs_shortest_path_length(graph))
    hops = [
        (u, v, d)
        for u, v in graph.to_directed().edges
        for d in graph
        if away[u][d] == away[v][d] + 1
    ]
    count = len(hops)
    # Columns: the flow of each hop, whether it is taken, and the highest load.
    rows: list[dict[int, float]] = []
    limits: list[tuple[float, float]] = []
    into: dict[tuple[int, int], list[int]] = {}
    out: dict[tuple[int, int], list[int]] = {}
    links: dict[tuple[int, int], list[int]] = {}
    for column, (u, v, d) in enumerate(hops):
        into.setdefault((v, d), []).append(column)
        out.setdefault((u, d), []).append(column)
        links.setdefault((u, v), []).append(column)
    for (u, d), leaving in out.items():
        coming = into.get((u, d), [])
        rows.append(dict.fromkeys(leaving, 1.0) | dict.fromkeys(coming, -1.0))
        limits.append((1, 1))
        if whole:
            rows.append({count + column: 1.0 for column in leaving})
            limits.append((1, 1))
            for column in leaving:
                rows.append({column: 1.0, count + column: 1.0 - n})
                limits.append((-np.inf, 0))
    for some in links.values():
        rows.append(dict.fromkeys(some, 1.0) | {2 * count: -1.0})
        limits.append((-np.inf, 0))
    entries = [(row, column, x) for row, each in enumerate(rows) for column, x in each.items()]
    places, columns, values = (np.array(x) for x in zip(*entries, strict=True))
    matrix = sparse.csr_array((values, (places, columns)), shape=(len(rows), 2 * count + 1))
    cost: NDArray[np.float64] = np.zeros(2 * count + 1)
    cost[-1] = 1
    taken: IntArray = np.r_[np.zeros(count), np.ones(count), 1].astype(np.int64)
    found = milp(
        cost,
        constraints=LinearConstraint(matrix, *np.array(limits).T),
        bounds=Bounds(0, np.r_[np.full(count, np.inf), np.ones(count), np.inf]),
        integrality=taken if whole else 0 * taken,
    )
    assert found.status == 0
    return float(found.fun)


KNOWN = {
    "3-cube": (nx.hypercube_graph(3), 4),
    "4-cube": (nx.hypercube_graph(4), 8),
    "torus 4x4": (nx.grid_2d_graph(4, 4, periodic=True), 8),
    "mesh 4x4": (nx.grid_2d_graph(4, 4), 16),
    "mesh 3x5": (nx.grid_2d_graph(3, 5), 18),
    "torus 5x5": (nx.grid_2d_graph(5, 5, periodic=True), 15),
    "Petersen": (nx.petersen_graph(), 5),
}
"""Well-known graphs, and the highest load that no shortest paths are below."""


@pytest.mark.parametrize("name", KNOWN)
def test_known_graphs_are_balanced_as_well_as_can_be(name: str) -> None:
    graph, highest = numbered(KNOWN[name][0]), KNOWN[name][1]
    assert math.ceil(least(graph, whole=False) - 1e-6) == highest
    assert max(carried(graph).values()) == highest


@pytest.mark.regress
def test_mesh_8x8_is_as_good_as_its_cut() -> None:
    # 32 x 32 packets go each way between the halves, by 8 links.
    assert max(carried(numbered(nx.grid_2d_graph(8, 8))).values()) == 128


@pytest.mark.regress
@pytest.mark.parametrize(
    ("graph", "share"),
    [(nx.hypercube_graph(5), 16 / 17), (nx.grid_2d_graph(6, 6, periodic=True), 27 / 28)],
    ids=["5-cube", "torus 6x6"],
)
def test_larger_cubes_and_tori_come_close(graph: "nx.Graph[object]", share: float) -> None:
    load = carried(numbered(graph))
    assert sum(load.values()) / len(load) >= share * max(load.values())


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "make",
    [
        lambda seed: nx.random_regular_graph(3, 12, seed=seed),
        lambda seed: nx.connected_watts_strogatz_graph(14, 4, 0.4, seed=seed),
        lambda seed: numbered(nx.random_geometric_graph(10, 0.6, seed=seed + 3)),
    ],
    ids=["regular", "small-world", "geometric"],
)
def test_no_table_of_an_irregular_graph_is_better(
    make: Callable[[int], "nx.Graph[int]"], seed: int
) -> None:
    graph = make(seed)
    assert nx.is_connected(graph)
    assert max(carried(graph).values()) == round(least(graph, whole=True))


def test_borel_21() -> None:
    neighbour = EXAMPLE.topology().neighbour
    graph = nx.Graph([(v, w) for v in range(21) for w in neighbour[v].tolist()])
    assert max(carried(graph).values()) == 11  # 10.5 in the mean

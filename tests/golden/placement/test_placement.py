"""Positions of nodes, against lengths that are counted here and placements that are known."""

from itertools import pairwise, product
from typing import Any

import networkx as nx
import numpy as np
import pytest

from fingerpost.golden.network.base import topology
from fingerpost.golden.network.network import Network, build
from fingerpost.golden.placement import anneal, lengths, positions_of, wires
from fingerpost.golden.topology import EdgeList, Topology
from tests.networks import BOREL

MESH, TORUS, CUBE = (
    {"family": "grid", "sizes": sizes, "wrap": wrap}
    for sizes, wrap in (([5, 4], False), ([5, 4], True), ([2, 2, 2], False))
)


def of(description: dict[str, Any], **more: Any) -> tuple[Topology, Any]:
    found = topology({"topology": description})
    return found, positions_of({"topology": description, **more}, found)


def test_lengths_and_crossings_are_those_counted_link_by_link() -> None:
    given, at = of(BOREL, positions={"kind": "placed", "tiles": [6, 4], "moves": 50})
    tiles = list(map(tuple, at.tolist()))
    assert len(set(tiles)) == given.nodes  # one tile each
    assert all(x in range(6) and y in range(4) for x, y in tiles)
    found, length = wires(given, at), lengths(given, at)
    columns = max(x for x, _ in tiles) - min(x for x, _ in tiles) + 1
    middle = min(x for x, _ in tiles) + (columns + 1) // 2
    counted, vertical, horizontal = [], 0, 0
    low, high = (pick(y for _, y in tiles) for pick in (min, max))
    for node, port in product(range(given.nodes), range(given.degree)):
        (x, y), (to_x, to_y) = tiles[node], tiles[given.neighbour[node, port]]
        counted.append(abs(x - to_x) + abs(y - to_y))
        assert length[node, port] == counted[-1]
        vertical += (x < middle) != (to_x < middle)
        horizontal += (2 * (y - low) < high - low + 1) != (2 * (to_y - low) < high - low + 1)
    assert (found.total, found.longest) == (sum(counted), max(counted))
    assert found.histogram == [counted.count(tiles) for tiles in range(max(counted) + 1)]
    assert found.bisection == max(vertical, horizontal)


@pytest.mark.parametrize(("grid", "longest", "bisection"), [(MESH, 1, 8), (TORUS, 2, 16)])
def test_grids_have_natural_positions(grid: Any, longest: int, bisection: int) -> None:
    given, at = of(grid)
    assert len(set(map(tuple, at.tolist()))) == given.nodes
    assert at.max(axis=0).tolist() == [4, 3]
    found = wires(given, at)
    assert found.longest == longest
    # Of 5 columns 3 are on one side: 4 rows of links cross there, of a torus two rings each.
    assert found.bisection == max(bisection, {1: 10, 2: 20}[longest])


def test_further_dimensions_are_blocks() -> None:
    _, at = of(CUBE)
    assert at.tolist() == [[0, 0], [1, 0], [0, 1], [1, 1], [2, 0], [3, 0], [2, 1], [3, 1]]
    assert of(BOREL)[1] is None


def shuffled_mesh(side: int) -> Topology:
    graph: nx.Graph[Any] = nx.grid_2d_graph(side, side)
    number = dict(zip(graph, np.random.default_rng(5).permutation(side**2).tolist(), strict=True))
    return EdgeList(links=[(number[a], number[b]) for a, b in graph.edges], nodes=side**2)


def test_annealing_finds_a_mesh_again_and_the_same_for_a_seed() -> None:
    mesh, told = shuffled_mesh(6), list[tuple[int, int]]()
    best = anneal.anneal(mesh, 6, 6, seed=1, moves=4000, progress=lambda *at: told.append(at))
    assert (lengths(mesh, best)[mesh.neighbour >= 0] == 1).all()
    assert told[0] == (0, anneal.TEMPERATURES)
    assert [b - a for (a, _), (b, _) in pairwise(told)] == [1] * (anneal.TEMPERATURES - 1)
    again = anneal.anneal(mesh, 6, 6, seed=1, moves=4000)
    assert np.array_equal(best, again)


def test_both_forms_place_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    mesh = shuffled_mesh(4)
    one = anneal.anneal(mesh, 5, 4, seed=2, moves=100)
    monkeypatch.setattr(anneal, "_try_moves", lambda *given: KERNEL(*given, plain=True))
    assert np.array_equal(one, anneal.anneal(mesh, 5, 4, seed=2, moves=100))


KERNEL = anneal._try_moves


def network(link: dict[str, Any], **more: Any) -> Network:
    return build(
        {
            "name": "line",
            "topology": {"family": "grid", "sizes": [3]},
            "routing": {"algorithm": "dimension-order"},
            "link": {"kind": "flit", **link},
            **more,
        }
    )


AT = {"kind": "given", "at": {"2": [0, 0], "0": [1, 0], "1": [9, 1]}}


@pytest.mark.parametrize(("reach", "cycles"), [(1, [9, 10]), (3, [3, 4]), (4, [3, 3]), (10, None)])
def test_cycles_are_lengths_by_reach_rounded_up(reach: int, cycles: list[int] | None) -> None:
    made = network({"cycles": "auto", "reach": reach}, positions=AT)
    if cycles is None:
        assert made.registers is None
        return
    assert made.registers is not None
    ports = made.topology.neighbour
    found = {(u, int(ports[u, p])): int(made.registers[u, p]) + 1
             for u, p in np.argwhere(ports >= 0).tolist()}  # fmt: skip
    assert found == {(0, 1): cycles[0], (1, 0): cycles[0], (1, 2): cycles[1], (2, 1): cycles[1]}


def test_auto_depth_is_that_of_the_round_trip() -> None:
    for link, depth in ({}, 8), ({"cycles": 3}, 8), ({"cycles": 9}, 20), ({"cycles": 64}, 64):
        made = network(link, router={"buffer_depth": "auto"})
        assert made.buffer_depth == depth
    assert made.full_rate_depth == 4 + 2 * 63

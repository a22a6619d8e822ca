"""Partitions of nodes into boards, against every partition of small graphs and known ones."""

from collections.abc import Iterator
from itertools import combinations, pairwise
from typing import Any

import networkx as nx
import numpy as np
import pytest

from fingerpost.golden.faults import faulty
from fingerpost.golden.link.stream_link import StreamLink
from fingerpost.golden.network.base import topology
from fingerpost.golden.network.kinds import build_any
from fingerpost.golden.network.network import build
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.placement import boards_of, links_between
from fingerpost.golden.placement import partition as search
from fingerpost.golden.topology import EdgeList, Topology
from tests.golden.graphs import Edges

TRY_SWAPS = search._try_swaps


def of(graph: "nx.Graph[int]") -> Topology:
    return EdgeList(links=list(graph.edges), nodes=len(graph))


def halves(nodes: range, size: int) -> Iterator[set[int]]:
    return (set(some) for some in combinations(nodes, size))


def cut(graph: "nx.Graph[int]", part: set[int]) -> int:
    return sum((u in part) != (v in part) for u, v in graph.edges)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("nodes", [9, 12])
def test_halves_of_small_graphs_are_the_best_of_all(nodes: int, seed: int) -> None:
    graph = nx.gnm_random_graph(nodes, 2 * nodes, seed=seed)
    graph.add_edges_from(pairwise(range(nodes)))
    best = min(cut(graph, half) for half in halves(range(nodes), nodes // 2))
    part = search.partition(of(graph), 2)
    assert sorted(np.bincount(part).tolist()) == [nodes // 2, (nodes + 1) // 2]
    assert cut(graph, set(np.flatnonzero(part).tolist())) == best
    assert links_between(of(graph), part).tolist() == [[0, best], [0, 0]]


def test_cliques_are_found_again() -> None:
    ring, rng = nx.ring_of_cliques(5, 6), np.random.default_rng(2)
    number = dict(zip(ring, rng.permutation(30).tolist(), strict=True))
    part = search.partition(of(nx.relabel_nodes(ring, number)), 5)
    assert all(len({part[number[6 * i + j]] for j in range(6)}) == 1 for i in range(5))
    assert part[0] == 0
    first = [part.tolist().index(board) for board in range(5)]
    assert first == sorted(first)  # parts are numbered by their first nodes


def test_a_torus_falls_into_blocks_and_not_into_random_parts() -> None:
    torus = topology({"topology": {"family": "grid", "sizes": [8, 8], "wrap": True}})
    part = search.partition(torus, 4)
    blocks = np.arange(64) // 32 * 2 + np.arange(64) % 8 // 4
    assert links_between(torus, part).sum() == links_between(torus, blocks).sum() == 32
    random = np.random.default_rng(1).permutation(part)
    assert links_between(torus, random).sum() > 80


@pytest.mark.regress
def test_a_large_torus_is_cut_as_little_as_into_blocks() -> None:
    torus = topology({"topology": {"family": "grid", "sizes": [32, 32], "wrap": True}})
    part, x, y = search.partition(torus, 8), np.arange(1024) % 32, np.arange(1024) // 32
    assert links_between(torus, y // 4).sum() == 256  # strips
    assert links_between(torus, x // 16 + y // 8 * 2).sum() == 192
    assert links_between(torus, part).sum() <= 192
    assert np.bincount(part).tolist() == [128] * 8


def test_links_of_one_direction_count_each() -> None:
    graph: nx.DiGraph[int] = nx.gnp_random_graph(12, 0.25, seed=4, directed=True)
    given = Edges(graph)
    part = search.partition(given, 3)
    ends = [(part[u], part[v]) for u, v in graph.edges]
    counted = [[sum({a, b} == {i, j} for a, b in ends) * (i < j) for j in range(3)]
               for i in range(3)]  # fmt: skip
    assert links_between(given, part).tolist() == counted


def test_both_forms_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = of(nx.random_regular_graph(3, 14, seed=1))
    monkeypatch.setattr(search, "MOVES", 200)
    one = search.partition(graph, 4)
    monkeypatch.setattr(search, "_try_swaps", lambda *given: TRY_SWAPS(*given, plain=True))
    assert np.array_equal(one, search.partition(graph, 4))


def test_boards_of_a_file_are_those_of_the_network_and_its_streams() -> None:
    mesh = {"family": "grid", "sizes": [3, 2]}
    given = {"topology": mesh, "boards": [["0,0", 3], [1, 4, 2, 5]]}
    board = boards_of(given, topology(given))
    assert board is not None
    assert board.tolist() == [0, 1, 1, 0, 1, 1]
    network = build({"name": "mesh", "routing": {"algorithm": "dimension-order"}, **given})
    assert network.boards is not None
    assert np.array_equal(network.boards, board)
    assert network.streams is None
    there = network.topology.neighbour
    every = StreamLink(between="all").streams(network.topology, board)
    some = StreamLink(between="boards").streams(network.topology, board)
    assert (every.sum(), some.sum()) == (14, 4)
    assert all({u, there[u, p]} in ({0, 1}, {3, 4}) for u, p in np.argwhere(some))
    with pytest.raises(ParameterError, match="boards: 2, or between: all"):
        StreamLink(between="boards").streams(network.topology, None)


def pairs(*given: list[int | str]) -> StreamLink:
    return StreamLink(between=[*given])


def test_links_of_pairs_are_streams_both_ways() -> None:
    links = [(0, 1), (1, 2), (2, 3), (3, 0), (2, 1), (0, 2)]  # two between 1 and 2
    ring = EdgeList(links=links, nodes=4, names=[*"abcd"])
    found = pairs([2, "b"], ["a", "d"]).streams(ring, None)
    ends = sorted((u, int(ring.neighbour[u, p])) for u, p in np.argwhere(found).tolist())
    assert ends == [(0, 3), (1, 2), (1, 2), (2, 1), (2, 1), (3, 0)]
    left = faulty(ring, "link:0-3")
    ends = [(u, int(left.neighbour[u, p])) for u, p in np.argwhere(
        pairs([2, "b"], ["a", "d"]).streams(left, None)).tolist()]  # fmt: skip
    assert sorted(ends) == [(1, 2), (1, 2), (2, 1), (2, 1)]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([["b", "d"]], r"not \['b', 'd'\]; b has links to 0 \(a\), 2 \(c\)$"),
        ([[0, 1], ["b", "a"]], r"each pair of nodes once, not \['b', 'a'\] again; remove it$"),
        ([[0, "e"]], "^Node needs a number in 0..3"),
        ([[0, 4]], "^Node needs a number in 0..3"),
    ],
)
def test_pairs_are_refused_unless_links_join_them(given: Any, message: str) -> None:
    ring = EdgeList(links=[(0, 1), (1, 2), (2, 3), (3, 0)], nodes=4, names=[*"abcd"])
    with pytest.raises(ParameterError, match=message) as refused:
        pairs(*given).streams(ring, None)
    assert (refused.value.section, refused.value.key) == ("link", "between")


@pytest.mark.parametrize("given", [[], [[0]], [[0, 1, 2]], "board"])
def test_what_is_no_list_of_pairs_is_refused(given: Any) -> None:
    with pytest.raises(ParameterError, match=r"all, boards, or a list of pairs of nodes, as in"):
        StreamLink(between=given)


@pytest.mark.parametrize(
    ("between", "separate"),
    [("boards", [0, 1, 2]), ("all", [0, 1, 2]), ([[1, 2]], [0]), ([[1, 2], [3, 4]], [0, 1, 2])],
)
def test_boards_are_separate_if_only_streams_leave_them(between: Any, separate: list[int]) -> None:
    path = {"family": "grid", "sizes": [6]}
    given = {"name": "path", "topology": path, "routing": {"algorithm": "dimension-order"}}
    boards = {"boards": [[0, 1], [2, 3], [4, 5]]}
    network = build(given | boards | {"link": {"kind": "stream", "between": between}})
    assert network.separate_boards == separate
    assert build(given | boards).separate_boards == []
    assert build(given | {"link": {"kind": "stream"}}).separate_boards == []


def test_deflection_routers_have_no_boards() -> None:
    ring = {"family": "grid", "sizes": [4], "wrap": True}
    given = {"name": "ring", "topology": ring, "router": {"kind": "deflection"}, "boards": 2}
    with pytest.raises(ParameterError, match=r"Boards need router: \{kind: wormhole\}"):
        build_any(given)

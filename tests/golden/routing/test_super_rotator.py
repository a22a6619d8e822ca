"""Super rotator graphs: routes by the rule of the paper, the header, the theorems, the links."""

from itertools import combinations, product
from math import factorial

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.algebra.group import permutations
from fingerpost.golden.analysis.super_rotator_theorems import (
    claims,
    degrees,
    links,
    radix,
    strong_connectedness,
)
from fingerpost.golden.routing.super_rotator import ClassRouting
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.topology.base import summary
from fingerpost.golden.topology.rotator import SuperRotator
from tests.golden.graphs import Edges, all_routes, links_of
from tests.golden.star_group import Plain, Word, digits, rotated
from tests.networks import only


class PlainRouting:
    """The rule on labels as the paper prints them, with every way in a class walked out."""

    def __init__(self, nodes: int) -> None:
        self.plain = plain = Plain(nodes)
        self.number = {word: x for x, word in enumerate(plain.words)}

    def in_class(self, source: int, goal: int) -> list[int]:
        """Return the nodes after `source` to `goal`, both in class i."""
        words, i = self.plain.words, self.plain.node_class[source]
        assert self.plain.node_class[goal] == i
        place = {letter: t for t, letter in enumerate(words[goal])}
        word, path = words[source], []
        while word != words[goal]:
            label = [place[letter] for letter in word[: i + 1]]
            k = next(k for k in range(i + 1) if label[k:] == sorted(label[k:]))
            length = k + sum(s < label[0] for s in label[k:])
            after = rotated(word, length)
            if length == i + 1 and after not in self.labels(i):
                after = rotated(word, k)
            word = after
            path.append(self.number[word])
            assert len(path) <= 2 * i - 1
        return path

    def labels(self, i: int) -> list[Word]:
        return self.plain.letters[i]

    def route(self, source: int, goal: int, link: str) -> list[int]:
        """Return the nodes from `source` on."""
        i, j = self.plain.node_class[source], self.plain.node_class[goal]
        if i == j:
            return [source, *self.in_class(source, goal)]
        if i < j:
            heads = [y for x, y in sorted(self.plain.type_b) if x == source]
            inside = [y for y in heads if self.plain.node_class[y] == j]
            ways = [[source, y, *self.in_class(y, goal)] for y in inside]
        else:
            tails = [x for x, y in sorted(self.plain.type_b, reverse=True) if y == goal]
            inside = [x for x in tails if self.plain.node_class[x] == i]
            ways = [[source, *self.in_class(source, x), goal] for x in inside]
        return min(ways, key=len) if link == "min" else ways[0]


@pytest.mark.parametrize("link", ["min", "first"])
@pytest.mark.parametrize("nodes", [2, 3, 5, 10, 13, 17, 23, 26, 49])
def test_routes_are_those_of_the_rule(nodes: int, link: str) -> None:
    routing = ClassRouting(SuperRotator(nodes=nodes), link=link)  # type: ignore[arg-type]
    plain = PlainRouting(nodes)
    routes = all_routes(routing)
    for (source, goal), row in zip(product(range(nodes), repeat=2), routes.nodes, strict=True):
        assert row[row >= 0].tolist() == plain.route(source, goal, link)


@given(st.integers(50, 240), st.sampled_from(["min", "first"]), st.data())
def test_some_routes_of_larger_networks(nodes: int, link: str, data: st.DataObject) -> None:
    routing = ClassRouting(SuperRotator(nodes=nodes), link=link)  # type: ignore[arg-type]
    plain = PlainRouting(nodes)
    source, goal = (data.draw(st.integers(0, nodes - 1)) for _ in range(2))
    route = walk(routing, np.array(source), np.array(goal)).nodes[0].tolist()
    assert route == plain.route(source, goal, link)


# The header.


@given(st.integers(1, 10**6))
def test_mixed_radix(nodes: int) -> None:
    found = radix(nodes)
    assert {i: c for i, c in enumerate(found, start=1) if c} == digits(nodes)
    assert sum(c * factorial(i) for i, c in enumerate(found, start=1)) == nodes


@given(st.integers(4, 9), st.data())
def test_strong_connectedness_of_any_graph(nodes: int, data: st.DataObject) -> None:
    pairs = list(combinations(range(nodes), 2))
    chosen = data.draw(st.sets(st.sampled_from(pairs), min_size=nodes))
    graph = nx.Graph(sorted(chosen))
    graph.add_edges_from(nx.utils.pairwise(range(nodes), cyclic=True))
    assert strong_connectedness(Edges(graph)) == nx.node_connectivity(graph) - 1


def test_strong_connectedness_of_a_cut_vertex() -> None:
    bow_tie: nx.Graph[int] = nx.Graph([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2)])
    assert strong_connectedness(Edges(bow_tie)) == 0
    # The nodes 0 and 1, between which the flows are looked at one by one, on different sides.
    turned: nx.Graph[int] = nx.Graph([(0, 4), (4, 2), (2, 0), (1, 4), (4, 3), (3, 1)])
    assert strong_connectedness(Edges(turned)) == 0
    assert strong_connectedness(Edges(nx.disjoint_union(bow_tie, bow_tie))) == -1


def test_theorems_3_to_5_and_corollary_1() -> None:
    for nodes in range(2, 131):
        topology, claim = SuperRotator(nodes=nodes), claims(nodes)
        assert claim.n == topology.n
        assert links(topology) == claim.links == len(Plain(nodes).links), nodes
        found = degrees(topology)
        assert found.max(axis=1).tolist() == [claim.max_degree] * 2, nodes
        assert claim.max_degree <= claim.max_degree_bound == claim.n + 1
        assert found.min() == claim.min_degree == claim.n - 1, nodes
        assert summary(topology)[0] <= claim.diameter_bound == 2 * claim.n


LARGER = [*(n for n in range(61, 301) if n % 24 in (0, 1, 5, 6, 23)), 719]


@pytest.mark.parametrize("nodes", only(range(2, 61), [*range(2, 61), *LARGER]))
def test_theorem_1(nodes: int) -> None:
    claim = claims(nodes)
    assert strong_connectedness(SuperRotator(nodes=nodes)) == claim.strong_connectedness


@pytest.mark.parametrize(("i", "m"), [(i, m) for i in range(2, 6) for m in range(1, i + 1)])
def test_theorem_2(i: int, m: int) -> None:
    topology = SuperRotator(nodes=m * factorial(i))
    diameter = i - 1 if m == 1 else 2 * i + 1 - m  # exact; the paper has 2i - 1 at most
    assert summary(topology)[0] == diameter <= 2 * i - 1
    if i < 5:
        assert nx.diameter(nx.DiGraph(links_of(topology))) == diameter


# The links.


# docs/reference/errata.md: the sizes of at most four ports.
FOUR_PORTS = [*range(2, 29), *range(30, 35), 36, 42, 48, 72, 96, 120]


@given(st.integers(2, 240))
def test_links_are_those_of_the_four_steps(nodes: int) -> None:
    topology, plain = SuperRotator(nodes=nodes), Plain(nodes)
    assert len(plain.words) == topology.nodes == nodes
    assert permutations(np.arange(nodes), plain.n + 1).tolist() == list(map(list, plain.words))
    assert topology.node_class.tolist() == plain.node_class
    assert sorted(links_of(topology)) == sorted(plain.links)


def test_sizes_of_four_ports() -> None:
    assert [nodes for nodes in range(2, 301) if SuperRotator(nodes=nodes).degree <= 4] == FOUR_PORTS

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.routing.super_rotator import DOWN, HERE, STAY, UP, ClassRouting
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.topology.rotator import SuperRotator
from tests.golden.graphs import all_routes
from tests.golden.super_rotator_graph import Plain, Word, rotated


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


@pytest.mark.regress
def test_every_pair_of_networks_to_300_nodes() -> None:
    for nodes, link in product(range(2, 301), ("min", "first")):
        routing = ClassRouting(SuperRotator(nodes=nodes), link=link)  # type: ignore[arg-type]
        assert all_routes(routing).hops.max() <= 2 * routing.topology.n


@pytest.mark.parametrize("nodes", [479, 719, 1441, 2525, 4321, 5039, 5040])
def test_samples_of_large_networks(nodes: int) -> None:
    rng = np.random.default_rng(nodes)
    source, goal = rng.integers(nodes, size=(2, 50_000))
    routing = ClassRouting(SuperRotator(nodes=nodes))
    assert walk(routing, source, goal).hops.max() <= 2 * routing.topology.n


# The header.


@pytest.fixture(scope="module")
def routing() -> ClassRouting:
    return ClassRouting(SuperRotator(nodes=23))


def test_terminal_sends_the_vertex_number(routing: ClassRouting) -> None:
    node = np.arange(23)
    assert routing.encode(node, node[::-1]).tolist() == node[::-1].tolist()
    _, error = routing.generate_header(np.zeros(32, np.int64), np.arange(32))
    assert error.tolist() == [0] * 23 + [1] * 9


def test_header_of_a_route_down(routing: ClassRouting) -> None:
    # 16 is in component c of C_3, 20 in C_2, its predecessor is node 3 = bdca of C_3's leader.
    topology = routing.topology
    node, arrival = np.array([16]), np.array([topology.local])
    header, stages = routing.encode(node, np.array([20])), []
    while True:
        decision = routing.decide(node, arrival, header)
        header = decision.header
        stages.append(int(routing.header.cut("stage", header)[0]))
        goal = [int(routing.header.cut(f"place{a}", header)[0]) for a in range(4)]
        assert goal == [3, 0, 2, 1]  # the places of a, b, c and d in bdca
        if decision.port == topology.local:
            break
        arrival = topology.arrival_port[node, decision.port]
        node = topology.neighbour[node, decision.port]
    assert node == 20
    assert stages[:-2] == [DOWN] * (len(stages) - 2)
    assert stages[-2:] == [HERE, HERE]


def test_header_of_a_route_up(routing: ClassRouting) -> None:
    # Of class 2's node 19 port 1 leads to node 1 of C_3's leader: the only link up.
    header, error = routing.generate_header(np.array([19]), np.array([0]))
    assert error.tolist() == [0]
    assert routing.header.cut("stage", header).tolist() == [UP]
    assert routing.header.cut("link", header).tolist() == [1]
    decision = routing.decide(np.array([19]), np.array([0]), header)
    assert decision.port.tolist() == [1]
    assert routing.topology.neighbour[19, 1] == 1
    assert routing.header.cut("stage", decision.header).tolist() == [STAY]

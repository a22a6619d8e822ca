from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.routing.vertex_transitive import VertexTransitive
from fingerpost.golden.routing.walk import walk
from tests.golden.borel_group import EXAMPLE, Group, times, valid_groups
from tests.golden.graphs import all_routes, check_shortest, crossed

A, B, A_INVERSE, B_INVERSE, LOCAL = range(5)

OPTIONS: list[dict[str, Any]] = [
    {"table": table, **way}
    for table, way in product(
        ("balanced", "first"), ({"path": "hop"}, {"path": "source"}, {"address": "absolute"})
    )
]


@pytest.fixture(scope="module")
def hop() -> VertexTransitive:
    return VertexTransitive(EXAMPLE.topology(), table="first")


@pytest.fixture(scope="module")
def source() -> VertexTransitive:
    return VertexTransitive(EXAMPLE.topology(), table="first", path="source")


@pytest.fixture(scope="module")
def absolute() -> VertexTransitive:
    return VertexTransitive(EXAMPLE.topology(), table="first", address="absolute")


# The paper's results.


# Against other methods.


@given(valid_groups(largest=13, most=200), st.sampled_from(OPTIONS))
def test_delivers_all_pairs_by_shortest_paths(group: Group, options: dict[str, Any]) -> None:
    routing = VertexTransitive(group.topology(), **options)
    check_shortest(routing)


@given(valid_groups(most=1000))
def test_mask_marks_the_links_of_shortest_paths(group: Group) -> None:
    routing = VertexTransitive(group.topology(), table="first")
    for v, label in group.label.items():
        onward = [times(group.inverse(g), v, group.p) for g in group.links]
        nearer = [group.away[group.label[w]] < group.away[label] for w in onward]
        c, x = routing.locate(label)
        assert routing.mask[c, x] == sum(1 << link for link in range(4) if nearer[link])
        assert routing.distance[c, x] == group.away[label]


@given(valid_groups(most=1000))
def test_first_is_the_first_of_the_shortest_paths(group: Group) -> None:
    routing = VertexTransitive(group.topology(), table="first")
    goal = np.array([0, 1, group.nodes // 2, group.nodes - 1])
    ports = walk(routing, np.array(0), goal).ports.tolist()
    words = [[port for port in row if port >= 0] for row in ports]
    assert words == [group.first_word(label) for label in goal.tolist()]


@given(valid_groups(largest=13, most=200), st.sampled_from(["balanced", "first"]))
def test_all_headers_take_the_same_routes(group: Group, table: Any) -> None:
    ways: list[dict[str, Any]] = [{}, {"path": "source"}, {"address": "absolute"}]
    one, *others = (
        all_routes(routing).ports
        for routing in (VertexTransitive(group.topology(), table=table, **way) for way in ways)
    )
    for other in others:
        assert (one == other).all()


@given(valid_groups(largest=13, most=200), st.sampled_from(["balanced", "first"]))
def test_load_is_that_of_every_link(group: Group, table: Any) -> None:
    routing = VertexTransitive(group.topology(), table=table)
    assert (crossed(routing) == routing.load).all()
    names = ("A", "B", "A^-1", "B^-1")
    assert routing.constants() == {
        "link_load": dict(zip(names, routing.load.tolist(), strict=True))
    }


@given(valid_groups(largest=13, most=200))
def test_decisions_on_the_way_are_the_same_at_every_node(group: Group) -> None:
    routing = VertexTransitive(group.topology())
    header = np.arange(1 << routing.header.width)
    first = routing.decide(np.array(0), np.array(A), header)
    for node, arrival in [(1, B), (group.nodes - 1, A_INVERSE)]:
        decision = routing.decide(np.array(node), np.array(arrival), header)
        for part, expected in zip(decision, first, strict=True):
            assert (part == expected).all()


# Headers and decisions.


def test_absolute_address_stays_as_it_is(absolute: VertexTransitive) -> None:
    node, arrival, header = (part.ravel() for part in np.indices((21, 5, 2**6)))
    decision = absolute.decide(node, arrival, header)
    assert (decision.header == header % 2**5).all()
    wrong = [h % 4 == 3 or h >> 2 & 7 == 7 for h in header.tolist()]
    assert decision.error.tolist() == wrong
    generated_headers, refused = absolute.generate_header(node, header)
    assert (generated_headers == header).all()
    assert not refused.any()


def test_decisions_depend_on_the_node_if_the_address_is_absolute() -> None:
    relative = [VertexTransitive(EXAMPLE.topology(), **options).relative for options in OPTIONS]
    assert relative == [True, True, False] * 2


def test_header_names_the_destination(
    hop: VertexTransitive, source: VertexTransitive, absolute: VertexTransitive
) -> None:
    # Node 16 = 5*3 + 1: class 1, x = 2^-1 * 5 = 4 * 5 = 6 mod 7.
    for routing in (hop, source, absolute):
        assert routing.encode(np.array([0]), np.array([16])).tolist() == [6 << 2 | 1]


def test_link_headers_in_error(hop: VertexTransitive, source: VertexTransitive) -> None:
    for arrival in range(4):
        for routing, wrong in (
            (hop, [h & 3 == 3 or h >> 2 == 7 for h in range(2**5)]),
            (source, [h == 0 for h in range(2**7)]),
        ):
            header = np.arange(len(wrong))
            decision = routing.decide(np.array(0), np.array(arrival), header)
            assert decision.error.tolist() == wrong

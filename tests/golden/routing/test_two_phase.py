"""Two-phase routing, and its words."""

from itertools import product
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fingerpost.golden.algebra.gcr import circulant_distances
from fingerpost.golden.analysis.loads import loads
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.routing import Adaptive, TwoPhase, VertexTransitive
from fingerpost.golden.routing.two_phase_words import (
    Word,
    balanced_tables,
    first_words,
    tables_load,
)
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.topology import Borel, Metacyclic
from fingerpost.papers.two_phase_1995 import graph
from tests.golden.borel_group import EXAMPLE, Group, circulant, valid_groups
from tests.golden.graphs import all_routes, check_shortest
from tests.golden.metacyclic_group import graphs

A, B, A_INVERSE, B_INVERSE, LOCAL = range(5)


@pytest.fixture(scope="module")
def example() -> TwoPhase:
    return TwoPhase(EXAMPLE.topology(), words="first")


def expected_route(group: Group, nearness: list[int], source: int, goal: int) -> list[int]:
    """Route as Section IV has it, a node at a time, by Eq. (2) and Eq. (3)."""
    k, node, ports = group.k, source, []
    shift = [group.A[0], group.B[0], -group.A[0], -group.B[0]]
    while r := (goal - node) % k:
        port = next(i for i in range(4) if nearness[(r - shift[i]) % k] < nearness[r])
        ports.append(port)
        node = group.neighbours[node][port]
    m = group.a ** (k - goal % k) * (goal // k - node // k) % group.p
    return ports + group.first_word(m * k)


# Against other methods.


@given(valid_groups(largest=31, most=500), st.data())
def test_routes_are_those_of_section_4(group: Group, data: st.DataObject) -> None:
    routing = TwoPhase(group.topology(), words="first")
    nearness = circulant(group.k, group.A[0], group.B[0])
    source = data.draw(st.integers(0, group.nodes - 1))
    routes = walk(routing, np.array(source), np.arange(group.nodes))
    for goal in range(group.nodes):
        expected = expected_route(group, nearness, source, goal)
        assert routes.ports[goal, : routes.hops[goal]].tolist() == expected


@given(valid_groups(most=1000), st.data())
def test_every_route_arrives_within_d1_and_d2(group: Group, data: st.DataObject) -> None:
    routing = TwoPhase(group.topology())
    k, n = group.k, group.nodes
    d1 = max(circulant(k, group.A[0], group.B[0]))
    d2 = max(group.away[m * k] for m in range(group.p))
    assert (routing.d1, routing.d2) == (d1, d2)
    source = data.draw(st.integers(0, n - 1))
    assert walk(routing, np.array(source), np.arange(n)).hops.max() <= d1 + d2


# Headers and decisions.


def test_links_bring_an_error_only_if_there_is_no_such_class(example: TwoPhase) -> None:
    header = np.arange(2**10)
    for port in range(4):
        decision = example.decide(np.zeros_like(header), np.full_like(header, port), header)
        assert decision.error.tolist() == [int(h >> 1 & 3 == 3) for h in header.tolist()]


# Phase I computed at the source.


@pytest.fixture(scope="module")
def computed() -> TwoPhase:
    # k = 3, and both generators go from class 0 to class 1.
    return TwoPhase(Group(7, 2, (1, 1), (1, 2)).topology(), phase1="computed")


def test_terminals_say_the_same_as_with_the_table(computed: TwoPhase) -> None:
    table, label = TwoPhase(computed.topology), np.arange(21)
    assert (computed.encode(label, label) == table.encode(label, label)).all()
    header = np.arange(2**6)
    for routing in (table, computed):
        _, error = routing.generate_header(np.zeros_like(header), header)
        wrong = [h & 1 == 1 or h >> 1 & 3 >= 3 or h >> 3 >= 7 for h in header.tolist()]
        assert error.tolist() == wrong
        decision = routing.decide(np.zeros_like(header), np.full_like(header, LOCAL), header)
        assert decision.error.tolist() == wrong


def test_counts_go_to_0_and_then_the_word_decides(computed: TwoPhase) -> None:
    layout = computed.header
    for m1, m2, expected in [
        (1, 0, (A, 0, 0)),
        (3, 0, (A_INVERSE, 0, 0)),  # -1 in two bits
        (1, 3, (A, 0, 3)),
        (0, 1, (B, 0, 0)),
        (0, 3, (B_INVERSE, 0, 0)),
        (2, 2, (A_INVERSE, 3, 2)),
    ]:
        header = layout.pack(m1=m1, m2=m2, word=0b1_10)
        port, onward, error = computed.decide(np.array(5), np.array(B), np.array(header))
        left = [int(layout.cut(name, onward)) for name in ("m1", "m2")]
        assert (int(port), *left) == expected
        assert (int(layout.cut("word", onward)), int(layout.cut("phase", onward))) == (0b1_10, 0)
        assert not error
    for word, link, rest in [(0b1_10, A_INVERSE, 1), (1, LOCAL, 0), (0, LOCAL, 0)]:
        decision = computed.decide(np.array(5), np.array(B), np.array(layout.pack(word=word)))
        assert (int(decision.port), int(layout.cut("word", decision.header))) == (link, rest)
        assert computed.phase(decision.header) == 1


@given(valid_groups(largest=31, most=500))
def test_no_phase_1_table_when_it_is_computed(group: Group) -> None:
    assume(group.A[0] != 0 and group.B[0] != 0)
    routing = TwoPhase(group.topology(), phase1="computed")
    table = TwoPhase(group.topology())
    straps = routing.straps
    assert list(straps) == ["c", *(f"entry{c}" for c in range(group.k))]
    assert routing.table_bits() == {"phase II": table.table_bits()["phase II"]}
    for node in {0, group.nodes // 2, group.nodes - 1}:
        for c in range(group.k):
            end = node
            m1, m2 = routing.table_ii.pairs[(c - node) % group.k].tolist()
            for port, m in ((A, m1), (B, m2)):
                for _ in range(abs(m)):
                    end = group.neighbours[end][port if m > 0 else port + 2]
            x = int(straps.value(f"entry{c}")[node])
            assert (end % group.k, x * group.a**c % group.p) == (c, end // group.k)


# Metacyclic groups.


@pytest.mark.regress
@given(graphs(), st.sampled_from([TwoPhase, VertexTransitive, Adaptive]))
@settings(max_examples=40)
def test_routes_of_metacyclic_graphs_arrive_within_the_bounds_of_the_theorems(
    graph: Any, algorithm: Any
) -> None:
    (m, k, r), A, B = graph
    try:
        topology = Metacyclic(m=m, k=k, r=r, A=A, B=B)
    except ParameterError:
        assume(False)
    routing = algorithm(topology)
    if algorithm is TwoPhase:
        assert all_routes(routing).hops.max() <= routing.d1 + routing.d2
    else:
        check_shortest(routing)


def nearer_links(borel: Borel) -> np.ndarray:
    """The links that go a hop nearer to class r, by r."""
    away = circulant_distances(borel.k, borel.shift)
    onward = (np.arange(borel.k)[:, None] - borel.shift) % borel.k
    return away[onward] < away[:, None]


def shortest_words(group: Group, label: int) -> list[Word]:
    """All shortest words to a node, by walking back from it."""
    if label == 0:
        return [[]]
    return [
        [*word, link]
        for link in range(4)
        if group.away[before := group.neighbours[label][(link + 2) % 4]] < group.away[label]
        for word in shortest_words(group, before)
    ]


def first_tables_load(borel: Borel) -> np.ndarray:
    return tables_load(borel, nearer_links(borel).argmax(axis=1), first_words(borel))


# The paper's words.


# Balanced tables.


@given(valid_groups(most=1000))
def test_balanced_words_are_as_short_as_the_first(group: Group) -> None:
    borel = group.topology()
    first_link, words = balanced_tables(borel, nearer_links(borel))
    away = circulant(group.k, group.A[0], group.B[0])
    for m, word in enumerate(words):
        assert group.word_end(tuple(word)) == m * group.k
        assert len(word) == group.away[m * group.k]
    assert first_link[0] == 0
    for r in range(1, group.k):
        assert away[(r - borel.shift[first_link[r]]) % group.k] == away[r] - 1


@given(valid_groups(largest=31, most=500))
def test_load_of_tables_is_that_of_the_routes(group: Group) -> None:
    topology = group.topology()
    for routing in TwoPhase(topology), TwoPhase(topology, words="first"):
        words = [[code >> i & 3 for i in range(0, code.bit_length() - 1, 2)]
                 for code in routing.words.tolist()]  # fmt: skip
        load = tables_load(topology, routing.first_link, words)
        assert loads(routing).load * (group.nodes - 1) == pytest.approx(
            np.tile(load, (group.nodes, 1))
        )


@given(valid_groups(largest=13, most=160))
def test_no_tables_are_better_balanced(group: Group) -> None:
    borel = group.topology()
    links = nearer_links(borel)
    words = [shortest_words(group, m * group.k) for m in range(group.p)]
    ways = [np.flatnonzero(row).tolist() or [0] for row in links]
    assume(prod(len(some) for some in words) * prod(len(some) for some in ways) <= 3000)
    best = min(
        tables_load(borel, np.array(first_link), list(choice)).max()
        for first_link in product(*ways)
        for choice in product(*words)
    )
    assert tables_load(borel, *balanced_tables(borel, links)).max() == best


def test_bound_at_1081_nodes() -> None:
    borel = graph("table-3", 0)
    assert loads(TwoPhase(borel, words="first")).link_saturation == pytest.approx(0.4235, abs=5e-5)
    # 7.67 hops over four links leave 0.5212.
    assert loads(TwoPhase(borel)).link_saturation >= 0.5177


def test_table_2_decides_the_links_of_phase_1() -> None:
    borel = graph("table-3", 1)
    first, balanced = (
        TwoPhase(borel, phase1="computed", words=words) for words in ("first", "balanced")
    )
    assert balanced.first_link[1:].tolist() == first.first_link[1:].tolist()
    assert loads(balanced).link_saturation > 1.1 * loads(first).link_saturation


def test_a_part_of_many_moves_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fingerpost.golden.routing.two_phase_words.MOVES", 8)
    borel = graph("table-3", 0)
    load = tables_load(borel, *balanced_tables(borel, nearer_links(borel)))
    assert load.max() < first_tables_load(borel).max()


def test_words_that_fit_no_header_are_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fingerpost.golden.routing.two_phase_words.LONGEST", 6)
    borel = graph("table-3", 0)  # D2 = 7
    assert balanced_tables(borel, nearer_links(borel))[1] == first_words(borel)

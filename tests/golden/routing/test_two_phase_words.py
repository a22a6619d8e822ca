from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fingerpost.golden.algebra.circulant import circulant_distances
from fingerpost.golden.analysis.loads import loads
from fingerpost.golden.routing import TwoPhase
from fingerpost.golden.routing.two_phase_words import (
    Word,
    balanced_tables,
    first_words,
    tables_load,
)
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.topology import Borel
from fingerpost.papers.two_phase_1995 import TABLE_III
from tests.golden.borel_group import EXAMPLE, Group, circulant, valid_groups

A, B, A_INVERSE = range(3)


def first_first_words(group: Group) -> list[list[int]]:
    """Try all words, the short ones first and then in the order of A < B < A^-1 < B^-1."""
    words: dict[int, list[int]] = {}
    wanted = {m * group.k for m in range(group.p)}
    length = 0
    while wanted - words.keys():
        for word in product(range(4), repeat=length):
            words.setdefault(group.word_end(word), list(word))
        length += 1
    return [words[m * group.k] for m in range(group.p)]


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


@given(valid_groups(largest=13))
def test_words_are_the_first_of_the_shortest(group: Group) -> None:
    assert first_words(group.topology()) == first_first_words(group)


@given(valid_groups(most=1000))
def test_words_of_larger_groups(group: Group) -> None:
    expected = [group.first_word(m * group.k) for m in range(group.p)]
    assert first_words(group.topology()) == expected


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


@given(valid_groups(largest=31, most=500), st.data())
def test_as_many_routes_have_each_length(group: Group, data: st.DataObject) -> None:
    # Another way through the classes enters the last one elsewhere: destinations change places.
    topology = group.topology()
    source = np.array(data.draw(st.integers(0, group.nodes - 1)))
    balanced, first = (
        walk(TwoPhase(topology, words=words), source, np.arange(group.nodes)).hops
        for words in ("balanced", "first")
    )
    for c in range(group.k):
        assert sorted(balanced[c :: group.k]) == sorted(first[c :: group.k])


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


def test_example_is_balanced() -> None:
    # 20 routes have 50 hops, so 12.5 a link if that were possible.
    borel = EXAMPLE.topology()
    assert first_tables_load(borel).tolist() == [18, 7, 18, 7]
    assert sorted(tables_load(borel, *balanced_tables(borel, nearer_links(borel)))) == [
        12,
        12,
        13,
        13,
    ]


def test_bound_at_1081_nodes() -> None:
    borel = TABLE_III.topology(0)
    assert loads(TwoPhase(borel, words="first")).link_saturation == pytest.approx(0.4235, abs=5e-5)
    # 7.67 hops over four links leave 0.5212.
    assert loads(TwoPhase(borel)).link_saturation >= 0.5177


@pytest.mark.parametrize("column", range(4))
def test_busiest_link_has_less_to_do(column: int) -> None:
    borel = TABLE_III.topology(column)
    first = first_tables_load(borel)
    load = tables_load(borel, *balanced_tables(borel, nearer_links(borel)))
    assert load.sum() == first.sum()
    assert load.max() < 0.91 * first.max()


def test_table_2_decides_the_links_of_phase_1() -> None:
    borel = TABLE_III.topology(1)
    first, balanced = (
        TwoPhase(borel, phase1="computed", words=words) for words in ("first", "balanced")
    )
    assert balanced.first_link[1:].tolist() == first.first_link[1:].tolist()
    assert loads(balanced).link_saturation > 1.1 * loads(first).link_saturation


def test_a_part_of_many_moves_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fingerpost.golden.routing.two_phase_words.MOVES", 8)
    borel = TABLE_III.topology(0)
    load = tables_load(borel, *balanced_tables(borel, nearer_links(borel)))
    assert load.max() < first_tables_load(borel).max()


def test_words_that_fit_no_header_are_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fingerpost.golden.routing.two_phase_words.LONGEST", 6)
    borel = TABLE_III.topology(0)  # D2 = 7
    assert balanced_tables(borel, nearer_links(borel))[1] == first_words(borel)

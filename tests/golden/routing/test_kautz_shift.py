"""Shortest paths in Kautz graphs, against breadth-first search and strings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.routing.kautz_shift import Shift, overlap
from fingerpost.golden.topology.kautz import Kautz
from tests.golden.graphs import check_shortest


@pytest.fixture(scope="module")
def routing() -> Shift:
    return Shift(Kautz(degree=2, diameter=4))


@given(st.integers(1, 6), st.data())
def test_overlap_is_that_of_strings(letters: int, data: st.DataObject) -> None:
    texts = st.text("abc", min_size=letters, max_size=letters)
    word, goal = data.draw(texts), data.draw(texts)
    expected = next(k for k in range(letters, -1, -1) if word.endswith(goal[:k]))
    found = overlap(np.array([[ord(x) for x in word]]), np.array([[ord(x) for x in goal]]))
    assert found.tolist() == [expected]


@pytest.mark.parametrize(("d", "D"), [(2, 1), (2, 2), (2, 4), (2, 6), (3, 3), (4, 3), (6, 2)])
def test_every_route_is_shortest(d: int, D: int) -> None:
    check_shortest(Shift(Kautz(degree=d, diameter=D)))


def test_header_is_the_word_of_the_destination(routing: Shift) -> None:
    topology = routing.topology
    node, goal = topology.node("abca"), topology.node("cabc")
    header = routing.encode(np.array([node]), np.array([goal]))
    assert header.tolist() == [2 | 0 << 2 | 1 << 4 | 2 << 6]
    assert routing.header.width == 8
    decision = routing.decide(np.array([node, goal]), np.array([2, 0]), np.repeat(header, 2))
    # abca ends in ca, with which cabc begins: the next letter is b, the first behind the last, a.
    assert decision.port.tolist() == [0, topology.local]
    assert decision.header.tolist() == header.tolist() * 2
    assert decision.error.tolist() == [0, 0]

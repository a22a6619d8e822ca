"""The star group: r-cycles, distances, and the recursion over supernodes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.algebra.group import number
from fingerpost.golden.algebra.star_cycles import (
    Choices,
    FloatArray,
    Supernodes,
    bsymbols,
    canonical_order,
    leaders,
    local_links,
    minloc,
    move_in,
    ring_distance,
    star_distance,
)
from fingerpost.golden.arrays import BoolArray
from tests.golden.star_group import (
    Permutation,
    b_list,
    behind,
    d,
    f_list,
    hops_to,
    labels,
    r_cycles,
    star_neighbours,
)
from tests.golden.star_group import move_in as moves_in_one


def symbols(mask: BoolArray) -> list[int]:
    return (np.flatnonzero(mask) + 1).tolist()


@st.composite
def some_labels(draw: st.DrawFn) -> list[Permutation]:
    n = draw(st.integers(3, 10))
    return draw(st.lists(st.permutations(range(1, n + 1)).map(tuple), min_size=1, max_size=20))


@pytest.mark.parametrize("n", range(3, 8))
def test_star_distance_is_that_of_bfs_and_b_is_what_lowers_it(n: int) -> None:
    away = hops_to(tuple(range(1, n + 1)), star_neighbours)
    p = np.array(labels(n))
    assert star_distance(p).tolist() == [away[label] for label in labels(n)]
    for label, b in zip(labels(n), bsymbols(p), strict=True):
        lowering = [i for i in range(2, n + 1) if away[behind(label, i)] < away[label]]
        assert symbols(b) == lowering


@given(some_labels())
def test_sets_are_those_of_the_r_cycles(some: list[Permutation]) -> None:
    p = np.array(some)
    n = p.shape[1]
    for k, label in enumerate(some):
        assert symbols(bsymbols(p)[k]) == sorted(b_list(label))
        of = {s: cycle[0] for cycle in r_cycles(label) for s in cycle}
        assert leaders(p)[k].tolist() == [of[s] for s in range(1, n + 1)]
        assert move_in(p, ring_distance(n))[k] == moves_in_one(label)
        in_order = sorted(range(1, n + 1), key=lambda s: canonical_order(p)[k, s - 1])
        assert in_order == [s for cycle in r_cycles(label) for s in cycle]


@given(some_labels(), st.data())
def test_minloc_is_equation_16(some: list[Permutation], data: st.DataObject) -> None:
    p = np.array(some)
    n = p.shape[1]
    i, i_d = (np.array([data.draw(st.integers(2, n)) for _ in some]) for _ in range(2))
    found = minloc(i, p, i_d, ring_distance(n)).tolist()
    for k, label in enumerate(some):
        expected = d(int(i[k]), int(i_d[k]), n)
        if b_list(label):
            enter = min(d(int(i[k]), b, n) for b in b_list(label))
            leave = min(d(f, int(i_d[k]), n) for f in f_list(label))
            expected = enter + moves_in_one(label) + leave
        assert found[k] == expected


def test_supernodes_are_in_the_order_of_their_numbers() -> None:
    supernodes = Supernodes.of(4)
    assert number(supernodes.p).tolist() == list(range(24))
    for label in labels(4):
        here = int(number(np.array(label)))
        ends = [int(number(np.array(behind(label, i)))) for i in range(1, 5)]
        assert supernodes.behind[here].tolist() == ends
        assert (np.flatnonzero(supernodes.b[here]) + 1).tolist() == sorted(b_list(label))


def last(c: Choices) -> FloatArray:
    """Choose the largest symbol of B(p), from any position."""
    n = c.links.shape[-1]
    target = n - c.b[:, 0, ::-1].argmax(axis=-1)
    return c.at(np.repeat(target[:, None], n, axis=1))


@pytest.mark.parametrize(("n", "i_d"), [(4, 2), (5, 4)])
def test_rule_is_followed_to_the_destination(n: int, i_d: int) -> None:
    found = local_links(ring_distance(n), last, i_d)
    for label in labels(n):
        for start in range(2, n + 1):
            i, p, local = start, label, 0
            while b_list(p):
                t = max(b_list(p))
                i, p, local = t, behind(p, t), local + d(i, t, n)
            local += d(i, i_d, n)
            assert found[int(number(np.array(label))), start - 1] == local

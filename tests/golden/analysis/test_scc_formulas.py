from fractions import Fraction
from itertools import product

import pytest

from fingerpost.golden.analysis.scc import (
    diameter_bound,
    harmonic,
    length_bound,
    local_step,
    mean_lateral,
    mean_move_between,
    mean_move_in,
    mean_move_in_of_cycle,
    mean_to_first,
    random_mean,
)
from fingerpost.golden.topology.distance import summary
from fingerpost.golden.topology.scc import Scc
from tests.golden.star_group import (
    b_list,
    behind,
    d,
    hops_to,
    labels,
    move_in,
    r_cycles,
    star_neighbours,
)

SIZES = pytest.mark.parametrize("n", [3, 4, 5, 6, 7])


def mean(values: list[int] | list[Fraction]) -> Fraction:
    return Fraction(sum(values)) / len(values)


@SIZES
def test_diameter_of_equation_1_is_a_bound(n: int) -> None:
    assert summary(Scc(n=n))[0] == diameter_bound(n) - (n == 7)


def test_harmonic_numbers() -> None:
    assert harmonic(1) == 1
    assert harmonic(4) == Fraction(25, 12)


@SIZES
def test_lateral_links_of_equation_6(n: int) -> None:
    away = hops_to(tuple(range(1, n + 1)), star_neighbours)
    assert mean_lateral(n) == mean(list(away.values()))


@SIZES
def test_moves_of_equations_9_and_11(n: int) -> None:
    assert mean_move_in(n) == mean([move_in(p) for p in labels(n)])
    of: dict[tuple[int, bool], list[int]] = {}
    for p in labels(n):
        for cycle in r_cycles(p):
            alone = tuple(p[k - 1] if k in cycle else k for k in range(1, n + 1))
            of.setdefault((len(cycle), cycle[0] == 1), []).append(move_in(alone))
    for r in range(2, n + 1):
        assert mean_move_in_of_cycle(n, r, with_one=True) == mean(of[r, True])
        if r < n:
            assert mean_move_in_of_cycle(n, r, with_one=False) == mean(of[r, False])


@SIZES
def test_steps_of_equation_10_and_theorem_2(n: int) -> None:
    positions = range(2, n + 1)
    assert local_step(n) == mean([d(i, 2, n) for i in positions if i != 2])
    assert mean_to_first(n) == mean([d(i, j, n) for i, j in product(positions, positions)])


@SIZES
def test_bound_of_theorem_3_is_the_sum_of_its_parts(n: int) -> None:
    assert length_bound(n) == mean_lateral(n) + mean_move_in(n) + mean_move_between(n)


@pytest.mark.parametrize("n", [3, 4, 5])
def test_random_mean_is_that_of_all_routes(n: int) -> None:
    known: dict[tuple[int, tuple[int, ...]], Fraction] = {}

    def expected(i: int, p: tuple[int, ...]) -> Fraction:
        if not b_list(p):
            return Fraction(d(i, 2, n))
        if (i, p) not in known:
            ways = [d(i, b, n) + 1 + expected(b, behind(p, b)) for b in b_list(p)]
            known[i, p] = mean(ways)
        return known[i, p]

    assert random_mean(n) == mean([expected(i, p) for p in labels(n) for i in range(2, n + 1)])
    assert mean_move_between(n) <= random_mean(n) - mean_lateral(n) - mean_move_in(n)

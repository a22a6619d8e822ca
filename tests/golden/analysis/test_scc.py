"""Star-connected cycles: formulas, averages and the search, against all routes."""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import factorial

import numpy as np
import pytest

from fingerpost.golden.analysis.scc import (
    ALGORITHMS,
    averages,
    length_bound,
    mean_lateral,
    mean_move_between,
    mean_move_in,
    minimal_laterals,
    route_length,
    simulated,
)
from fingerpost.golden.routing.scc import Minimal, NearMinimal
from fingerpost.golden.routing.star import Greedy, StarRouting
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.topology.base import distances
from fingerpost.golden.topology.star import Scc
from tests.golden.star_group import (
    Node,
    b_list,
    behind,
    d,
    hops_to,
    labels,
    move_in,
    scc_neighbours,
    star_neighbours,
)
from tests.networks import only

SIZES = pytest.mark.parametrize("n", [3, 4, 5, 6, 7])


def mean(values: list[int] | list[Fraction]) -> Fraction:
    return Fraction(sum(values)) / len(values)


@SIZES
def test_lateral_links_of_equation_6(n: int) -> None:
    away = hops_to(tuple(range(1, n + 1)), star_neighbours)
    assert mean_lateral(n) == mean(list(away.values()))


@SIZES
def test_moves_of_equation_9(n: int) -> None:
    assert mean_move_in(n) == mean([move_in(p) for p in labels(n)])


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

    exact = mean([expected(i, p) for p in labels(n) for i in range(2, n + 1)])
    assert averages(n, "random").length == pytest.approx(float(exact), abs=1e-9)
    # Eq. (12) counts the moves between c r-cycles as c - 1, also where c = 0; there, in one
    # permutation of n!, the moves in and out are one, from the source to the destination.
    ends = range(2, n + 1)
    step = mean([d(i, 2, n) for i in ends if i != 2])
    first = mean([d(i, j, n) for i, j in product(ends, ends)])
    assert exact == length_bound(n) + (step - first) / factorial(n)
    assert mean_move_between(n) <= exact - mean_lateral(n) - mean_move_in(n)


# Hops of all (n-1) n! minimal routes.
MINIMAL = {3: 36, 4: 382, 5: 4228, 6: 43634, 7: 499464, 8: 5871158, 9: 75904276}

# docs/reference/errata.md: averages over all pairs of greedy routing.
GREEDY = {4: "5.3333", 5: "8.8417", 6: "12.2353", 7: "16.7203", 8: "21.1180"}

# docs/reference/errata.md, to the three digits given there.
MEMORYLESS = {6: "12.194", 7: "16.670", 8: "21.052"}
NEAR_MINIMAL = {6: "12.148", 7: "16.596", 8: "20.954"}


def goal(scc: Scc, i_d: int = 2) -> int:
    return scc.node(f"{i_d}:" + "".join(map(str, range(1, scc.n + 1))))


@pytest.mark.parametrize("n", only(range(3, 8), range(3, 10)))
def test_minimal_is_bfs(n: int) -> None:
    scc = Scc(n=n)
    away = distances(scc.neighbour, goal(scc))
    assert away.sum() == MINIMAL[n]
    assert averages(n, "minimal").distribution == tuple(np.bincount(away).tolist())
    assert averages(n, "minimal").length == pytest.approx(MINIMAL[n] / scc.nodes, abs=1e-9)


@pytest.mark.parametrize("i_d", [2, 3, 5])
@pytest.mark.parametrize("algorithm", ["minimal", "near-minimal", "greedy", "greedy, memory none"])
def test_lengths_are_those_of_the_routes(algorithm: str, i_d: int) -> None:
    scc = Scc(n=6)
    routing: StarRouting = {
        "minimal": Minimal(scc),
        "near-minimal": NearMinimal(scc),
        "greedy": Greedy(scc),
        "greedy, memory none": Greedy(scc, memory="none"),
    }[algorithm]
    source = np.arange(scc.nodes)
    hops = walk(routing, source, np.full_like(source, goal(scc, i_d))).hops
    found = averages(6, algorithm, i_d)
    assert found.distribution == tuple(np.bincount(hops).tolist())
    assert found.length == pytest.approx(hops.mean(), abs=1e-9)


@pytest.mark.parametrize("n", [4, 5, 6, 7, pytest.param(8, marks=pytest.mark.regress)])
def test_greedy_over_all_pairs(n: int) -> None:
    ties = [averages(n, "greedy", i_d).length for i_d in range(2, n + 1)]
    assert f"{sum(ties) / len(ties):.4f}" == GREEDY[n]


@pytest.mark.parametrize("n", MEMORYLESS)
def test_memoryless_and_near_minimal(n: int) -> None:
    assert f"{averages(n, 'greedy, memory none').length:.3f}" == MEMORYLESS[n]
    assert f"{averages(n, 'near-minimal').length:.3f}" == NEAR_MINIMAL[n]


@SIZES
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_parts_are_those_of_the_formulas(n: int, algorithm: str) -> None:
    found = averages(n, algorithm)
    assert found.lat == pytest.approx(float(mean_lateral(n)), abs=1e-9)
    assert found.mi == pytest.approx(float(mean_move_in(n)), abs=1e-9)
    assert found.loc == pytest.approx(found.mi + found.mb, abs=1e-9)
    assert found.length == pytest.approx(found.lat + found.loc, abs=1e-9)
    if "random" not in algorithm:
        assert found.length <= float(length_bound(n))  # Theorem 3
    assert sum(found.distribution) == Scc(n=n).nodes


@pytest.mark.parametrize("n", [3, 4, 5])
def test_worst_case_is_the_longest_of_all_routes(n: int) -> None:
    known: dict[tuple[int, tuple[int, ...]], int] = {}

    def longest(i: int, p: tuple[int, ...]) -> int:
        if not b_list(p):
            return d(i, 2, n)
        if (i, p) not in known:
            known[i, p] = max(d(i, b, n) + 1 + longest(b, behind(p, b)) for b in b_list(p))
        return known[i, p]

    lengths = Counter(longest(i, p) for p in labels(n) for i in range(2, n + 1))
    found = averages(n, "random, worst case")
    assert found.distribution == tuple(lengths[k] for k in range(max(lengths) + 1))


@pytest.mark.parametrize("n", [5, 6, 7])
def test_simulation_has_the_mean_and_the_bounds_of_its_routes(n: int) -> None:
    counts = np.array(simulated(n, seed=2))
    hops = np.repeat(np.arange(len(counts)), counts)
    assert len(hops) == Scc(n=n).nodes
    assert abs(hops.mean() - averages(n, "random").length) < 4 * hops.std() / len(hops) ** 0.5
    shortest = np.cumsum(averages(n, "minimal").distribution)
    longest = np.cumsum(averages(n, "random, worst case").distribution)
    drawn = counts.cumsum()
    assert (drawn <= shortest[np.minimum(np.arange(len(drawn)), len(shortest) - 1)]).all()
    assert (drawn >= longest[: len(drawn)]).all()


@pytest.mark.parametrize(
    ("n", "goals", "every"),
    only(
        [(6, [2], 29)],
        [(3, [2, 3], 1), (4, [2, 3, 4], 1), (5, [2], 1), (6, [2, 3], 1), (6, [2], 29)],
    ),
)
def test_routes_are_those_of_bfs(n: int, goals: list[int], every: int) -> None:
    for i_d in goals:
        goal: Node = (i_d, tuple(range(1, n + 1)))
        for (i, p), away in list(hops_to(goal, scc_neighbours).items())[::every]:
            taken, q = minimal_laterals(i, np.array(p), i_d), p
            for t in taken:
                assert t in b_list(q)
                q = behind(q, t)
            assert q == goal[1]
            assert route_length(i, taken, i_d, n) == away

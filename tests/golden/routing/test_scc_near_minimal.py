import numpy as np
import pytest

from fingerpost.golden.algebra.star_cycles import ring_distance
from fingerpost.golden.routing.scc_near_minimal import NearMinimal, promising
from fingerpost.golden.routing.walk import walk
from fingerpost.golden.topology.scc import Scc
from tests.golden.star_group import (
    Permutation,
    b_list,
    behind,
    d,
    f_list,
    labels,
    laterals,
    length,
    move_in,
)


def promise(i: int, p: Permutation, i_d: int) -> int:
    """Return Eq. (16) with L = 0."""
    n = len(p)
    if not b_list(p):
        return d(i, i_d, n)
    enter = min(d(i, b, n) for b in b_list(p))
    return enter + move_in(p) + min(d(f, i_d, n) for f in f_list(p))


def choice(i: int, p: Permutation, i_d: int) -> int:
    """Return the child of least M in Algorithm 3; of equals the nearest, then the smallest."""
    n = len(p)
    return min(b_list(p), key=lambda b: (d(i, b, n) + promise(b, behind(p, b), i_d), d(i, b, n), b))


@pytest.mark.parametrize(("n", "i_d"), [(3, 2), (4, 2), (4, 4), (5, 2), (5, 3)])
def test_routes_are_as_long_as_those_of_algorithm_3_without_backtracking(n: int, i_d: int) -> None:
    scc = Scc(n=n)
    goal = scc.node(f"{i_d}:" + "12345"[:n])
    hops = walk(NearMinimal(scc), np.arange(scc.nodes), np.full(scc.nodes, goal)).hops.tolist()
    for node, found in enumerate(hops):
        i, p = int(scc.name(node)[0]), tuple(map(int, scc.name(node)[2:]))
        taken, _ = laterals(i, p, lambda i, p: choice(i, p, i_d))
        assert found == length(i, taken, i_d, n)


@pytest.mark.parametrize(("n", "every"), [(6, 7), (7, 97)])
def test_choices_in_larger_networks(n: int, every: int) -> None:
    some = labels(n)[:-1:every]
    for i in range(2, n + 1):
        for i_d in (2, n):
            found = promising(np.array(i), np.array(some), np.array(i_d), ring_distance(n))
            expected = [choice(i, p, i_d) if b_list(p) else 1 for p in some]
            assert found.tolist() == expected

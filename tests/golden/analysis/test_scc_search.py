import numpy as np
import pytest

from fingerpost.golden.analysis.scc import minimal_laterals, route_length
from tests.golden.star_group import Node, b_list, behind, hops_to, scc_neighbours


def test_lengths_of_section_4_1() -> None:
    # From <3, 34125> to <2, 12345>.
    assert route_length(3, (2, 4, 2, 3), 2, 5) == 4 + 4 + 3
    assert route_length(3, (3, 2, 4, 2), 2, 5) == 4 + 4 + 1


def test_search_finds_the_shorter_one() -> None:
    assert minimal_laterals(3, np.array([3, 4, 1, 2, 5]), 2) == (3, 2, 4, 2)


def test_nothing_to_search() -> None:
    assert minimal_laterals(4, np.arange(1, 6), 2) == ()
    assert route_length(4, (), 2, 5) == 2


def check(n: int, goals: range, every: int = 1) -> None:
    for i_d in goals:
        goal: Node = (i_d, tuple(range(1, n + 1)))
        for (i, p), away in list(hops_to(goal, scc_neighbours).items())[::every]:
            taken, q = minimal_laterals(i, np.array(p), i_d), p
            for t in taken:
                assert t in b_list(q)
                q = behind(q, t)
            assert q == goal[1]
            assert route_length(i, taken, i_d, n) == away


@pytest.mark.regress
@pytest.mark.parametrize("n", [3, 4, 5])
def test_routes_are_those_of_bfs(n: int) -> None:
    check(n, range(2, n + 1) if n < 5 else range(2, 3))


def test_routes_are_those_of_bfs_where_the_search_goes_back() -> None:
    check(6, range(2, 3), every=29)


@pytest.mark.regress
def test_routes_are_those_of_bfs_from_every_node_of_scc_6() -> None:
    check(6, range(2, 4))

import numpy as np
import pytest

from fingerpost.golden.analysis.scc_search import minimal_laterals, route_length
from tests.golden.star_group import Node, b_list, behind, hops_to, scc_neighbours
from tests.quick import only


def test_lengths_of_section_4_1() -> None:
    # From <3, 34125> to <2, 12345>: the search finds the shorter one.
    assert route_length(3, (2, 4, 2, 3), 2, 5) == 4 + 4 + 3
    assert route_length(3, (3, 2, 4, 2), 2, 5) == 4 + 4 + 1
    assert minimal_laterals(3, np.array([3, 4, 1, 2, 5]), 2) == (3, 2, 4, 2)
    assert minimal_laterals(4, np.arange(1, 6), 2) == ()
    assert route_length(4, (), 2, 5) == 2


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

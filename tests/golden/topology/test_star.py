from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.algebra.permutation import number
from fingerpost.golden.topology.distance import summary
from fingerpost.golden.topology.star import Star
from tests.golden.star_group import behind, hops_to, labels, star_neighbours


@pytest.fixture(scope="module")
def example() -> Star:
    return Star(n=5)


@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_links_exchange_the_first_symbol(n: int) -> None:
    star = Star(n=n)
    assert (star.nodes, star.degree) == (factorial(n), n - 1)
    assert star.port_names == tuple(str(i) for i in range(2, n + 1))
    for label in labels(n):
        node = star.node("".join(map(str, label)))
        assert star.labels[node].tolist() == list(label)
        for port, other in enumerate(star_neighbours(label)):
            assert star.name(int(star.neighbour[node, port])) == "".join(map(str, other))
            assert star.arrival_port[node, port] == port


@pytest.mark.parametrize("n", [3, 4, 5, 6, 7])
def test_distances_are_the_papers(n: int) -> None:
    # Section 2.1: diameter floor(3(n-1)/2); Eq. (6), over all n! nodes, the identity included.
    away = hops_to(tuple(range(1, n + 1)), star_neighbours)
    diameter, mean = summary(Star(n=n))
    assert diameter == max(away.values()) == 3 * (n - 1) // 2
    assert mean == pytest.approx(sum(away.values()) / (factorial(n) - 1))
    harmonic = sum(1 / k for k in range(1, n + 1))
    expected = n + harmonic + 2 / n - 4
    assert mean * (factorial(n) - 1) / factorial(n) == pytest.approx(expected)


@given(st.integers(3, 6), st.data())
def test_renaming_symbols_keeps_ports_and_orbits(n: int, data: st.DataObject) -> None:
    star = Star(n=n)
    new_name = np.array(data.draw(st.permutations(range(1, n + 1))))
    image = number(new_name[star.labels - 1])
    assert (star.neighbour[image] == image[star.neighbour]).all()
    even = star.orbit[image[0]] == star.orbit[0]
    assert ((star.orbit[image] == star.orbit) == even).all()


@pytest.mark.parametrize("n", [3, 4, 5])
def test_orbits_are_the_parities(n: int) -> None:
    star = Star(n=n)
    for label in labels(n):
        swaps, p = 0, label
        while p != tuple(sorted(p)):
            misplaced = next(
                i for i in range(2, n + 1) if p[0] == i or (p[0] == 1 != p[i - 1] != i)
            )
            p, swaps = behind(p, misplaced), swaps + 1
        assert star.orbit[star.node("".join(map(str, label)))] == swaps % 2
    assert (star.orbit[star.neighbour] != star.orbit[:, None]).all()


def test_constants_for_info(example: Star) -> None:
    assert example.constants() == {"n": 5}


def test_numbers_and_permutations_name_nodes(example: Star) -> None:
    assert example.node("12345") == 119
    assert example.node("54321") == 0
    assert example.node(" 34125 ") == example.node(str(example.node("34125")))
    assert example.node("7") == 7

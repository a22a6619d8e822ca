"""Groups, and the numbers of permutations."""

from itertools import permutations as all_permutations
from math import factorial, gcd, lcm

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.algebra.group import BorelGroup, Group, number, permutations
from tests.golden.borel_group import Group as Matrices
from tests.golden.borel_group import times
from tests.golden.cayley import CyclicProduct, SymmetricGroup
from tests.golden.super_rotator_graph import vertex_number

SMALL = [
    BorelGroup(7, 2),
    BorelGroup(5, 1),
    SymmetricGroup(1),
    SymmetricGroup(4),
    CyclicProduct(1),
    CyclicProduct(4, 3, 2),
]


@pytest.mark.parametrize("group", SMALL)
def test_is_a_group(group: Group) -> None:
    g = np.arange(group.size)
    product = group.times(g[:, None], g)
    for row in (*product, *product.T):
        assert sorted(row.tolist()) == g.tolist()
    assert (group.times(product[:, :, None], g) == group.times(g[:, None, None], product)).all()
    assert (product[group.identity] == g).all()
    assert (product[g, group.inverse(g)] == group.identity).all()


@given(st.sampled_from([(3, 2), (5, 4), (7, 3), (11, 4), (13, 6)]), st.data())
def test_borel_group_is_that_of_matrices(parameters: tuple[int, int], data: st.DataObject) -> None:
    p, a = parameters
    matrices, group = Matrices(p, a, (0, 0), (0, 0)), BorelGroup(p, a)
    assert (group.k, group.size) == (matrices.k, matrices.nodes)
    element = {label: matrix for matrix, label in matrices.label.items()}
    g, h = (data.draw(st.integers(0, group.size - 1)) for _ in range(2))
    assert group.times(g, h) == matrices.label[times(element[g], element[h], p)]


@given(st.integers(1, 5), st.data())
def test_symmetric_group_composes_permutations(n: int, data: st.DataObject) -> None:
    element = sorted(all_permutations(range(n)), key=vertex_number)
    group = SymmetricGroup(n)
    assert group.size == len(element)
    g, h = (data.draw(st.sampled_from(element)) for _ in range(2))
    product = tuple(g[place] for place in h)
    assert group.times(vertex_number(g), vertex_number(h)) == vertex_number(product)


@given(st.lists(st.integers(1, 6), min_size=1, max_size=3), st.data())
def test_cyclic_product_adds_coordinates(moduli: list[int], data: st.DataObject) -> None:
    group = CyclicProduct(*moduli)
    x, y = ([data.draw(st.integers(0, m - 1)) for m in moduli] for _ in range(2))

    def number(coordinates: list[int]) -> int:
        total = 0
        for m, coordinate in zip(moduli[::-1], coordinates[::-1], strict=True):
            total = total * m + coordinate
        return total

    total = [(a + b) % m for a, b, m in zip(x, y, moduli, strict=True)]
    assert group.times(number(x), number(y)) == number(total)
    assert group.order(number(x)) == lcm(*(m // gcd(m, a) for a, m in zip(x, moduli, strict=True)))


@pytest.mark.parametrize("group", SMALL)
def test_powers_are_products(group: Group) -> None:
    for g in range(group.size):
        expected = [group.identity]
        while (product := int(group.times(expected[-1], g))) != group.identity:
            expected.append(product)
        assert group.powers(g).tolist() == expected
        assert group.order(g) == len(expected)
        exponents = range(len(expected) + 2)
        powers = [int(group.power(g, e)) for e in exponents]
        assert powers == [expected[e % len(expected)] for e in exponents]


def test_numbers_of_three_letters() -> None:
    # d_1, d_2 of each label: 321 0,0; 231 1,0; 312 0,1; 213 0,2 ...
    labels = np.array([(3, 2, 1), (2, 3, 1), (3, 1, 2), (1, 3, 2), (2, 1, 3), (1, 2, 3)])
    assert number(labels).tolist() == [0, 1, 2, 3, 4, 5]
    assert permutations(np.arange(6), 3).tolist() == labels.tolist()


def test_every_number_is_some_permutations() -> None:
    for n in range(1, 7):
        labels = list(all_permutations(range(1, n + 1)))
        numbers = number(np.array(labels)).tolist()
        assert numbers == [vertex_number(label) for label in labels]
        assert sorted(numbers) == list(range(factorial(n)))


@given(st.integers(1, 12), st.data())
def test_number_and_permutation_are_inverse(n: int, data: st.DataObject) -> None:
    numbers = np.array(data.draw(st.lists(st.integers(0, factorial(n) - 1), min_size=1)))
    labels = permutations(numbers, n)
    assert [sorted(label) for label in labels.tolist()] == [list(range(1, n + 1))] * len(numbers)
    assert [vertex_number(tuple(label)) for label in labels.tolist()] == numbers.tolist()
    assert number(labels).tolist() == numbers.tolist()


def test_arrays_of_any_shape() -> None:
    numbers = np.arange(24).reshape(2, 3, 4)
    labels = permutations(numbers, 4)
    assert labels.shape == (2, 3, 4, 4)
    assert number(labels).tolist() == numbers.tolist()

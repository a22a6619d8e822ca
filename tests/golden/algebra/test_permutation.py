from itertools import permutations as all_permutations
from math import factorial

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.algebra.permutation import number, permutations
from tests.golden.super_rotator_graph import vertex_number


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

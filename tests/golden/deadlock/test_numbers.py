import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.deadlock.numbers import Numbers

PAIRS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2**62)), max_size=40)
FEW = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=40)


@given(st.lists(PAIRS | FEW, max_size=5))
def test_numbers_are_those_of_a_dictionary(asked: list[list[tuple[int, int]]]) -> None:
    numbers, known = Numbers(1), dict[tuple[int, int], int]()
    for pairs in asked:
        first, second = (np.array([pair[i] for pair in pairs], np.int64) for i in range(2))
        found = numbers.of(first, second).tolist()
        for pair, number in zip(pairs, found, strict=True):
            assert known.setdefault(pair, number) == number
    assert sorted(known.values()) == list(range(numbers.known))
    kept = zip(numbers.first.tolist(), numbers.second.tolist(), strict=True)
    assert list(kept)[: numbers.known] == sorted(known, key=known.__getitem__)

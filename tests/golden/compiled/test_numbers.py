import numpy as np

from fingerpost.golden.compiled.numbers import FEWEST, Numbers


def test_numbers_are_those_of_a_dictionary() -> None:
    """Few and many pairs at a time, some often, negative ones, and beyond the first table."""
    rng = np.random.default_rng(1)
    numbers, expected = Numbers(), dict[tuple[int, int], int]()
    for count, span in (
        (0, 5),
        (300, 9),
        (2, 9),
        (FEWEST, 1 << 40),
        (3 * FEWEST, 50),
        (700, 1 << 62),
    ):
        first, second = rng.integers(-span, span, (2, count))
        pairs = list(zip(first.tolist(), second.tolist(), strict=True))
        want = [expected.setdefault(pair, len(expected)) for pair in pairs]
        assert numbers.of(first, second).tolist() == want
    assert numbers.known > 2 * FEWEST
    assert [tuple(pair) for pair in numbers.pairs.T.tolist()] == list(expected)

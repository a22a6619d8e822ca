import numpy as np
import pytest

from fingerpost.golden.measure.statistics import Estimate, by_batch, estimate


def test_interval_is_that_of_the_tables_of_student() -> None:
    # t(0.975) is 12.706 with 1 degree of freedom, 2.262 with 9.
    assert estimate([1, 3]) == pytest.approx((2, 2 - 12.706, 2 + 12.706), rel=1e-4)
    ten = np.arange(10)  # variance 110/12
    half = 2.2622 * (110 / 12 / 10) ** 0.5
    assert estimate(ten) == pytest.approx((4.5, 4.5 - half, 4.5 + half), rel=1e-4)


def test_one_batch_tells_nothing_about_its_error() -> None:
    assert estimate([7]) == Estimate(7, None, None)
    assert estimate([7]).interval is None
    assert estimate([5, 5]).interval == [5, 5]


def test_batches_are_of_one_length_and_in_order() -> None:
    time = np.array([9, 10, 11, 12, 13, 28, 29, 30])
    total, count = by_batch(time, 10 ** np.arange(8), start=10, cycles=20)
    assert total.tolist() == [110, 11000, 0, 0, 0, 0, 0, 0, 0, 1_100_000]
    assert count.tolist() == [2, 2, 0, 0, 0, 0, 0, 0, 0, 2]


def test_few_cycles_are_few_batches() -> None:
    total, count = by_batch(np.array([0, 1, 2]), np.array([5, 6, 7]), start=0, cycles=3)
    assert (total.tolist(), count.tolist()) == ([5, 6, 7], [1, 1, 1])

from fractions import Fraction

import numpy as np
import pytest

from fingerpost.golden.reliability.enumeration import enumeration
from fingerpost.golden.reliability.exact import ddlcn
from fingerpost.golden.reliability.links import double_loop
from tests.golden.reliability.brute import LINK, NODE


@pytest.mark.parametrize("n", range(2, 9))
def test_is_what_counting_gives(n: int) -> None:
    assert ddlcn(n, NODE, *LINK[:2]) == enumeration(double_loop(n, 1, n - 1), NODE, LINK[:2])


def test_value_by_hand() -> None:
    # n = 3, all chances 1/2: 3 * 1/2 * 1/4 * 1/4 for one dead node;
    # 1/8 * (1/8 + 1/8 - 1/64 + 3 * 1/4 * 1/16) for none.
    half = (Fraction(1, 2), Fraction(1, 2))
    assert ddlcn(3, half, half, half) == Fraction(3, 32) + Fraction(1, 8) * Fraction(18, 64)


def test_takes_arrays_for_a_curve() -> None:
    p = np.linspace(0, 1, 11)
    curve = ddlcn(12, (p, 1 - p), (0.9, 0.1), (0.8, 0.2))
    points = [ddlcn(12, (x, 1 - x), (0.9, 0.1), (0.8, 0.2)) for x in p]
    np.testing.assert_allclose(curve, points, rtol=1e-14)
    assert curve[0] == 0

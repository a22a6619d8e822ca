import itertools

import pytest
from amaranth import Module, Signal

from fingerpost.hdl.routing.rotator import descents
from tests.hdl.lib.test_logic import evaluate
from tests.hdl.routing.common import mismatches


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_decides_like_golden(n: int) -> None:
    assert mismatches({"family": "rotator", "n": n}, {"algorithm": "rotator"}) == []


def test_descents() -> None:
    m, label = Module(), [Signal(2, name=f"label{t}") for t in range(3)]
    cases = list(itertools.product(range(4), repeat=3))
    expected = [(a > b) << 1 | (b > c) << 2 for a, b, c in cases]
    assert evaluate(m, descents(label), label, cases) == expected

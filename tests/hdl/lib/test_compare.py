from itertools import product

import pytest
from amaranth import C, Module, Signal

from fingerpost.hdl.lib.compare import at_least
from tests.hdl.lib.test_logic import evaluate


@pytest.mark.parametrize(("width", "other"), [(1, 1), (3, 3), (4, 2), (2, 4)])
def test_at_least(width: int, other: int) -> None:
    value, bound = Signal(width), Signal(other)
    cases = list(product(range(1 << width), range(1 << other)))
    seen = evaluate(Module(), at_least(value, bound), [value, bound], cases)
    assert seen == [int(v >= b) for v, b in cases]


@pytest.mark.parametrize("bound", range(8))
def test_at_least_a_constant(bound: int) -> None:
    value = Signal(3)
    seen = evaluate(Module(), at_least(value, C(bound, 3)), [value], [(v,) for v in range(8)])
    assert seen == [int(v >= bound) for v in range(8)]

import pytest
from amaranth import Module, Signal

from fingerpost.hdl.lib.priority import highest, lowest
from tests.hdl.lib.test_logic import evaluate


@pytest.mark.parametrize("width", range(1, 7))
def test_lowest_and_highest(width: int) -> None:
    cases = [(word,) for word in range(1 << width)]
    word = Signal(width)
    first = evaluate(Module(), lowest(word), [word], cases)
    assert first == [i & -i for i in range(1 << width)]
    last = evaluate(Module(), highest(word), [word], cases)
    assert last == [1 << i.bit_length() >> 1 for i in range(1 << width)]

from typing import Any

import numpy as np
import pytest
from amaranth import Cat, Module, Signal

from fingerpost.golden.routing import kyklos_words as golden
from fingerpost.golden.topology.kyklos import Kyklos
from fingerpost.hdl.routing.kyklos_words import bit_length, slices, strings, thermometer
from tests.hdl.lib.test_logic import evaluate


@pytest.mark.parametrize("width", range(1, 7))
def test_lengths(width: int) -> None:
    cases = [(word,) for word in range(1 << width)]
    word = Signal(width)
    lengths = [i.bit_length() for i in range(1 << width)]
    assert evaluate(Module(), bit_length(word), [word], cases) == lengths
    bars = [(1 << length) - 1 for length in lengths]
    assert evaluate(Module(), thermometer(word), [word], cases) == bars


@pytest.mark.parametrize(
    "parameters",
    [
        {"r": 1, "n": 3},
        {"r": 2, "n": 6},
        {"r": 3, "n": 6},
        {"r": 4, "n": 8},
        {"r": 2, "n": 6, "variant": "original"},
        {"r": 2, "n": 4, "variant": "I"},
    ],
)
def test_all_strings_come_from_that_of_any_start_tree(parameters: dict[str, Any]) -> None:
    topology = Kyklos(m=2, **parameters)
    r, n = topology.r, topology.n
    word = np.arange(1 << n)
    x = (word[:, None] >> np.arange(n) & 1).astype(bool)

    def number(words: golden.Words) -> list[int]:
        numbers: list[int] = (words << np.arange(words.shape[-1])).sum(axis=-1).tolist()
        return numbers

    y = golden.strings(topology, x)
    short = golden.slices(topology, x)
    given = Signal(n)
    for s in range(r):
        cases = [(i,) for i in number(y[:, s])]
        order = (s + np.arange(r)) % r
        for hardware, expected in ((strings, y), (slices, short)):
            seen = evaluate(Module(), Cat(hardware(topology, given)), [given], cases)
            assert seen == number(expected[:, order].reshape(len(word), -1))

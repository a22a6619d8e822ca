"""The words of KYKLOS routing, in hardware; the twin of golden.routing.kyklos_words.

A word has its lowest bit first. Trees are counted from the start tree s on: the first of a list is
that of tree s, the next that of tree s + 1, and so on. All are made of the string Y_s, and from
there they are made alike whatever s is: level v of tree s + i changes that digit of Y_s which it
changes at s = 0.
"""

import numpy as np
from amaranth import Cat, Const, Value

from fingerpost.golden.topology.kyklos import Kyklos
from fingerpost.hdl.lib.logic import encode
from fingerpost.hdl.lib.priority import highest


def strings(topology: Kyklos, y: Value) -> list[Value]:
    """Return Y_s, Y_(s+1), ..., given Y_s."""
    place = np.argsort(topology.z[0])[topology.z]
    return [Cat(y[v] for v in row) for row in place.tolist()]


def slices(topology: Kyklos, y: Value) -> list[Value]:
    """Return X_s, X_(s+1), ..., the lower h bits of the strings."""
    return [string[: topology.h] for string in strings(topology, y)]


def thermometer(word: Value) -> Value:
    """Return as many ones, from bit 0 on, as the word is long: bit v says that it is over v."""
    return Cat(word[v:].any() for v in range(len(word)))


def bit_length(word: Value) -> Value:
    """Return the place of the highest 1, counted from 1, or 0: the levels to be climbed."""
    return encode(Cat(Const(0, 1), highest(word)))

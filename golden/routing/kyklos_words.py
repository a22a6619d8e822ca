"""The words of KYKLOS routing (kyklos-1988, Sections III and V).

Words are arrays of truth values with their lowest bit first along the last axis.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.topology.kyklos import Kyklos

Words = NDArray[np.bool_]


def differences(topology: Kyklos, i: IntArray, j: IntArray) -> Words:
    """Return X = XOR_m(i, j): X_g is true where digit g of the leaves differs; shape (..., n)."""
    word: Words = topology.digits(i) != topology.digits(j)
    return word


def strings(topology: Kyklos, x: NDArray[Any]) -> NDArray[Any]:
    """Return Y_t of every tree: bit v-1 is the digit that level v changes; shape (..., r, n).

    `x` is (..., n): X gives Y_t, the digits of the destination give D_t.
    """
    return np.asarray(x)[..., topology.z]


def slices(topology: Kyklos, x: Words) -> Words:
    """Return X_t of every tree: the lower h bits of Y_t; shape (..., r, h)."""
    return strings(topology, x)[..., : topology.h]


def bit_length(word: Words) -> IntArray:
    """Return the place of the highest 1, counted from 1, or 0: the levels to be climbed."""
    length: IntArray = np.where(word, np.arange(1, word.shape[-1] + 1), 0).max(axis=-1)
    return length


def start_tree(topology: Kyklos, j: IntArray) -> IntArray:
    """Return the start tree s of the messages of leaf j (Appendix A, step 3)."""
    return (-np.bitwise_count(np.abs(j)).astype(np.int64) - j // topology.r) % topology.r


def first_tree(wanted: Words, s: IntArray) -> IntArray:
    """Return the first of the trees s, s+1, ... that is `wanted`, or s; `wanted` is (..., r)."""
    r = wanted.shape[-1]
    order = (np.asarray(s)[..., None] + np.arange(r)) % r
    ahead = np.take_along_axis(wanted, order, axis=-1).argmax(axis=-1)
    tree: IntArray = (s + ahead) % r
    return tree

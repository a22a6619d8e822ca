"""Masks: a bit for each queue, or output channel, of a router."""

from typing import Any

from numba.cpython.unsafe import numbers

from fingerpost.golden.compiled.jit import compiled

INDEX, SMALL = (1 << 31) - 1, (1 << 16) - 1
"""Indices and sizes have no bits beyond. A number that is masked by one of these is not negative
for the compiler, which then leaves out the check for a negative index."""

count_trailing_zeros: Any = numbers.trailing_zeros


@compiled
def trailing_zeros(mask: int) -> int:
    """Return the index of the lowest bit that is set; `mask` is not 0."""
    index: int = count_trailing_zeros(mask)
    return index


@compiled
def pop_lowest(mask: int) -> tuple[int, int]:
    """Return the index of the lowest bit that is set, and the mask without this bit."""
    return trailing_zeros(mask), mask & (mask - 1)

"""Masks: a bit for each queue, or output channel, of a router."""

from typing import Any

from fingerpost.golden.jit.compile import compiled, compiled_as

INDEX, SMALL = (1 << 31) - 1, (1 << 16) - 1
"""Indices and sizes have no bits beyond. A number that is masked by one of these is not negative
for the compiler, which then leaves out the check for a negative index."""


def _of_numba() -> Any:
    from numba.cpython.unsafe import numbers

    return numbers.trailing_zeros


@compiled_as(_of_numba)
def trailing_zeros(mask: int) -> int:
    """Return the index of the lowest bit that is set; `mask` is not 0."""
    return (mask & -mask).bit_length() - 1


@compiled
def pop_lowest(mask: int) -> tuple[int, int]:
    """Return the index of the lowest bit that is set, and the mask without this bit."""
    return trailing_zeros(mask), mask & (mask - 1)


@compiled
def advance_chance(chance: int) -> int:
    """Return the state one cycle later, as `fingerpost.golden.algebra.chance.advance`."""
    for _ in range(16):
        feedback = (chance >> 15 ^ chance >> 14 ^ chance >> 12 ^ chance >> 3) & 1
        chance = (chance << 1 | feedback) & 0xFFFF
    return chance

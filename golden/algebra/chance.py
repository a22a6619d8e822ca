"""The random bits of a router: a linear-feedback shift register, the same in every router."""

from typing import TypeVar

from fingerpost.golden.arrays import IntArray

SEED = 0xACE1
"""The state after a reset; any but 0."""


def advance(state: int) -> int:
    """Return the state one cycle later: 16 steps of x^16 + x^15 + x^13 + x^4 + 1."""
    for _ in range(16):
        feedback = (state >> 15 ^ state >> 14 ^ state >> 12 ^ state >> 3) & 1
        state = (state << 1 | feedback) & 0xFFFF
    return state


Numbers = TypeVar("Numbers", int, IntArray)


def salt(node: Numbers) -> Numbers:
    """Return the 16 bits that set the chance of a node apart from that of others."""
    return node * 0x9E37 & 0xFFFF


def selection(state: int, node: IntArray) -> IntArray:
    """Return the 16 random bits of nodes."""
    return state ^ salt(node)

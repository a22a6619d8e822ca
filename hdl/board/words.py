"""Contents of the packets on a board, which let a sink check them.

A beat is a word of 16 bits, repeated as often as it fits. The first has the destination lowest,
then how many beats follow, and chance above. Each of the others is one step of a shift register on
from the word before it, and the number of the source is in it by exclusive or.
"""

from amaranth import Cat, Const, Mux, Value

WORD = 16
"""Bits of a word."""

LENGTH = 2
"""Bits that say how many beats follow the first."""

POLYNOMIAL = 0xB400
"""x^16 + x^14 + x^13 + x^11 + 1, shifting to the right."""


def following(word: Value, source: Value) -> Value:
    """Return the word behind a word of a packet."""
    step = Cat(word[1:], Const(0, 1)) ^ Mux(word[0], POLYNOMIAL, 0)
    return (step ^ source)[:WORD]


def repeated(word: Value, width: int) -> Value:
    """Return tdata of a word."""
    return Cat(word for _ in range(-(-width // WORD)))[:width]

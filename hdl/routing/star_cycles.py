"""The r-cycles of a permutation in hardware; the twin of fingerpost.golden.algebra.star_cycles.

A permutation p is a list of one-hot vectors: bit s of p[k] is set if symbol s + 1 is at position
k + 1. Read by columns it is the inverse. Sets of symbols are masks, bit s for symbol s + 1. What
here is passed on in steps of one symbol goes along the r-cycles both ways at once, so half the
length of an r-cycle is enough.
"""

from collections.abc import Sequence
from functools import reduce
from operator import and_

from amaranth import Cat, Const, Module, Signal, Value

from fingerpost.hdl.lib.logic import select


def one_hot(m: Module, name: str, number: Value, count: int) -> Signal:
    """Return a vector of `count` bits in which bit `number` is set, if there is such a bit."""
    vector = Signal(count, name=name)
    m.d.comb += vector.eq(1 << number)
    return vector


def count(m: Module, mask: Value) -> Value:
    """Return the number of bits that are set, by full adders: few bits want no carry chain."""
    column, total = list(mask), []
    while column:
        carries: list[Value] = []
        while len(column) > 1:
            x, y, z = [*column[:2], column[2] if len(column) > 2 else Const(0, 1)]
            bit, carry = Signal(name="count"), Signal(name="carry")
            m.d.comb += [bit.eq(x ^ y ^ z), carry.eq((x & y) | (z & (x ^ y)))]
            column = [*column[3:], bit]
            carries.append(carry)
        total += column
        column = carries
    return Cat(total)


def lowest(mask: Value) -> Value:
    """Return the lowest bit that is set in `mask`, one-hot."""
    return Cat(mask[k] & ~mask[:k].any() for k in range(len(mask)))


def column(p: Sequence[Value], s: int) -> Value:
    """Return the position of symbol `s`, one-hot."""
    return Cat(row[s] for row in p)


def is_permutation(p: Sequence[Value]) -> Value:
    """Return whether every symbol is at some position."""
    return reduce(and_, (column(p, s).any() for s in range(len(p))))


def is_identity(p: Sequence[Value]) -> Value:
    """Return whether every symbol is at its position."""
    return Cat(row[k] for k, row in enumerate(p)).all()


def misplaced(p: Sequence[Value]) -> Value:
    """Return the symbols that are not at their positions."""
    return ~Cat(row[k] for k, row in enumerate(p))


def _neighbours(m: Module, p: Sequence[Value]) -> list[Value]:
    """Return for every symbol the next one of its r-cycle, and the one before it."""
    neighbours: list[Value] = [Signal(len(p), name=f"beside{k + 1}") for k in range(len(p))]
    m.d.comb += [x.eq(p[k] | column(p, k)) for k, x in enumerate(neighbours)]
    return neighbours


def apart(m: Module, p: Sequence[Value]) -> Signal:
    """Return the symbols of the r-cycles, r >= 2, that are without symbol 1."""
    n, neighbours = len(p), _neighbours(m, p)
    with_one: Value = neighbours[0] | 1
    for step in range(2, n // 2 + 1):
        further = Signal(n, name=f"with_one{step}")
        m.d.comb += further.eq(with_one | select(with_one, neighbours))
        with_one = further
    whole = Signal(n, name="apart")
    m.d.comb += whole.eq(misplaced(p) & ~with_one)
    return whole


def bsymbols(m: Module, p: Sequence[Value], whole: Value) -> Signal:
    """Return B(p), the lateral links that lower the star distance: p[1], and all of `apart`."""
    b = Signal(len(p), name="b")
    m.d.comb += b.eq(Cat(0, (whole | p[0])[1:]))
    return b


def same_cycle(m: Module, p: Sequence[Value]) -> list[Value]:
    """Return for every symbol of an r-cycle without symbol 1 all symbols of that r-cycle.

    For another symbol, some of its r-cycle. Doubling the steps costs n times as much as `apart`
    for half the depth; here all symbols are asked about.
    """
    n = len(p)
    single = [row | 1 << k for k, row in enumerate(_neighbours(m, p))]

    def further(name: str, here: Sequence[Value], there: Sequence[Value]) -> list[Value]:
        reached: list[Value] = [Signal(n, name=f"{name}_{k + 1}") for k in range(n)]
        for k in range(1, n):
            # Not by way of symbol 1: these r-cycles are without it.
            m.d.comb += reached[k].eq(select(here[k][1:], there[1:]))
        return reached

    steps = (n - 1) // 2
    if steps == 1:
        return single
    double = further("double", single, single)
    if steps == 2:
        return double
    return further("cycle", double, single if steps == 3 else double)

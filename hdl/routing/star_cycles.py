"""The r-cycles of a permutation in hardware; the twin of fingerpost.golden.algebra.star_cycles.

A permutation p is a list of one-hot vectors: bit s of p[k] is set if symbol s + 1 is at position k
+ 1. Read by columns it is the inverse. Sets of symbols are masks, bit s for symbol s + 1. What here
is passed on in steps of one symbol goes along the r-cycles both ways at once, so half the length of
an r-cycle is enough.

`nearest` is golden.routing.star.nearest, for star-connected cycles. Everything is turned so that
the node is at place 0 of the ring: place r is ring position i + r. Where i is a constant, as in a
router, turning costs nothing.
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


def nearest(m: Module, p: Sequence[Value], i: Value) -> Value:
    """Return the link of B(p) nearest to position `i`, the first in canonical order, one-hot."""
    ring = len(p) - 1
    b = _turn(bsymbols(m, p, apart(m, p)), i)
    here, first = Signal(ring, name="b_turned"), Signal(ring, name="nearest_turned")
    m.d.comb += [here.eq(b), first[0].eq(here[0])]
    free = ~here[0]
    for d in range(1, (ring + 1) // 2):
        plus, minus = here[d], here[-d]
        by_plus = Signal(name=f"by_plus{d}")
        m.d.comb += [
            by_plus.eq(plus & (~minus | _plus_comes_first(m, p, i, d))),
            first[d].eq(free & by_plus),
            first[-d].eq(free & minus & ~by_plus),
        ]
        free = free & ~plus & ~minus
    if ring % 2 == 0:
        m.d.comb += first[ring // 2].eq(free & here[ring // 2])
    return Cat(0, _turn_back(first, i))


def _turn(mask: Value, i: Value) -> Value:
    """Return a set of positions by places; position 1 is on no ring."""
    ring = len(mask) - 1
    return Cat(mask[1:], mask[1:]).bit_select((i - 1)[: len(i)], ring)


def _turn_back(mask: Value, i: Value) -> Value:
    """Return a set of places by positions 2 and up."""
    ring = len(mask)
    return (Cat(mask, mask) << (i - 1)[: len(i)])[ring : 2 * ring]


def _plus_comes_first(m: Module, p: Sequence[Value], i: Value, d: int) -> Value:
    """Return whether the link at place d comes before that at -d in canonical order.

    Both are in B(p), and none nearer is. So an r-cycle through them has only places farther off
    besides. The order begins with p[1]; then the r-cycle of the smallest symbol comes first, and
    in it whichever of the two is met first from there on. So the smallest symbol from which one
    of them is met, before the other, decides.
    """
    ring = len(p) - 1
    rows = Signal(ring * ring, name=f"turned{d}")
    m.d.comb += rows.eq(
        Cat(*[_turn(row, i) for row in p[1:]] * 2).bit_select((i - 1)[: len(i)] * ring, ring * ring)
    )
    p_turned = [rows.word_select(r, ring) for r in range(ring)]
    farther = range(d + 1, ring - d)
    meets = []
    for end, name in ((d, "plus"), (ring - d, "minus")):
        directly = Cat(p_turned[r][end] if r in farther else r == end for r in range(ring))
        met: Value = directly
        for step in range(1, len(farther)):
            also = Signal(ring, name=f"{name}{d}_{step}")
            for r in farther:
                by = [p_turned[r][s] & met[s] for s in farther if s != r]
                m.d.comb += also[r].eq(directly[r] | Cat(by).any())
            m.d.comb += also[end].eq(1)
            met = also
        meets.append(met)
    one = _turn(p[0], i)
    plus, minus = (
        Cat(one[end], _turn_back(met, i)) for end, met in zip((d, ring - d), meets, strict=True)
    )
    return _first(m, plus, minus)[0]


def _first(m: Module, plus: Value, minus: Value) -> tuple[Value, Value]:
    """Return the two bits at the lowest place where either is set; never are both."""
    half = len(plus) // 2
    if not half:
        return plus, minus
    low, high = _first(m, plus[:half], minus[:half]), _first(m, plus[half:], minus[half:])
    first = Signal(name="plus_first"), Signal(name="minus_first")
    m.d.comb += [
        first[0].eq(low[0] | (high[0] & ~low[1])),
        first[1].eq(low[1] | (high[1] & ~low[0])),
    ]
    return first

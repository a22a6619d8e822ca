"""The nearest lateral link of B(p): golden.routing.scc_greedy.nearest, for star-connected cycles.

Everything is turned so that the node is at place 0 of the ring: place r is ring position i + r.
Where i is a constant, as in a router, turning costs nothing.
"""

from collections.abc import Sequence

from amaranth import Cat, Module, Signal, Value

from fingerpost.hdl.routing.star_cycles import apart, bsymbols


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

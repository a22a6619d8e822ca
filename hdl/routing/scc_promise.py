"""The most promising lateral link: golden.routing.scc_near_minimal.promising, all links at once.

For a link b, d(i, b) + Eq. (16) behind b is, but for what is the same for all b,

    d(i, b) + enter + leave + d(b, p[1]) - d(b, p[b]),

since exchanging positions 1 and b changes two terms of Eq. (8) only; d is 0 where either is 1.
`enter` is the distance from b to the nearest symbol of B behind b, `leave` from i_d to that of F.
Behind b, the r-cycles without symbol 1 are those of p, less the one of b. Only b itself can leave
both sets empty, and then there is no other link to choose.

Distances are bars here: bit k is set if the distance is above k.
"""

from collections.abc import Sequence

from amaranth import Cat, Const, Module, Mux, Signal, Value

from fingerpost.golden.algebra.star_cycles import ring_distance
from fingerpost.hdl.routing.star_cycles import count, same_cycle


def promising(m: Module, p: Sequence[Value], whole: Value, b: Value, i: Value, i_d: Value) -> Value:
    """Return the link of `b` = B(p) which promises the shortest route, one-hot.

    Of equals the nearest, and of these the smallest. `whole` are the symbols of the r-cycles
    without symbol 1.
    """
    n = len(p)
    cycle = same_cycle(m, p)
    around_i = _around(m, "around_i", i, n)
    around_i_d = _around(m, "around_i_d", i_d, n)
    keys = []
    for k in range(1, n):
        others = Signal(n, name=f"others{k + 1}")
        m.d.comb += others.eq(whole & ~cycle[k])
        before_one = Cat(row[0] if s != k else p[0][0] for s, row in enumerate(p))
        around_k = [Const(mask, n) for mask in _masks(k, n)]
        d = Cat(~mask[k] for mask in around_i)
        enter = _distance(others | p[k], around_k)
        leave = _distance(others | before_one, around_i_d)
        first, following = (_farther(row, around_k) for row in (p[0], p[k]))
        bars = Signal(5 * len(d), name=f"bars{k + 1}")
        m.d.comb += bars.eq(Cat(d, enter, leave, first, ~following))
        promise = count(m, bars)
        keys.append(Cat(count(m, d), promise, ~b[k]))
    return Cat(0, _least(m, keys)[1])


def _masks(t: int, n: int) -> list[int]:
    """Return the ring positions within distance 0, 1, 2, ... of position `t`, but not all."""
    d = ring_distance(n)[t]
    return [sum(1 << s for s in range(1, n) if d[s] <= k) for k in range((n - 1) // 2)]


def _around(m: Module, name: str, t: Value, n: int) -> Sequence[Value]:
    """Return the same for a position that is a signal."""
    masks = [Signal(n, name=f"{name}_{k}") for k in range((n - 1) // 2)]
    with m.Switch(t):
        for position in range(1, n):
            with m.Case(position):
                m.d.comb += [x.eq(mask) for x, mask in zip(masks, _masks(position, n), strict=True)]
    return masks


def _distance(positions: Value, around: Sequence[Value]) -> Value:
    """Return the distance of the nearest of `positions` from the middle of `around`."""
    return Cat(~(positions & mask).any() for mask in around)


def _farther(symbol: Value, around: Sequence[Value]) -> Value:
    """Return the distance of one position from the middle of `around`; 0 if it is 1."""
    return Cat((symbol & ~mask)[1:].any() for mask in around)


def _least(m: Module, keys: Sequence[Value]) -> tuple[Value, Value]:
    """Return the least key, and the first place that has it, one-hot."""
    half = len(keys) // 2
    if not half:
        return keys[0], Const(1, 1)
    (low, lower), (high, higher) = _least(m, keys[:half]), _least(m, keys[half:])
    least, is_low = Signal(len(low), name="least"), Signal(name="is_low")
    m.d.comb += [is_low.eq(low <= high), least.eq(Mux(is_low, low, high))]
    return least, Mux(is_low, lower, Cat(Const(0, len(lower)), higher))

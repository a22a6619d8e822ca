"""Shortest ways in the circulant graph of the classes; the twin of golden.algebra.gcr."""

from collections.abc import Sequence
from itertools import pairwise

from amaranth import C, Cat, Module, Mux, Signal, Value, signed
from amaranth.lib.wiring import In, Out

from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.logic import at_least, select


class TableII(Component):
    """The computation of phase I, Table II of two-phase-1995 as corrected; two cycles, no ROM.

    The loops over the sign, l and Q' are unrolled, but only into the steps whose candidates are
    taken for some r: 2 to 15 of up to 96 in Tables III and IV. First the candidates are made, then
    the shortest is chosen, of equals the first. t1, t2 and k are constants, so that a division is a
    comparison with all multiples at once.

    Parameters
    ----------
    k, t1, t2 : int
    steps : sequence of (sign, l, Q')
        The steps to make, see `fingerpost.golden.algebra.gcr.TableII`.
    width : int
        Bits of the signed results.

    Members
    -------
    r : ``In(range(k))``          The class difference.
    m1, m2 : ``Out(signed(w))``   Two cycles later: the links A and B that lead there.
    """

    def __init__(
        self, k: int, t1: int, t2: int, *, steps: Sequence[tuple[int, int, int]], width: int
    ) -> None:
        self.k, self.t1, self.t2, self.steps, self.width = k, t1, t2, steps, width
        super().__init__({"r": In(range(k)), "m1": Out(signed(width)), "m2": Out(signed(width))})

    def elaborate(self, platform: object) -> Module:
        """Make the candidates; choose the shortest."""
        m = Module()
        ways: list[tuple[Value, Value]] = []  # length, and m1 and m2
        for number, step in enumerate(self.steps):
            length, pair = self._candidate(m, *step)
            kept_length = Signal(len(length), name=f"length{number}")
            kept_pair = Signal(len(pair), name=f"pair{number}")
            m.d.sync += [kept_length.eq(length), kept_pair.eq(pair)]
            ways.append((kept_length, kept_pair))
        while len(ways) > 1:
            pairs = zip(ways[::2], ways[1::2], strict=False)
            odd = ways[len(ways) & ~1 :]
            ways = [_shorter(m, *pair) for pair in pairs] + odd  # a tree that keeps the order
        m.d.sync += Cat(self.m1, self.m2).eq(ways[0][1])
        return m

    def _candidate(self, m: Module, sign: int, turn: int, extra: int) -> tuple[Value, Value]:
        """Return |m1| + |m2|, with a 1 above if there is no such way, and m1 and m2, for a step."""
        hi, lo = max(self.t1, self.t2), min(self.t1, self.t2)
        way = Signal(range(self.k + 1))
        m.d.comb += way.eq(self.r if sign > 0 else self.k - self.r)
        # u = way + l k; what m1 hi leaves of it is rest + Q' hi, and lo shall divide that.
        quotient, rest = _divide(m, way, turn * self.k, self.k, hi)
        part, rest = _divide(m, rest, 0, hi - 1, lo)
        missing = -extra * hi % lo
        most = (turn + 1) * self.k // hi + abs(extra), (hi - 1) // lo + abs(extra) * hi // lo + 1
        high, low = Signal(range(-most[0], most[0] + 1)), Signal(range(-most[1], most[1] + 1))
        length = Signal(range(2 * (sum(most) + 1)))
        m1, m2 = (high, low) if self.t1 >= self.t2 else (low, high)
        first, second = Signal(signed(self.width)), Signal(signed(self.width))
        pair = first, second
        m.d.comb += [
            high.eq(quotient - extra),
            low.eq(part + (extra * hi + missing) // lo),
            length.eq(Cat((abs(high) + abs(low))[: len(length) - 1], rest != missing)),
            *(kept.eq(sign * x) for kept, x in zip(pair, (m1, m2), strict=True)),
        ]
        return length, Cat(pair)


def _divide(m: Module, value: Value, more: int, most: int, divisor: int) -> tuple[Value, Value]:
    """Return quotient and remainder of value + more, for a value in 0..most, by a constant."""
    if divisor == 1:
        return value + more, C(0, 1)
    multiples = range(more // divisor, (more + most) // divisor + 1)
    reached = [C(1, 1), *(at_least(value, C(i * divisor - more)) for i in multiples[1:]), C(0, 1)]
    last = Signal(len(multiples))  # one-hot: of the multiples that are reached
    quotient, remainder = Signal(range(multiples[-1] + 1)), Signal(range(divisor))
    m.d.comb += [
        last.eq(Cat(here & ~above for here, above in pairwise(reached))),
        quotient.eq(select(last, [C(i) for i in multiples])),
        remainder.eq(
            select(last, [(value + (more - i * divisor))[: len(remainder)] for i in multiples])
        ),
    ]
    return quotient, remainder


def _shorter(m: Module, a: tuple[Value, Value], b: tuple[Value, Value]) -> tuple[Value, Value]:
    """Return the shorter of two ways, the first of equals."""
    second = Signal()
    length, pair = Signal(len(a[0])), Signal(len(a[1]))
    result = length, pair
    m.d.comb += second.eq(b[0] < a[0])
    m.d.comb += [r.eq(Mux(second, y, x)) for r, x, y in zip(result, a, b, strict=True)]
    return result

"""Two-phase routing in hardware; the twin of fingerpost.golden.routing.two_phase."""

from collections.abc import Sequence
from itertools import pairwise

from amaranth import Array, C, Cat, Module, Mux, Signal, Value, signed
from amaranth.lib.wiring import In, Out

from fingerpost.golden.routing import TwoPhase as Golden
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.logic import at_least, rom, select, subtract_modulo
from fingerpost.hdl.routing.base import HeaderGenerator, RoutingUnit


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
        super().__init__(r=In(range(k)), m1=Out(signed(width)), m2=Out(signed(width)))

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


class TwoPhaseHeaderGenerator(HeaderGenerator):
    """The word of phase II, which the source looks up; two cycles, a ROM of p words.

    With ``phase1: computed`` also the links of phase I, which it computes; three cycles.
    """

    routing: Golden

    def elaborate(self, platform: object) -> Module:
        """First the way from the entry to the destination, then its word from the ROM."""
        m = Module()
        p, k = self.routing.topology.p, self.routing.topology.k
        header = self.header
        entry, relative = Signal(range(p)), Signal(range(p))
        c, error = Signal.like(header.c), Signal()
        m.d.comb += entry.eq(Array(self.straps[f"entry{i}"] for i in range(k))[header.c])
        m.d.sync += [
            relative.eq(subtract_modulo(m, header.x, entry, p)),  # Eq. (3)
            c.eq(header.c),
            error.eq(header.phase | at_least(header.c, C(k)) | at_least(header.x, C(p))),
        ]
        words = rom(m, "words", relative, self.routing.words.tolist())
        m.d.comb += self.next_header.phase.eq(0)
        word, refused = self.next_header.word, self.error
        if self.routing.phase1 == "table":
            m.d.sync += self.next_header.c.eq(c)
        else:
            word, refused = Signal.like(word), Signal()
            m.d.sync += [self.next_header.word.eq(word), self.error.eq(refused)]
            self._compute(m)
        m.d.sync += [word.eq(words), refused.eq(error)]
        return m

    def _compute(self, m: Module) -> None:
        """Give the header the links of phase I, by Table II."""
        k, straps, header = self.routing.topology.k, self.straps, self.next_header
        t1, t2 = self.routing.topology.shift[:2].tolist()
        m.submodules.table_ii = table_ii = TableII(
            k, t1, t2, steps=self.routing.table_ii.steps, width=len(header.m1)
        )
        r = Signal(range(k))
        m.d.sync += r.eq(subtract_modulo(m, self.header.c, straps.c, k))
        m.d.comb += [table_ii.r.eq(r), header.m1.eq(table_ii.m1), header.m2.eq(table_ii.m2)]


class TwoPhase(RoutingUnit):
    """The decision of two-phase routing (two-phase-1995, Section IV); combinational, no ROM."""

    algorithm = "two-phase"
    header_generator = TwoPhaseHeaderGenerator

    routing: Golden

    def elaborate(self, platform: object) -> Module:
        """Phase I by the class or by the links it still takes, phase II by the word."""
        m = Module()
        local, header = self.routing.topology.local, self.header
        walking, arrived = Signal(), Signal()
        by = self._by_class if self.routing.phase1 == "table" else self._by_counts
        first_link = by(m, walking)
        m.d.comb += [
            arrived.eq(~walking & ~header.word[1:].any()),
            self.next_header.phase.eq(~walking),
            self.next_header.word.eq(Mux(walking, header.word, header.word >> 2)),
        ]
        with m.If(arrived):
            m.d.comb += self.port.eq(local)
        with m.Else():
            m.d.comb += self.port.eq(Mux(walking, first_link, header.word[:2]))
        return m

    def _by_class(self, m: Module, walking: Signal) -> Value:
        """Return the link of the phase I table, from this class on."""
        k, header, straps = self.routing.topology.k, self.header, self.straps
        first_link = Signal(2)
        m.d.comb += [
            first_link.eq(Array(straps[f"first{i}"] for i in range(k))[header.c]),
            self.error.eq(header.c >= k),
            walking.eq(~header.phase & (header.c != straps.c)),
            self.next_header.c.eq(header.c),
        ]
        return first_link

    def _by_counts(self, m: Module, walking: Signal) -> Value:
        """Return the link that comes next: all of m1 before m2. No table, and no class."""
        m1, m2 = self.header.m1.as_signed(), self.header.m2.as_signed()
        first = Signal()  # A or A^-1
        m.d.comb += [
            first.eq(m1.any()),
            walking.eq(first | m2.any()),
            self.next_header.m1.eq(_nearer_to_0(m1)),
            self.next_header.m2.eq(Mux(first, m2, _nearer_to_0(m2))),
        ]
        return Cat(~first, Mux(first, m1[-1], m2[-1]))  # A, B, A^-1, B^-1


def _nearer_to_0(count: Value) -> Value:
    return Mux(count[-1], count + 1, Mux(count.any(), count - 1, 0))

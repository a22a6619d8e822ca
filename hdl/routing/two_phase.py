"""Two-phase routing in hardware; the twin of fingerpost.golden.routing.two_phase."""

from amaranth import Array, C, Cat, Module, Mux, Signal, Value

from fingerpost.golden.routing import TwoPhase as Golden
from fingerpost.hdl.lib.circulant import TableII
from fingerpost.hdl.lib.logic import at_least, rom, subtract_modulo
from fingerpost.hdl.routing.base import HeaderGenerator, RoutingUnit


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

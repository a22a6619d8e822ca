"""Two-phase routing in hardware; the twin of golden.routing.two_phase."""

from amaranth import Array, Module, Mux, Signal

from golden.routing import TwoPhase as Golden
from hdl.logic import rom, subtract_modulo
from hdl.routing.base import Launch, RoutingUnit

__all__ = ["TwoPhase", "TwoPhaseLaunch"]


class TwoPhase(RoutingUnit):
    """The decision of two-phase routing (two-phase-1995, Section IV); combinational.

    Members are those of `RoutingUnit`.
    """

    algorithm = "two-phase"

    routing: Golden

    def elaborate(self, platform: object) -> Module:
        """Phase I by a table of the class differences, phase II by the word."""
        m = Module()
        k, local = self.routing.topology.k, self.routing.topology.local
        header, straps = self.header, self.straps

        first_link = Signal(2)  # the phase I table, from this class on
        m.d.comb += first_link.eq(Array(straps[f"first{i}"] for i in range(k))[header.c])
        walking, arrived = Signal(), Signal()
        m.d.comb += [
            self.error.eq(header.c >= k),
            walking.eq(~header.phase & (header.c != straps.c)),
            arrived.eq(~walking & ~header.word[1:].any()),
            self.next_header.phase.eq(~walking),
            self.next_header.c.eq(header.c),
            self.next_header.word.eq(Mux(walking | arrived, header.word, header.word >> 2)),
        ]
        with m.If(arrived):
            m.d.comb += self.port.eq(local)
        with m.Else():
            m.d.comb += self.port.eq(Mux(walking, first_link, header.word[:2]))
        return m


class TwoPhaseLaunch(Launch):
    """The word of phase II, which the source looks up; two cycles.

    Members are those of `Launch`.
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
            error.eq(header.phase | (header.c >= k) | (header.x >= p)),
        ]
        words = rom(m, "words", relative, self.routing.words.tolist())
        m.d.sync += [
            self.next_header.phase.eq(0),
            self.next_header.c.eq(c),
            self.next_header.word.eq(words),
            self.error.eq(error),
        ]
        return m

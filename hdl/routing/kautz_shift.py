"""Shortest paths in Kautz graphs in hardware; the twin of fingerpost.golden.routing.kautz_shift."""

from itertools import pairwise

from amaranth import Cat, Module, Mux

from fingerpost.golden.routing import Shift as Golden
from fingerpost.hdl.lib.logic import highest, select, subtract_modulo
from fingerpost.hdl.routing.base import HeaderGenerator, RoutingUnit


class ShiftHeaderGenerator(HeaderGenerator):
    """Pass the header on if it is a word of a node; combinational."""

    routing: Golden

    def elaborate(self, platform: object) -> Module:
        """Look for other letters, and for equal neighbours."""
        m = Module()
        degree, diameter = self.routing.topology.degree, self.routing.topology.diameter
        word = [self.header[f"letter{t}"] for t in range(diameter)]
        strange = Cat(letter > degree for letter in word).any()
        equal = Cat(a == b for a, b in pairwise(word)).any()
        m.d.comb += [self.next_header.eq(self.header), self.error.eq(strange | equal)]
        return m


class Shift(RoutingUnit):
    """Append the letter of the destination that follows the longest overlap; combinational."""

    algorithm = "shift"
    header_generator = ShiftHeaderGenerator

    routing: Golden

    def elaborate(self, platform: object) -> Module:
        """Compare every suffix in parallel; the longest equal one selects the letter."""
        m = Module()
        degree, diameter = self.routing.topology.degree, self.routing.topology.diameter
        word = [self.straps[f"letter{t}"] for t in range(diameter)]
        goal = [self.header[f"letter{t}"] for t in range(diameter)]
        same = [
            Cat(a == b for a, b in zip(word[diameter - k :], goal[:k], strict=True)).all()
            for k in range(1, diameter + 1)
        ]
        longest = highest(Cat(1, *same))
        letter = select(longest[:diameter], goal)
        port = subtract_modulo(m, letter, word[-1] + 1, degree + 1)
        m.d.comb += [
            self.port.eq(Mux(same[-1], self.routing.topology.local, port)),
            self.next_header.eq(self.header),
        ]
        return m

"""Adaptive shortest-path routing in hardware; the twin of fingerpost.golden.routing.adaptive."""

from amaranth import Module, Mux, Signal, Value

from fingerpost.golden.routing import Adaptive as Golden
from fingerpost.hdl.lib.memory import look_up
from fingerpost.hdl.routing.vertex_transitive import (
    VertexTransitive,
    VertexTransitiveHeaderGenerator,
    rows,
)


class Adaptive(VertexTransitive):
    """Any free link of the shortest paths; combinational, a ROM of 6 bits for each node of it.

    An entry is the mask of the links on shortest paths, and above it the balanced one.
    """

    algorithm = "adaptive"

    routing: Golden

    def _choose(self, m: Module, way: Value) -> Value:
        """Return the balanced link if it is free or none is, else the lowest that is."""
        row = look_up(m, "links", way, rows(self.routing.mask | self.routing.link << 4, len(way)))
        mask, link = row[:4], row[4:]
        free, lowest = Signal(4), Signal(2)
        m.d.comb += free.eq(mask & self.selection[:4])
        for i in reversed(range(4)):
            with m.If(free[i]):
                m.d.comb += lowest.eq(i)
        return Mux(free.bit_select(link, 1) | ~free.any(), link, lowest)


class AdaptiveHeaderGenerator(VertexTransitiveHeaderGenerator):
    """As for vertex-transitive routing: the way to go, in a cycle."""

"""Vertex-transitive routing in hardware; the twin of golden.routing.vertex_transitive."""

from typing import Any

from amaranth import Array, C, Cat, Module, Mux, Signal, Value

from fingerpost.golden import routing as golden
from fingerpost.golden.arrays import IntArray
from fingerpost.hdl.lib.logic import rom, subtract_modulo
from fingerpost.hdl.lib.memory import look_up
from fingerpost.hdl.routing.base import HeaderGenerator, RoutingUnit


class VertexTransitiveHeaderGenerator(HeaderGenerator):
    """The way j' from here to the destination, in a cycle; and its word from a ROM, in two.

    The ROM is one block of 2 D + 1 bits for each node of the network. An absolute address is not
    touched.
    """

    routing: golden.VertexTransitive

    def elaborate(self, platform: object) -> Module:
        """Take this node off the destination (Table 2, step 1); look up the whole path."""
        if self.routing.address == "absolute":
            return super().elaborate(platform)
        m = Module()
        p, k, header = self.routing.topology.p, self.routing.topology.k, self.header
        wrong = (header.c >= k) | (header.x >= p)
        way = Cat(_way(m, self.routing, header, self.straps))
        if self.routing.path == "hop":
            m.d.sync += [self.next_header.eq(way), self.error.eq(wrong)]
            return m
        row, error = Signal(len(way)), Signal()
        # A way that is none has no row.
        m.d.sync += [row.eq(Mux(wrong, 0, way)), error.eq(wrong), self.error.eq(error)]
        words = rows(self.routing.words, len(way))[: p << len(header.c)]
        m.d.comb += self.next_header.word.eq(look_up(m, "words", row, words, domain="sync"))
        return m


class VertexTransitive(RoutingUnit):
    """The decision by row j' of the table of 1992, or by the word of the source; combinational.

    By hop it holds the links as a ROM of 2 bits for each node of the network, at every port: in
    LUTs, as a decision takes no clock. At 1,081 nodes these are some 360 LUT4 a port; at 15,657
    nodes 5,000, and there ``path: source`` is the way, with one block RAM table a router and no
    ROM here. With relative addresses there is also a ROM of the steps, 4 k entries.
    """

    algorithm = "vertex-transitive"
    header_generator = VertexTransitiveHeaderGenerator

    routing: golden.VertexTransitive

    def elaborate(self, platform: object) -> Module:
        """Decide by what the header holds: the rest of the way, the destination, or a word."""
        m = Module()
        if self.routing.path == "source":
            self._by_word(m)
            return m
        p, k, header = self.routing.topology.p, self.routing.topology.k, self.header
        absolute = self.routing.address == "absolute"
        c, x = _way(m, self.routing, header, self.straps) if absolute else (header.c, header.x)
        link, arrived = Signal(2), Signal()
        m.d.comb += [
            link.eq(self._choose(m, Cat(c, x))),
            arrived.eq(~Cat(c, x).any()),
            self.port.eq(Mux(arrived, self.routing.topology.local, link)),
            self.error.eq((header.c >= k) | (header.x >= p)),
            self.next_header.eq(header if absolute else Mux(arrived, 0, self._rest(m, link))),
        ]
        return m

    def _by_word(self, m: Module) -> None:
        word = self.header.word
        m.d.comb += [
            self.port.eq(Mux(word[1:].any(), word[:2], self.routing.topology.local)),
            self.next_header.word.eq(word >> 2),
            self.error.eq(~word.any()),
        ]

    def _choose(self, m: Module, way: Value) -> Value:
        """Return the link to take on the way to (c, x)."""
        return look_up(m, "links", way, rows(self.routing.link, len(way)))

    def _rest(self, m: Module, link: Value) -> Value:
        """Return what is left of the way after a link: g^-1 j' (Table 2, steps 3 and 1).

        All four are made while the link is looked up.
        """
        p, k, header = self.routing.topology.p, self.routing.topology.k, self.header
        rests = []
        for g, (t, steps) in enumerate(
            zip(self.routing.topology.shift, self.routing.step.T, strict=True)
        ):
            c, x = Signal.like(header.c, name=f"c{g}"), Signal.like(header.x, name=f"x{g}")
            step = rom(m, f"step{g}", header.c, steps.tolist())
            m.d.comb += [
                c.eq(subtract_modulo(m, header.c, C(int(t) % k, range(k)), k)),
                x.eq(subtract_modulo(m, header.x, step, p)),
            ]
            rests.append(Cat(c, x))
        return Array(rests)[link]


def _way(
    m: Module, routing: golden.VertexTransitive, header: Any, straps: Any
) -> tuple[Value, Value]:
    """Return c and x of j', the way from a node to j (Eq. (5)).

    The product with a^-c1 is not computed: x is a^-c m, and its subtrahends are straps.
    """
    p, k = routing.topology.p, routing.topology.k
    step = Signal(range(p))
    m.d.comb += step.eq(Array(straps[f"step{i}"] for i in range(k))[header.c])
    return subtract_modulo(m, header.c, straps.c, k), subtract_modulo(m, header.x, step, p)


def rows(table: IntArray, width: int) -> list[int]:
    """Return a table of all (c, x) as a list, where c is the low bits of an index of `width`."""
    k = len(table)
    entries = [0] * (1 << width)
    every = 1 << (k - 1).bit_length()
    for c, row in enumerate(table.tolist()):
        entries[c : len(row) * every : every] = row
    return entries


class AdaptiveHeaderGenerator(VertexTransitiveHeaderGenerator):
    """As for vertex-transitive routing: the way to go, in a cycle."""


class Adaptive(VertexTransitive):
    """Any free link of the shortest paths; combinational, a ROM of 6 bits for each node of it.

    An entry is the mask of the links on shortest paths, and above it the balanced one.
    """

    algorithm = "adaptive"
    header_generator = AdaptiveHeaderGenerator

    routing: golden.Adaptive

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

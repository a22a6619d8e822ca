"""Paths looked up at the source; the twin of fingerpost.golden.routing.acyclic."""

from amaranth import Array, Cat, Module, Mux, Signal

from fingerpost.golden import routing as golden
from fingerpost.golden.topology.metacyclic import Metacyclic
from fingerpost.hdl.lib.memory import look_up
from fingerpost.hdl.routing.base import HeaderGenerator, RoutingUnit
from fingerpost.hdl.routing.vertex_transitive import find_way, rows


class AcyclicHeaderGenerator(HeaderGenerator):
    """The word of the destination from a table, in a cycle; by the way to go, in two.

    The table by destination is among the straps of the node: where they are constants it is a ROM
    in LUTs. By the way to go there is a memory for each class of nodes, of which synthesis keeps
    that of the node's, as block RAM.
    """

    routing: golden.Acyclic

    def elaborate(self, platform: object) -> Module:
        """Look the word up in the table that there is."""
        m = Module()
        if self.routing.by_way:
            self._by_way(m)
        else:
            self._by_destination(m)
        return m

    def _by_destination(self, m: Module) -> None:
        """Pick each bit of the word from that bit of all words."""
        terminals = len(self.routing.topology.terminals)
        words = [self.straps[f"word{i}"] for i in range(terminals)]
        destination = self.header.destination
        word = Cat(
            Cat(word[bit] for word in words).bit_select(destination, 1)
            for bit in range(len(self.header.word))
        )
        m.d.sync += [self.next_header.word.eq(word), self.error.eq(destination >= terminals)]

    def _by_way(self, m: Module) -> None:
        """Take this node off the destination, and look up what is left."""
        topology, header = self.routing.topology, self.header
        assert isinstance(topology, Metacyclic)
        p, k = topology.p, topology.k
        wrong = (header.c >= k) | (header.x >= p)
        way = Cat(find_way(m, topology, header, self.straps))
        row, error = Signal(len(way)), Signal()
        # A way that is none has no row.
        m.d.sync += [row.eq(Mux(wrong, 0, way)), error.eq(wrong), self.error.eq(error)]
        words = [
            look_up(m, f"words{c}", row, rows(table, len(way))[: p << len(header.c)], domain="sync")
            for c, table in enumerate(self.routing.tables)
        ]
        m.d.comb += self.next_header.word.eq(Array(words)[self.straps.c])


class Acyclic(RoutingUnit):
    """The next port of the word; combinational, and the same at every node."""

    algorithm = "acyclic"
    header_generator = AcyclicHeaderGenerator

    routing: golden.Acyclic

    def elaborate(self, platform: object) -> Module:
        """Take the port from the word, or the terminal where the word has ended."""
        m = Module()
        word, width = self.header.word, self.routing.port_width
        m.d.comb += [
            self.port.eq(Mux(word[1:].any(), word[:width], self.routing.topology.local)),
            self.next_header.word.eq(word >> width),
            self.error.eq(~word.any()),
        ]
        return m

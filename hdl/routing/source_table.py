"""Paths looked up at the source; the twin of fingerpost.golden.routing.source_table."""

from amaranth import Cat, Module, Mux, Signal

from fingerpost.golden.routing.source_table import BySource
from fingerpost.hdl.routing.base import HeaderGenerator, RoutingUnit


class PathLookup(HeaderGenerator):
    """The word of the destination: among the straps of the node in a cycle, from a table in two.

    Where the straps are constants it is a ROM of a word for each terminal, in LUTs.
    """

    routing: BySource

    def elaborate(self, platform: object) -> Module:
        """Read the table, or pick each bit of the word from that bit of all words."""
        m = Module()
        terminals = len(self.routing.topology.terminal_nodes)
        destination = self.header.destination
        if self.routing.node_table:
            error = Signal()
            m.d.comb += [
                self.table.address.eq(destination),
                self.next_header.word.eq(self.table.entry),
            ]
            m.d.sync += [error.eq(destination >= terminals), self.error.eq(error)]
            return m
        words = [self.straps[f"word{i}"] for i in range(terminals)]
        m.d.sync += [
            self.next_header.word.eq(
                Cat(
                    Cat(word[bit] for word in words).bit_select(destination, 1)
                    for bit in range(len(self.header.word))
                )
            ),
            self.error.eq(destination >= terminals),
        ]
        return m


class SourceTable(RoutingUnit):
    """The next port of the word; combinational, and the same at every node."""

    algorithm = "source-table"
    header_generator = PathLookup

    routing: BySource

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


class Acyclic(SourceTable):
    """The same, for paths in an order of the links."""

    algorithm = "acyclic"

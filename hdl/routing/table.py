"""Table routing in hardware; the twin of fingerpost.golden.routing.table."""

from amaranth import Cat, Module, Value

from fingerpost.golden.routing import Table as Golden
from fingerpost.hdl.routing.base import RoutingUnit

__all__ = ["ByTable", "Table"]


class ByTable(RoutingUnit):
    """A unit that finds the destination's entry in tables of its node."""

    def entry(self, table: str, width: int) -> Value:
        """Pick each bit of the entry from that bit of all entries of a table."""
        terminals = range(len(self.routing.topology.terminals))
        entries = [self.straps[f"{table}{i}"] for i in terminals]
        return Cat(
            Cat(entry[bit] for entry in entries).bit_select(self.header.destination, 1)
            for bit in range(width)
        )


class Table(ByTable):
    """The entry of the destination among the straps of the node; combinational.

    Where the straps are constants a port of the router holds a ROM of an entry for each terminal,
    in LUTs: at some hundreds of terminals the tables are larger than all else of a router.
    """

    algorithm = "table"

    routing: Golden

    def elaborate(self, platform: object) -> Module:
        """Look the port up; the header stays as it is."""
        m = Module()
        m.d.comb += [
            self.port.eq(self.entry("hop", len(self.port))),
            self.next_header.eq(self.header),
            self.error.eq(self.header.destination >= len(self.routing.topology.terminals)),
        ]
        return m

"""Table routing in hardware; the twin of fingerpost.golden.routing.table."""

from amaranth import Cat, Module, Mux, Signal, Value

from fingerpost.golden import routing as golden
from fingerpost.hdl.routing.base import RoutingUnit


class ByTable(RoutingUnit):
    """A unit that finds the destination's entry in tables of its node."""

    def entry(self, table: str, width: int) -> Value:
        """Pick each bit of the entry from that bit of all entries of a table."""
        terminals = range(len(self.routing.topology.terminal_nodes))
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

    routing: golden.Table

    def elaborate(self, platform: object) -> Module:
        """Look the port up; the header stays as it is."""
        m = Module()
        m.d.comb += [
            self.port.eq(self.entry("hop", len(self.port))),
            self.next_header.eq(self.header),
            self.error.eq(self.header.destination >= len(self.routing.topology.terminal_nodes)),
        ]
        return m


class AdaptiveTable(ByTable):
    """The entries of the destination in two tables, of ports and of ways; combinational."""

    algorithm = "adaptive-table"

    routing: golden.AdaptiveTable

    def elaborate(self, platform: object) -> Module:
        """Take the balanced port if it is free or no way is, else the lowest that is."""
        m = Module()
        degree = self.routing.topology.degree
        free, own, lowest = Signal(degree), Signal.like(self.port), Signal.like(self.port)
        ways = self.entry("ways", degree)
        m.d.comb += [free.eq(ways & self.selection[:degree]), own.eq(self.entry("hop", len(own)))]
        for port in reversed(range(degree)):
            with m.If(free[port]):
                m.d.comb += lowest.eq(port)
        m.d.comb += [
            self.port.eq(Mux(free.bit_select(own, 1) | ~free.any(), own, lowest)),
            self.next_header.eq(self.header),
            self.error.eq(self.header.destination >= len(self.routing.topology.terminal_nodes)),
        ]
        return m


class UpDown(ByTable):
    """The entry of the destination in one of two tables of the node; combinational.

    Where straps and the port of arrival are constants, an input holds one of the tables.
    """

    algorithm = "up-down"

    routing: golden.UpDown

    def elaborate(self, platform: object) -> Module:
        """Take the table that holds for packets that came that way."""
        m = Module()
        fallen = Cat(self.straps.above, 0).bit_select(self.arrival, 1)
        width = len(self.port)
        m.d.comb += [
            self.port.eq(Mux(fallen, self.entry("fall", width), self.entry("hop", width))),
            self.next_header.eq(self.header),
            self.error.eq(self.header.destination >= len(self.routing.topology.terminal_nodes)),
        ]
        return m

"""Adaptive table routing in hardware; the twin of fingerpost.golden.routing.adaptive_table."""

from amaranth import Module, Mux, Signal

from fingerpost.golden.routing import AdaptiveTable as Golden
from fingerpost.hdl.routing.table import ByTable

__all__ = ["AdaptiveTable"]


class AdaptiveTable(ByTable):
    """The entries of the destination in two tables, of ports and of ways; combinational."""

    algorithm = "adaptive-table"

    routing: Golden

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
            self.error.eq(self.header.destination >= len(self.routing.topology.terminals)),
        ]
        return m

"""Up*/down* routing in hardware; the twin of fingerpost.golden.routing.up_down."""

from amaranth import Cat, Module, Mux

from fingerpost.golden.routing import UpDown as Golden
from fingerpost.hdl.routing.table import ByTable

__all__ = ["UpDown"]


class UpDown(ByTable):
    """The entry of the destination in one of two tables of the node; combinational.

    Where straps and the port of arrival are constants, an input holds one of the tables.
    """

    algorithm = "up-down"

    routing: Golden

    def elaborate(self, platform: object) -> Module:
        """Take the table that holds for packets that came that way."""
        m = Module()
        fallen = Cat(self.straps.above, 0).bit_select(self.arrival, 1)
        width = len(self.port)
        m.d.comb += [
            self.port.eq(Mux(fallen, self.entry("fall", width), self.entry("hop", width))),
            self.next_header.eq(self.header),
            self.error.eq(self.header.destination >= len(self.routing.topology.terminals)),
        ]
        return m

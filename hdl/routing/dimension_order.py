"""Dimension-order routing in hardware; the twin of fingerpost.golden.routing.dimension_order."""

from amaranth import Cat, Module, Mux

from fingerpost.golden.routing import DimensionOrder as Golden
from fingerpost.hdl.lib.logic import at_least
from fingerpost.hdl.routing.base import HeaderGenerator, RoutingUnit


class DimensionOrderHeaderGenerator(HeaderGenerator):
    """Pass the header on if its coordinates are those of a node; combinational."""

    routing: Golden

    def elaborate(self, platform: object) -> Module:
        """Compare all coordinates with the sizes."""
        m = Module()
        sizes = self.routing.topology.sizes
        m.d.comb += [
            self.next_header.eq(self.header),
            self.error.eq(Cat(self.header[f"x{i}"] >= size for i, size in enumerate(sizes)).any()),
        ]
        return m


class DimensionOrder(RoutingUnit):
    """The way in the lowest dimension whose coordinates differ; combinational.

    All comparisons are with straps: one to tell above from below, and a second in a ring.
    """

    algorithm = "dimension-order"
    header_generator = DimensionOrderHeaderGenerator

    routing: Golden

    def elaborate(self, platform: object) -> Module:
        """Compare all coordinates in parallel; the highest dimension gives way to the others."""
        m = Module()
        topology = self.routing.topology
        m.d.comb += [self.port.eq(topology.local), self.next_header.eq(self.header)]
        for i, (up, down) in reversed(list(enumerate(topology.ports))):
            here, there = self.straps[f"x{i}"], self.header[f"x{i}"]
            rises = at_least(there, here)
            if topology.wraps[i]:
                far = self.straps[f"far{i}"]
                near = at_least(far, there)
                rises = Mux(at_least(far, here), rises & near, rises | near)
            with m.If(there != here):
                m.d.comb += self.port.eq(Mux(rises, up, down))
        return m

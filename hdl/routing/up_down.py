"""Up*/down* routing in hardware; the twin of golden.routing.up_down."""

from amaranth import Cat, Module, Mux, Value

from golden.routing import UpDown as Golden
from hdl.routing.base import RoutingUnit

__all__ = ["UpDown"]


class UpDown(RoutingUnit):
    """The entry of the destination in one of two tables of the node; combinational.

    Where straps and the port of arrival are constants, an input holds one of the tables.

    Members are those of `RoutingUnit`.
    """

    algorithm = "up-down"

    routing: Golden

    def elaborate(self, platform: object) -> Module:
        """Pick each bit of the port from that bit of all entries of a table."""
        m = Module()
        terminals = len(self.routing.topology.terminals)
        destination = self.header.destination

        def entry(table: str) -> Value:
            entries = [self.straps[f"{table}{i}"] for i in range(terminals)]
            return Cat(
                Cat(entry[bit] for entry in entries).bit_select(destination, 1)
                for bit in range(len(self.port))
            )

        fallen = Cat(self.straps.above, 0).bit_select(self.arrival, 1)
        m.d.comb += [
            self.port.eq(Mux(fallen, entry("fall"), entry("hop"))),
            self.next_header.eq(self.header),
            self.error.eq(destination >= terminals),
        ]
        return m

"""Table routing in hardware; the twin of golden.routing.table."""

from amaranth import Cat, Module

from golden.routing import Table as Golden
from hdl.routing.base import RoutingUnit

__all__ = ["Table"]


class Table(RoutingUnit):
    """The entry of the destination among the straps of the node; combinational.

    Where the straps are constants a port of the router holds a ROM of an entry for each terminal,
    in LUTs: at some hundreds of terminals the tables are larger than all else of a router.

    Members are those of `RoutingUnit`.
    """

    algorithm = "table"

    routing: Golden

    def elaborate(self, platform: object) -> Module:
        """Pick each bit of the port from that bit of all entries."""
        m = Module()
        terminals = len(self.routing.topology.terminals)
        destination = self.header.destination
        entries = [self.straps[f"hop{i}"] for i in range(terminals)]
        m.d.comb += [
            self.port.eq(
                Cat(
                    Cat(entry[bit] for entry in entries).bit_select(destination, 1)
                    for bit in range(len(self.port))
                )
            ),
            self.next_header.eq(self.header),
            self.error.eq(destination >= terminals),
        ]
        return m

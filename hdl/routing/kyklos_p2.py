"""P-r and modified P-r routing on KYKLOS in hardware; the twin of golden.routing.kyklos_p2."""

from amaranth import Module, Value

from fingerpost.golden.routing import kyklos_p2 as golden
from fingerpost.hdl.lib.logic import rom
from fingerpost.hdl.routing.kyklos import KyklosHeaderGenerator, KyklosRouting, Relative

LARGEST = 16
"""Longer strings are refused: the ROM would have more than 65,536 entries."""


class P2HeaderGenerator(KyklosHeaderGenerator):
    """The shortest path of either kind, looked up in a ROM of 2^n entries; two cycles.

    Raises
    ------
    ValueError
        If the ROM is too large.
    """

    routing: golden.P2 | golden.ModifiedP2

    def __init__(self, routing: golden.P2 | golden.ModifiedP2) -> None:
        n = routing.topology.n
        if n > LARGEST:
            raise ValueError(
                f"Routing by {routing.algorithm} needs n <= {LARGEST} in hardware, not {n}"
            )
        super().__init__(routing)

    def relative(self, m: Module, y: Value) -> Relative:
        """Look up L and the last tree at Y_s."""
        routing = self.routing
        r, width = routing.topology.r, routing.header["L0"].width
        entry = rom(m, "levels", y, routing.table.tolist())
        return [entry[width * i :][:width] for i in range(r)], entry[width * r :]


class P2(KyklosRouting):
    """The hop of P-r routing; combinational."""

    algorithm = "p2"
    header_generator = P2HeaderGenerator


class ModifiedP2(KyklosRouting):
    """The hop of modified P-r routing; combinational."""

    algorithm = "modified-p2"
    header_generator = P2HeaderGenerator

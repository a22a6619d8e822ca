"""Greedy routing in hardware; the twin of fingerpost.golden.routing.scc_greedy."""

from collections.abc import Sequence

from amaranth import Module, Mux, Value

from fingerpost.golden.routing import Greedy as Golden
from fingerpost.golden.topology.scc import Scc
from fingerpost.hdl.lib.logic import encode
from fingerpost.hdl.routing.scc_nearest import nearest
from fingerpost.hdl.routing.star import StarRouting
from fingerpost.hdl.routing.star_cycles import lowest, misplaced

__all__ = ["Greedy"]


class Greedy(StarRouting):
    """The nearest lateral link of B(p) next; combinational (Algorithm 2 of the paper)."""

    algorithm = "greedy"

    routing: Golden

    def target(self, m: Module, p: Sequence[Value]) -> Value:
        """Return p[1] while an r-cycle is under way, else the nearest lateral link."""
        if not isinstance(self.routing.topology, Scc):
            # All links are equally near. The first in canonical order is p[1] or, if that is 1,
            # the smallest symbol that is out of place: it leads the first of the r-cycles.
            return Mux(p[0][0], lowest(misplaced(p)), p[0])
        link = nearest(m, p, self.straps.i)
        if not self.routing.memory:
            return link
        return Mux(self.header.anchor.any() & ~p[0][0], p[0], link)

    def remember(self, p: Sequence[Value], target: Value, taken: Value) -> Value:
        """Set the anchor where the link begins an r-cycle, and lift it where it completes one."""
        ring = isinstance(self.routing.topology, Scc)
        link = self.straps.i if ring else encode(target)  # on a ring, taken where the packet is
        anchor, p1 = self.header.anchor, self.header.p1
        after = Mux(p1 != link, link, Mux(anchor == link, 0, anchor))
        return Mux(taken, after, anchor)

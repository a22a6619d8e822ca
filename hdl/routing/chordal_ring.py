"""Chordal-ring routing in hardware; the twin of fingerpost.golden.routing.chordal_ring."""

from functools import reduce
from operator import xor

from amaranth import Array, Module, Mux, Signal, Value

from fingerpost.golden.routing import ChordalRing as Golden
from fingerpost.hdl.lib.logic import at_least, subtract_modulo
from fingerpost.hdl.routing.base import RoutingUnit


class ChordalRing(RoutingUnit):
    """The link of the sector in which the destination lies; combinational, no ROM.

    The way to go is compared with the starts of all sectors at once, and every start that it has
    reached changes the link: an XOR, so the sector itself is not needed. There are 4, 10, 27 and 73
    sectors at most for d = 1..4 on 1,081 nodes, for each of which there is a comparator.
    """

    algorithm = "chordal-ring"

    routing: Golden

    def elaborate(self, platform: object) -> Module:
        """Compare the way to go with the sectors of this class, or of it and the arrival port."""
        m = Module()
        n, local = self.routing.topology.nodes, self.routing.topology.local
        destination = self.header.destination
        way = subtract_modulo(m, destination, self.straps.ring, n)
        sectors = self.routing.sector_starts.shape[1]
        changes = []
        for j in range(sectors):
            start, change = Signal.like(way, name=f"start{j}"), Signal(2, name=f"change{j}")
            m.d.comb += change.eq(self._strap("change", j))
            reached = Signal(init=1, name=f"reached{j}")
            if j:
                m.d.comb += [start.eq(self._strap("start", j)), reached.eq(at_least(way, start))]
            changes.append(change & reached.replicate(2))
        m.d.comb += [
            self.port.eq(Mux(way.any(), reduce(xor, changes), local)),
            self.next_header.destination.eq(destination),
            self.error.eq(destination >= n),
        ]
        return m

    def _strap(self, name: str, j: int) -> Value:
        """Return a strap of sector j; for the rule of the paper it is that of the arrival port."""
        cases = [self.straps[f"{name}{case}_{j}"] for case in range(self.routing.cases)]
        # A router ties the arrival port, and nothing is left of this choice.
        return Array(cases)[self.arrival] if len(cases) > 1 else cases[0]

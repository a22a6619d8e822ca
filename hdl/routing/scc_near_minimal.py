"""Near-minimal routing in hardware; the twin of fingerpost.golden.routing.scc_near_minimal."""

from collections.abc import Sequence

from amaranth import Module, Value

from fingerpost.golden.routing import NearMinimal as Golden
from fingerpost.golden.topology.scc import Scc
from fingerpost.hdl.routing.scc_promise import promising
from fingerpost.hdl.routing.star import StarRouting
from fingerpost.hdl.routing.star_cycles import apart, bsymbols, lowest

__all__ = ["NearMinimal"]


class NearMinimal(StarRouting):
    """The lateral link that promises the shortest route; combinational (Section 6 of the paper)."""

    algorithm = "near-minimal"

    routing: Golden

    def target(self, m: Module, p: Sequence[Value]) -> Value:
        """Return the most promising lateral link."""
        whole = apart(m, p)
        b = bsymbols(m, p, whole)
        if not isinstance(self.routing.topology, Scc):
            return lowest(b)  # there are no local links: all promise the same
        return promising(m, p, whole, b, self.straps.i, self.header.i_d)

"""M-r routing on KYKLOS in hardware; the twin of fingerpost.golden.routing.kyklos_m."""

from functools import reduce
from operator import and_

from amaranth import Cat, Module, Signal, Value

from fingerpost.hdl.lib.logic import encode
from fingerpost.hdl.lib.priority import lowest
from fingerpost.hdl.routing.kyklos import KyklosHeaderGenerator, KyklosRouting, Relative
from fingerpost.hdl.routing.kyklos_words import bit_length, strings, thermometer

__all__ = ["M", "MHeaderGenerator"]


class M(KyklosRouting):
    """The hop of M-r routing; combinational."""

    algorithm = "m"


class MHeaderGenerator(KyklosHeaderGenerator):
    """The one tree whose string Y_t is shortest; two cycles."""

    def relative(self, m: Module, y: Value) -> Relative:
        """Compare the lengths as thermometers: the least is their AND."""
        topology = self.routing.topology
        lengths = [thermometer(string) for string in strings(topology, y)]
        least, shortest = Signal(topology.n), Signal(topology.r)
        m.d.comb += [
            least.eq(reduce(and_, lengths)),
            shortest.eq(lowest(Cat((length & ~least) == 0 for length in lengths))),
        ]
        levels = bit_length(least)
        chosen = [levels & one.replicate(len(levels)) for one in shortest]
        return chosen, encode(shortest)

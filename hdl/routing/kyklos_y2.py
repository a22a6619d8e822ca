"""Y-2 (hybrid) routing on KYKLOS in hardware; the twin of fingerpost.golden.routing.kyklos_y2."""

from amaranth import Cat, Const, Module, Mux, Signal, Value

from fingerpost.hdl.lib.logic import encode
from fingerpost.hdl.lib.priority import lowest
from fingerpost.hdl.routing.kyklos import KyklosHeaderGenerator, KyklosRouting, Relative
from fingerpost.hdl.routing.kyklos_words import bit_length, slices

__all__ = ["Y2", "Y2HeaderGenerator"]


class Y2(KyklosRouting):
    """The hop of Y-2 routing; combinational."""

    algorithm = "y2"


class Y2HeaderGenerator(KyklosHeaderGenerator):
    """H-2 with trees that go on into the next slices, the loop unrolled; two cycles."""

    def relative(self, m: Module, y: Value) -> Relative:
        """Find where a tree goes on, forwards; then how far, backwards."""
        topology = self.routing.topology
        r, h = topology.r, topology.h
        x = slices(topology, y)
        top, full = [word[-1] for word in x], [word.all() for word in x]
        # The ones at the top of a slice, downwards; g of them. Below are them h - g - f levels.
        ones = [Cat(word[h - 1 - v :].all() for v in range(h)) for word in x]
        g = [bit_length(run) for run in ones]
        below = [bit_length(word & ~run[::-1]) for word, run in zip(x, ones, strict=True)]

        fresh = Signal(r)  # step 3: this tree goes on
        climbing = Signal(r + 1)  # that tree, or another before, is still going on here
        for i in range(r):
            m.d.comb += [
                fresh[i].eq(~climbing[i] & top[i] & top[(i + 1) % r]),
                climbing[i + 1].eq(fresh[i] | climbing[i] & full[i]),
            ]
        # Step 7: the last tree may go on into slice s, unless tree s was itself extended.
        wraps = climbing[r] & ~fresh[0] & top[0]

        levels: list[Value] = []
        beyond: Value = Mux(wraps, g[0], 0)  # how far a tree goes on from here
        for i in reversed(range(r)):
            taken = climbing[i] & top[i] | (wraps if i == 0 else Const(0))
            level = Signal(len(self.next_header.L0), name=f"level{i}")
            more = Signal(len(self.next_header.L0), name=f"beyond{i}")
            within = Mux(taken, below[i], bit_length(x[i]))
            m.d.comb += [
                level.eq(Mux(fresh[i], beyond + h, within)),
                more.eq(Mux(full[i], beyond + h, g[i])),  # steps 4, 5
            ]
            beyond = more
            levels.insert(0, level)
        return levels, encode(lowest(Cat(word.any() for word in x)))

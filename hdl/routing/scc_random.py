"""Random routing in hardware; the twin of fingerpost.golden.routing.scc_random."""

from collections.abc import Sequence

from amaranth import Cat, Module, Mux, Signal, Value

from fingerpost.golden.routing import Random as Golden
from fingerpost.hdl.lib.logic import encode
from fingerpost.hdl.routing.star import StarRouting
from fingerpost.hdl.routing.star_cycles import apart, bsymbols, count, is_identity

__all__ = ["Random"]


class Random(StarRouting):
    """Any lateral link that brings nearer, drawn by 16 random bits; combinational (Algorithm 1)."""

    algorithm = "random"

    routing: Golden

    def target(self, m: Module, p: Sequence[Value]) -> Value:
        """Return the target kept, or else element number selection * |B| / 2^16 of B(p), rising."""
        b = bsymbols(m, p, apart(m, p))
        size, place = Signal(range(len(p)), name="size"), Signal(range(len(p) - 1), name="place")
        # By shifts and adds: four bits are not worth a multiplier.
        parts = [Mux(bit, self.selection << k, 0) for k, bit in enumerate(size)]
        m.d.comb += [size.eq(count(m, b[1:])), place.eq(_sum(parts) >> len(self.selection))]
        drawn = Cat(0, _pick(m, b[1:], place))
        if not self.routing.memory:
            return drawn
        kept = self.header.target.any() & ~is_identity(p)
        return Mux(kept, 1 << self.header.target, drawn)

    def remember(self, p: Sequence[Value], target: Value, taken: Value) -> Value:
        """Keep the target on the way to its link."""
        return Mux(taken, 0, encode(target))


def _sum(parts: Sequence[Value]) -> Value:
    """Return the sum, added in a tree."""
    half = len(parts) // 2
    return _sum(parts[:half]) + _sum(parts[half:]) if half else parts[0]


def _pick(m: Module, mask: Value, place: Value) -> Value:
    """Return the bit of `mask` that has `place` lower ones, one-hot."""
    half = len(mask) // 2
    if not half:
        return mask & (place == 0)
    low, rest = count(m, mask[:half]), Signal.like(place, name="place")
    is_low = Signal()
    m.d.comb += [is_low.eq(place < low), rest.eq(place - low)]
    return Cat(
        _pick(m, mask[:half], place) & is_low.replicate(half),
        _pick(m, mask[half:], rest) & ~is_low.replicate(len(mask) - half),
    )

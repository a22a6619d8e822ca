"""H-r routing on KYKLOS in hardware; the twin of fingerpost.golden.routing.kyklos_h2."""

from amaranth import Cat, Module, Value

from fingerpost.hdl.lib.logic import encode
from fingerpost.hdl.lib.priority import lowest
from fingerpost.hdl.routing.kyklos import KyklosHeaderGenerator, KyklosRouting, Relative
from fingerpost.hdl.routing.kyklos_words import bit_length, slices

__all__ = ["H2", "H2HeaderGenerator"]


class H2(KyklosRouting):
    """The hop of H-r routing; combinational."""

    algorithm = "h2"


class H2HeaderGenerator(KyklosHeaderGenerator):
    """Every tree within its equi-slice; two cycles."""

    def relative(self, m: Module, y: Value) -> Relative:
        """Return the bit length of every X_t."""
        x = slices(self.routing.topology, y)
        return [bit_length(word) for word in x], encode(lowest(Cat(word.any() for word in x)))

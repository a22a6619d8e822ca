"""H-r routing on KYKLOS (kyklos-1988, Section VI): each tree within its equi-slice."""

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.routing.kyklos import KyklosRouting
from fingerpost.golden.routing.kyklos_words import Words, bit_length, slices


class H2(KyklosRouting):
    """Climb every tree as far as its own h digits need it, never above level h.

    The lower h levels of the r trees change all n digits between them, each digit in one tree.
    In KYKLOS-I they do not.
    """

    algorithm = "h2"
    variants = ("proposed", "original")

    def limit(self) -> int:
        return self.topology.h

    def levels(self, x: Words, s: IntArray) -> IntArray:
        """Return the bit length of every X_t."""
        return bit_length(slices(self.topology, x))

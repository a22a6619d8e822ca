"""M-r routing on KYKLOS (kyklos-1988, Section VI): the shortest path within one tree."""

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.routing.kyklos import KyklosRouting
from fingerpost.golden.routing.kyklos_words import Words, bit_length, strings


class M(KyklosRouting):
    """Climb the one tree whose string Y_t is shortest, the first such from s on."""

    algorithm = "m"

    def levels(self, x: Words, s: IntArray) -> IntArray:
        """Return the bit length of Y_t in one tree, 0 in the others."""
        r = self.topology.r
        length = bit_length(strings(self.topology, x))
        order = (np.asarray(s)[..., None] + np.arange(r)) % r
        shortest = np.take_along_axis(length, order, axis=-1).argmin(axis=-1)
        tree = (s + shortest) % r
        return np.where(np.arange(r) == tree[..., None], length, 0)

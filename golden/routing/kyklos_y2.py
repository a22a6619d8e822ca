"""Y-2 (hybrid) routing on KYKLOS (kyklos-1988, Section VI, as corrected)."""

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.routing.kyklos import KyklosRouting
from fingerpost.golden.routing.kyklos_words import Words, bit_length, first_tree, slices
from fingerpost.golden.topology.base import Topology


class Y2(KyklosRouting):
    """H-2, but a tree that is climbed to level h goes on into the next slices if that saves.

    Where the tops of X_t and X_(t+1) are both 1, tree t also makes the changes at the top of
    X_(t+1), down to its first 0; tree t+1 is left with what lies below the zeros that follow.
    Slices of ones only are passed through on the way. That unloads level h, the busiest of H-2.

    Raises
    ------
    ValueError
        If `topology` has m other than 2, or is none that `KyklosRouting` takes.
    """

    algorithm = "y2"
    variants = ("proposed", "original")

    def __init__(self, topology: Topology) -> None:
        super().__init__(topology)
        if self.topology.m != 2:
            raise ParameterError(
                "algorithm",
                f"{self.title} needs a kyklos network with m = 2, not m = {self.topology.m}",
            )

    def levels(self, x: Words, s: IntArray) -> IntArray:
        """Return L by steps 1-7 of the strategy. Slices and trees are counted from s on."""
        r, h = self.topology.r, self.topology.h
        x = slices(self.topology, x)
        s = np.broadcast_to(s, x.shape[:-2])
        order = (s[..., None] + np.arange(r)) % r
        x = np.take_along_axis(x, order[..., None], axis=-2)
        top: Words = x[..., -1]
        full: Words = np.asarray(x.all(axis=-1))
        g = np.logical_and.accumulate(x[..., ::-1], axis=-1).sum(axis=-1)  # ones at the top
        # What lies below them and the f zeros that follow: h - g - f levels.
        below = bit_length(x & (np.arange(h) < h - g[..., None]))

        levels = bit_length(x)  # steps 1, 2
        tree = np.zeros_like(s)  # that is being climbed above h, if k > 0,
        k = np.zeros_like(s)  # in its slice k
        for i in range(r):
            climbing = k > 0
            through = climbing & full[..., i]  # step 4
            ends = climbing & ~full[..., i] & top[..., i]  # step 5
            height = k * h + np.where(through | ends, g[..., i], 0)  # else it ends here: step 6
            levels = np.where(
                climbing[..., None] & (np.arange(r) == tree[..., None]), height[..., None], levels
            )
            levels[..., i] = np.where(climbing & top[..., i], below[..., i], levels[..., i])
            k = np.where(through, k + 1, 0)
            fresh = ~through & ~ends & (levels[..., i] == h) & top[..., (i + 1) % r]  # step 3
            tree, k = np.where(fresh, i, tree), np.where(fresh, 1, k)
        # Step 7: the last tree may go on into slice s, unless tree s was itself extended.
        wraps = (k > 0) & (tree != 0) & top[..., 0] & (levels[..., 0] == h)
        levels = np.where(
            wraps[..., None] & (np.arange(r) == tree[..., None]),
            (k * h + g[..., 0])[..., None],
            levels,
        )
        levels[..., 0] = np.where(wraps, below[..., 0], levels[..., 0])
        return np.take_along_axis(levels, (np.arange(r) - s[..., None]) % r, axis=-1)

    def last(self, x: Words, s: IntArray, levels: IntArray) -> IntArray:
        """Return the join tree, even if step 7 has left it nothing to climb."""
        return first_tree(np.asarray(slices(self.topology, x).any(axis=-1)), s)

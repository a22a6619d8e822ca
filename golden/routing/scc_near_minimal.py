"""Near-minimal routing (star-connected-cycles-1995, Section 6: Algorithm 3, not going back)."""

import numpy as np

from fingerpost.golden.algebra.star_cycles import bsymbols, first, minloc, swap
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.routing.star import StarRouting


def promising(i: IntArray, p: IntArray, i_d: IntArray | int, distance: IntArray) -> IntArray:
    """Return the lateral link of B(p) behind which Eq. (16) promises the fewest local links.

    Of equals the nearest, and of these the smallest.
    """
    n = p.shape[-1]
    d = distance[i - 1]
    rest = np.zeros_like(p)  # link 1 does not exist
    for b in range(2, n + 1):
        rest[..., b - 1] = minloc(b, swap(p, b), i_d, distance)
    return first(bsymbols(p), (d + rest) * n + d)


class NearMinimal(StarRouting):
    """Take the lateral link that promises the shortest route."""

    algorithm = "near-minimal"

    def target(
        self, i: IntArray, p: IntArray, i_d: IntArray, memory: IntArray, selection: IntArray | None
    ) -> IntArray:
        """Return the most promising lateral link."""
        return promising(i, p, i_d, self.topology.distance)

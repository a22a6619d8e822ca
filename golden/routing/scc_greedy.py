"""Greedy routing: the nearest lateral link next (star-connected-cycles-1995, Algorithm 2)."""

from typing import Annotated, Literal

import numpy as np

from fingerpost.golden.algebra.star_cycles import bsymbols, canonical_order, first
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.parameters import Parameter, check_choices
from fingerpost.golden.routing.star import StarRouting
from fingerpost.golden.topology.base import Topology


def nearest(i: IntArray, p: IntArray, distance: IntArray) -> IntArray:
    """Return the lateral link of B(p) nearest to position i, the first in canonical order."""
    return first(bsymbols(p), distance[i - 1] * p.shape[-1] ** 2 + canonical_order(p))


class Greedy(StarRouting):
    """Take the nearest lateral link of B(p).

    Parameters
    ----------
    memory : ``anchor`` or ``none``
        With ``anchor`` as in the paper: the first link of an r-cycle without symbol 1 becomes
        the anchor, and until it is taken again, which completes the r-cycle, the target is
        p[1]. With ``none`` other r-cycles may come between: a smaller header, and on average a
        shorter route.

    Raises
    ------
    ValueError
        If `topology` is no star or scc network, or `memory` is neither.
    """

    algorithm = "greedy"
    meaning = "lateral link that completes the r-cycle under way, less 1; 0: none"

    def __init__(
        self,
        topology: Topology,
        *,
        memory: Annotated[
            Literal["anchor", "none"],
            Parameter("The header remembers the cycle begun, or nothing."),
        ] = "anchor",
    ) -> None:
        check_choices(Greedy, self.title, memory=memory)
        self.memory = "anchor" if memory == "anchor" else ""
        super().__init__(topology)

    def target(
        self, i: IntArray, p: IntArray, i_d: IntArray, memory: IntArray, selection: IntArray | None
    ) -> IntArray:
        """Return p[1] while an r-cycle is under way, else the nearest lateral link."""
        under_way = (memory != 1) & (p[..., 0] != 1)
        return np.where(under_way, p[..., 0], nearest(i, p, self.topology.distance))

    def remember(self, memory: IntArray, p: IntArray, t: IntArray, taken: IntArray) -> IntArray:
        """Set the anchor where t begins an r-cycle, and lift it where t completes one."""
        if not self.memory:
            return super().remember(memory, p, t, taken)
        begins = t != p[..., 0]
        after = np.where(begins, t, np.where(t == memory, 1, memory))
        return np.where(taken, after, memory)

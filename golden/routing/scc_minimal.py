"""Minimal routing by table: the routes of Algorithm 3 (star-connected-cycles-1995, Section 4.4)."""

from functools import cached_property

import numpy as np

from golden.arrays import IntArray
from golden.header import bits
from golden.permutation import number
from golden.routing.star import StarRouting
from golden.scc_recursion import Choices, FloatArray, local_links
from golden.star_cycles import first
from golden.topology.base import Topology
from golden.topology.scc import Scc

__all__ = ["Minimal"]

LARGEST = 7
"""Of the symbols: S_8 would need 282,240 entries in the table of each of 282,240 routers."""


class Minimal(StarRouting):
    """Look up the first lateral link of a shortest route.

    Algorithm 3 searches the whole tree of lateral links for it, which no router can do as
    packets pass; `golden.analysis.scc_search` does. Its results, of which this takes the
    nearest lateral link and then the smallest, are held in a table.
    """

    algorithm = "minimal"

    def __init__(self, topology: Topology) -> None:
        super().__init__(topology)
        if self.topology.n > LARGEST:
            raise ValueError(
                f"Minimal routing needs n of at most {LARGEST} for its table, not {self.topology.n}"
            )

    @cached_property
    def table(self) -> IntArray:
        """Return the target from i to i_d, at [number of p, i-2, i_d-2]; 1 for the identity."""
        n, distance = self.topology.n, self.topology.distance
        table = np.ones((len(self.topology.labels), n - 1, n - 1), np.int64)
        for i_d in range(2, n + 1):

            def shortest(c: Choices, i_d: int = i_d) -> FloatArray:
                t = first(c.b, c.links * n + distance)
                table[c.number, :, i_d - 2] = t[:, 1:]
                return c.at(t)

            local_links(distance, shortest, i_d)
        table.setflags(write=False)
        return table

    def target(
        self, i: IntArray, p: IntArray, i_d: IntArray, memory: IntArray, hint: IntArray | None
    ) -> IntArray:
        """Return the entry of the table."""
        del memory, hint
        target: IntArray = self.table[number(p), i - 2, i_d - 2]
        return target

    def table_bits(self) -> dict[str, int]:
        """Return the bits of the table for one ring position."""
        positions = self.topology.n - 1 if isinstance(self.topology, Scc) else 1
        return {"targets": len(self.topology.labels) * positions * bits(self.topology.n)}

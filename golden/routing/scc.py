"""Shortest routes on star-connected cycles, and nearly shortest ones.

Minimal routing looks up the routes of Algorithm 3 (star-connected-cycles-1995, Section 4.4);
near-minimal routing takes the link that promises most (Section 6: Algorithm 3, not going back).
"""

from functools import cached_property
from math import factorial

import numpy as np

from fingerpost.golden.algebra.group import number, permutations
from fingerpost.golden.algebra.star_cycles import (
    Choices,
    FloatArray,
    bsymbols,
    first,
    local_links,
    minloc,
    swap,
)
from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.header import bits
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.routing.star import StarRouting
from fingerpost.golden.topology.base import Topology
from fingerpost.golden.topology.star import Scc

LARGEST = 7
"""Of the symbols: S_8 would need 282,240 entries in the table of each of 282,240 routers."""


class Minimal(StarRouting):
    """Look up the first lateral link of a shortest route.

    Algorithm 3 searches the whole tree of lateral links for it, which no router can do as
    packets pass; `fingerpost.golden.analysis.scc` does. Its results, of which this takes the
    nearest lateral link and then the smallest, are held in a table. The permutation travels as its
    number, which is the address in the table.

    Raises
    ------
    ValueError
        If `topology` is no star or scc network, or has more than 7 symbols.
    """

    algorithm = "minimal"

    def __init__(self, topology: Topology) -> None:
        super().__init__(topology)
        if self.topology.n > LARGEST:
            raise ParameterError(
                "algorithm",
                f"Minimal routing needs n of at most {LARGEST} for its table, "
                f"not {self.topology.n}",
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
        self, i: IntArray, p: IntArray, i_d: IntArray, memory: IntArray, selection: IntArray | None
    ) -> IntArray:
        return self.table[number(p), i - 2, i_d - 2]

    def _fields(self) -> dict[str, tuple[int, str]]:
        return {"number": (bits(factorial(self.topology.n)), "number of the permutation")}

    def _write(self, p: IntArray) -> dict[str, IntArray]:
        return {"number": number(p)}

    def _permutation(self, header: IntArray) -> tuple[IntArray, BoolArray]:
        numbers = self.header.cut("number", header)
        wrong: BoolArray = numbers >= factorial(self.topology.n)
        return permutations(np.where(wrong, 0, numbers), self.topology.n), wrong

    @cached_property
    def ports(self) -> IntArray:
        """Return the output port at [number of p, i-2, i_d-2]; [number of p, 0, 0] in a star."""
        topology, target = self.topology, self.table
        if not isinstance(topology, Scc):
            target = target[:, :1, :1]
            return np.where(target == 1, topology.local, target - 2)
        i = np.arange(2, topology.n + 1)[:, None]
        goal = np.where(target == 1, i.T, target)
        onward = np.where(target == 1, topology.local, topology.lateral)
        return np.where(goal == i, onward, topology.towards(i, goal))

    @cached_property
    def behind(self) -> IntArray:
        """Return the number behind lateral link i at [number of p, i-2]; the target's in a star."""
        p = self.topology.labels
        if not isinstance(self.topology, Scc):
            return number(swap(p, self.table[:, 0, 0]))[:, None]
        return np.stack([number(swap(p, i)) for i in range(2, self.topology.n + 1)], axis=-1)

    def table_bits(self) -> dict[str, int]:
        """Return the bits of the tables for one ring position."""
        n = self.topology.n
        positions = n - 1 if isinstance(self.topology, Scc) else 1
        return {
            "ports": factorial(n) * positions * bits(self.topology.degree + 1),
            "numbers": factorial(n) * bits(factorial(n)),
        }

    def on_arrival(self) -> dict[str, str]:
        """Return what the header holds at its destination: the number of the identity."""
        return {
            "number": str(factorial(self.topology.n) - 1),
            **({"i_d": "as sent"} if "i_d" in self.header else {}),
        }


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

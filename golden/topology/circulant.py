"""Circulants: rings whose nodes all have chords of the same lengths."""

from collections.abc import Sequence
from math import gcd
from typing import Annotated

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.parameters import Parameter, ParameterError, check_limits
from fingerpost.golden.topology.base import MAX_DEGREE, MAX_NODES, Topology


class Circulant(Topology):
    """The circulant C(n; s1, s2, ...): links from node i to i + s and i - s for each jump s.

    A jump has the ports ``+s`` and ``-s``; n/2 has one, ``s``. Adding a number to all nodes keeps
    all ports.

    Parameters
    ----------
    nodes : int
    jumps : sequence of int
        In 1..n/2 and different; their greatest common divisor with n is 1.

    Raises
    ------
    ParameterError
        If a parameter is out of range, or some node cannot reach another.
    """

    family = "circulant"
    vertex_transitive = True

    def __init__(
        self,
        *,
        nodes: Annotated[int, Parameter("Nodes, n.", minimum=3, maximum=MAX_NODES, example=13)],
        jumps: Annotated[
            Sequence[int],
            Parameter(
                "The lengths of the links.",
                "a list of different whole numbers in 1..n/2, as in [1, 5]",
                example=[1, 5],
            ),
        ],
    ) -> None:
        check_limits(Circulant, "Circulant", nodes=nodes)
        self.jumps = tuple(jumps)
        if (
            len(set(jumps)) != len(jumps)
            or not jumps
            or not 1 <= min(jumps) <= max(jumps) <= nodes // 2
        ):
            raise ParameterError(
                "jumps",
                f"Circulant needs different jumps in 1..nodes/2 = 1..{nodes // 2}, "
                f"not {list(jumps)}",
            )
        if gcd(nodes, *jumps) != 1:
            raise ParameterError(
                "jumps",
                f"Circulant needs jumps and nodes without a common divisor to be connected, "
                f"not {list(jumps)} and {nodes}, which {gcd(nodes, *jumps)} divides",
            )
        ways = [(s, sign) for s in jumps for sign in ((1, -1) if 2 * s < nodes else (1,))]
        if len(ways) > MAX_DEGREE:
            raise ParameterError(
                "jumps",
                f"Circulant needs jumps for at most {MAX_DEGREE} ports, two for each but n/2, "
                f"not {len(ways)}",
            )
        steps = np.array([sign * s for s, sign in ways])
        neighbour = (np.arange(nodes)[:, None] + steps) % nodes
        back = [ways.index((s, -sign if 2 * s < nodes else 1)) for s, sign in ways]
        names = [f"{'+-'[sign < 0] * (2 * s < nodes)}{s}" for s, sign in ways]
        super().__init__(neighbour, np.broadcast_to(back, neighbour.shape).copy(), tuple(names))
        self.orbit = np.zeros(nodes, np.int64)

    @property
    def rings(self) -> IntArray:
        """Return the jump of each port by its place: both of its ports lead round."""
        return np.array([self.jumps.index(int(name.lstrip("+-"))) for name in self.port_names])

    def constants(self) -> dict[str, object]:
        return {"jumps": list(self.jumps)}

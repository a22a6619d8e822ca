"""Double-loop networks (Hwang & Wright, Section II; the last page of two-phase-1995)."""

from math import gcd
from typing import Annotated

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.parameters import Parameter, ParameterError
from fingerpost.golden.topology.base import MAX_NODES, Topology

NAMED = {"DDLCN": (1, -1), "daisy chain": (1, -2), "braided ring": (1, 2)}
"""The steps (a, b), modulo n, of the well-known double loops."""


class DoubleLoop(Topology):
    """The digraph DL(n; a, b): from every node i a link to i+a and a link to i+b, modulo n.

    Out-port 0 is the a-link and out-port 1 the b-link; each arrives at the in-port of its own
    number. DL(n; 1, n-1) is the distributed double-loop computer network (DDLCN), DL(n; 1, n-2)
    the daisy chain, DL(n; 1, 2) the braided ring.

    Parameters
    ----------
    nodes : int
        The n of the paper.
    a, b : int
        The steps, in 1..n-1 and different.

    Raises
    ------
    ValueError
        If a link would lead back to its node or run beside another, or not all nodes are reached.
    """

    family = "double-loop"
    vertex_transitive = True

    def __init__(
        self,
        *,
        nodes: Annotated[int, Parameter("Nodes, n.", minimum=3, maximum=MAX_NODES, example=9)],
        a: Annotated[int, Parameter("The step of the first loop.", minimum=1, example=1)],
        b: Annotated[int, Parameter("The step of the second loop.", minimum=1, example=2)],
    ) -> None:
        if not 3 <= nodes <= MAX_NODES:
            raise ParameterError("nodes", f"Double-loop needs nodes in 3..{MAX_NODES}, not {nodes}")
        for name, step in (("a", a), ("b", b)):
            if not 1 <= step < nodes:
                raise ParameterError(
                    name,
                    f"Double-loop needs a step {name} in 1..nodes-1 = 1..{nodes - 1}, not {step}",
                )
        if a == b:
            raise ParameterError(
                "b", f"Double-loop needs two different steps a and b, not {a} and {b}"
            )
        if gcd(nodes, a, b) != 1:
            raise ParameterError(
                "",
                f"Double-loop needs gcd(nodes, a, b) = 1 to be connected, "
                f"not gcd({nodes}, {a}, {b}) = {gcd(nodes, a, b)}",
            )
        self.a, self.b = a, b
        neighbour = (np.arange(nodes)[:, None] + np.array([a, b])) % nodes
        arrival_port = np.broadcast_to(np.arange(2), (nodes, 2)).copy()
        super().__init__(neighbour, arrival_port, ("a", "b"))

    @property
    def rings(self) -> IntArray:
        """Return the number of each port: both steps lead round."""
        return np.arange(2)

    def constants(self) -> dict[str, object]:
        """Return the steps, and the names under which this network is known, if any."""
        steps = {"a": self.a, "b": self.b}
        known = [
            name
            for name, (a, b) in NAMED.items()
            if {self.a, self.b} == {a % self.nodes, b % self.nodes}
        ]
        return steps | ({"known_as": ", ".join(known)} if known else {})

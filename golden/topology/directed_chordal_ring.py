"""Directed chordal rings (Hwang & Wright; the last page of two-phase-1995).

The paper's definition is on a page that is lost; this one is ours: n even, w odd, a ring and a
chord over w nodes from every odd node.
"""

from typing import Annotated

import numpy as np

from fingerpost.golden.parameters import Parameter, ParameterError
from fingerpost.golden.topology.base import MAX_NODES, Topology


class DirectedChordalRing(Topology):
    """A ring of links i -> i+1 with a chord i -> i+w from every odd node, modulo n.

    Out-port 0 is the link of the ring, out-port 1 the chord, which even nodes do not have. Each
    arrives at the in-port of its own number; chords arrive at even nodes.

    Parameters
    ----------
    nodes : int
        The n of the paper, even.
    w : int
        The length of a chord, odd, in 3..n-1.

    Raises
    ------
    ValueError
        If n is odd, or a chord would join two nodes of one parity or run beside the ring.
    """

    family = "directed-chordal-ring"

    def __init__(
        self,
        *,
        nodes: Annotated[
            int,
            Parameter(
                "Nodes, n.",
                "an even number of at least 4",
                minimum=4,
                maximum=MAX_NODES,
                example=10,
            ),
        ],
        w: Annotated[
            int, Parameter("The length of a chord.", "an odd number", minimum=3, example=3)
        ],
    ) -> None:
        if not 4 <= nodes <= MAX_NODES or nodes % 2:
            raise ParameterError(
                "nodes",
                f"Directed-chordal-ring needs an even number of nodes in 4..{MAX_NODES}, "
                f"not {nodes}",
            )
        if not 3 <= w < nodes or w % 2 == 0:
            raise ParameterError(
                "w",
                f"Directed-chordal-ring needs an odd chord w in 3..nodes-1 = 3..{nodes - 1}, "
                f"not {w}",
            )
        self.w = w
        node = np.arange(nodes)
        chord = np.where(node % 2 == 1, (node + w) % nodes, -1)
        neighbour = np.stack([(node + 1) % nodes, chord], axis=1)
        arrival_port = np.where(neighbour >= 0, np.arange(2), -1)
        super().__init__(neighbour, arrival_port, ("ring", "chord"))

    def constants(self) -> dict[str, object]:
        return {"w": self.w}

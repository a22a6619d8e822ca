"""What a deflection router knows of each destination: the distance, and the productive ports."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.topology.base import Topology, distances

LARGEST = 25_000_000
"""More entries than this are refused: they would take minutes."""


@dataclass(frozen=True)
class Destinations:
    """Distances and productive ports, by breadth-first search from every terminal.

    A port is productive for a destination if its link leads one hop nearer to it. Destinations
    are numbered in the order of `topology.terminal_nodes`.
    """

    distance: NDArray[np.uint8]
    """Shape (nodes, terminals). Hops from each node to each destination."""
    productive: NDArray[np.uint8]
    """Shape (nodes, terminals). A bit for each output port."""

    @classmethod
    def of(cls, topology: Topology) -> "Destinations":
        """Return those of a topology of at most eight ports.

        Raises
        ------
        ParameterError
            If the table would be too large, a terminal cannot be reached from a node, or is more
            than 254 hops away.
        """
        nodes, terminals = topology.nodes, topology.terminal_nodes
        if nodes * len(terminals) > LARGEST:
            raise ParameterError(
                "kind",
                f"Deflection needs at most {LARGEST} entries, one at each node for each terminal, "
                f"not {nodes}*{len(terminals)} = {nodes * len(terminals)}; use kind: wormhole",
                section="router",
            )
        present = np.setdiff1d(np.arange(nodes), topology.lost)
        distance = np.zeros((nodes, len(terminals)), np.uint8)
        productive = np.zeros_like(distance)
        linked, origin = topology.neighbour >= 0, topology.origin
        for number, terminal in enumerate(terminals.tolist()):
            hops = distances(origin, terminal)
            for found, needs in ((hops[present] < 0, "a way"), (hops[present] > 254, "254 hops")):
                if found.any():
                    raise ParameterError(
                        "kind",
                        f"Deflection needs {needs} at most from each node to each terminal, but "
                        f"node {present[found.argmax()]} has none to {terminal}",
                        section="router",
                    )
            distance[:, number] = np.maximum(hops, 0)
            nearer = linked & (hops[topology.neighbour] == hops[:, None] - 1)
            productive[:, number] = nearer @ (1 << np.arange(topology.degree))
        return cls(distance, productive)

    @property
    def diameter(self) -> int:
        """Return the largest distance."""
        return int(self.distance.max())

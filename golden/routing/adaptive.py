"""Adaptive shortest-path routing on Borel Cayley graphs (vertex-transitivity-1992)."""

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.routing.vertex_transitive import VertexTransitive
from fingerpost.golden.topology.base import Topology

LOWEST = np.array([0, 0, 1, 0, 2, 0, 1, 0, 3, 0, 1, 0, 2, 0, 1, 0])
"""The lowest bit that is set in four bits."""


class Adaptive(VertexTransitive):
    """Vertex-transitive routing by any of the shortest paths, as the ports are free.

    The paper's table marks all links that lead to shortest paths. A packet takes the balanced
    link of `VertexTransitive` if it is free, else the lowest that is, else it waits for the
    balanced one.

    Parameters
    ----------
    topology : Metacyclic
    """

    algorithm = "adaptive"
    selection = "free"

    def __init__(self, topology: Topology) -> None:
        super().__init__(topology)

    def _choose(self, c: IntArray, x: IntArray, selection: IntArray | None) -> IntArray:
        """Choose among the links of the mask by the ports that are free."""
        link = self.link[c, x]
        if selection is None:
            return link
        free = self.mask[c, x] & selection
        return np.where((free >> link & 1) | (free == 0), link, LOWEST[free])

    def selections(
        self, node: IntArray, arrival: IntArray, header: IntArray
    ) -> tuple[IntArray, IntArray | None]:
        """Return one selection for each link of the mask: it alone is free."""
        c, x, _ = self._read(header)
        mask = np.maximum(self.mask[c, x], 1)  # where a packet has arrived, one decision as well
        packet, link = np.nonzero(mask[:, None] >> np.arange(4) & 1)
        return packet, 1 << link

    def table_bits(self) -> dict[str, int]:
        """Return the bits of the table: four a row for the links, two for the balanced one."""
        return {"masks": 4 * self.topology.nodes, **super().table_bits()}

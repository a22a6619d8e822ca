"""Adaptive shortest-path routing on Borel Cayley graphs (vertex-transitivity-1992)."""

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.routing.vertex_transitive import VertexTransitive
from fingerpost.golden.topology.base import Topology


def first_free(mask: IntArray, preferred: IntArray, free: IntArray) -> IntArray:
    """Return the port that a packet takes of those of a mask, some of which are free.

    That is the preferred one if it is free, else the lowest that is, else the preferred one.
    """
    allowed = mask & free
    lowest = np.bitwise_count((allowed & -allowed) - 1).astype(np.int64)
    return np.where((allowed >> preferred & 1) | (allowed == 0), preferred, lowest)


def each_alone(mask: IntArray, preferred: IntArray, ports: int) -> tuple[IntArray, IntArray]:
    """Return for each packet the masks in which one of its ports is free, and their packets.

    The preferred port comes first, as `first_free` prefers them. A mask without ports has its
    preferred one.
    """
    rows = np.arange(len(mask))
    found = (mask[:, None] >> np.arange(ports) & 1).astype(np.bool_)
    found[rows, preferred] = False
    packet, port = np.nonzero(found)
    packet, port = np.concatenate([rows, packet]), np.concatenate([preferred, port])
    order = packet.argsort(kind="stable")
    return packet[order], 1 << port[order]


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
        return link if selection is None else first_free(self.mask[c, x], link, selection)

    def selections(
        self, node: IntArray, arrival: IntArray, header: IntArray
    ) -> tuple[IntArray, IntArray | None]:
        """Return one selection for each link of the mask: it alone is free."""
        c, x, _ = self._read(header)
        return each_alone(self.mask[c, x], self.link[c, x], 4)

    def table_bits(self) -> dict[str, int]:
        """Return the bits of the table: four a row for the links, two for the balanced one."""
        return {"masks": 4 * self.topology.nodes, **super().table_bits()}

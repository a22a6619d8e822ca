"""Adaptive table routing: every shortest way from every node to every destination."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.routing.adaptive import each_alone, first_free
from fingerpost.golden.routing.balance import nearer
from fingerpost.golden.routing.base import Decision
from fingerpost.golden.routing.straps import Straps
from fingerpost.golden.routing.table import Table
from fingerpost.golden.topology.base import Topology
from fingerpost.golden.topology.distance import distances


class AdaptiveTable(Table):
    """Shortest ways by any of the links that lead nearer, as the ports are free.

    What `Adaptive` does on Borel Cayley graphs, on any network: beside the balanced port of `Table`
    a node holds for each terminal a bit for each port on a shortest way. A packet takes the
    balanced port if it is free, else the lowest of the others that is, else it waits for the
    balanced one.

    Parameters
    ----------
    topology : Topology

    Attributes
    ----------
    ways : (terminals, nodes)
        The bits; none at the destination, and where there is no way.
    """

    algorithm = "adaptive-table"
    selection = "free"

    def __init__(self, topology: Topology) -> None:
        super().__init__(topology)
        port = 1 << np.arange(topology.degree)
        self.ways: NDArray[np.integer[Any]] = np.array(
            [
                nearer(topology.neighbour, distances(topology.origin, destination)) @ port
                for destination in topology.terminals.tolist()
            ],
            np.int16 if topology.degree < 16 else np.int64,
        )
        what = "a bit for each port on a shortest way to destination {}"
        self.straps = Straps(
            self._hops()
            | {
                f"ways{i}": (topology.degree, what.format(i), row)
                for i, row in enumerate(self.ways.astype(np.int64))
            }
        )

    def unit(
        self, node: IntArray, arrival: IntArray, header: IntArray, selection: IntArray | None
    ) -> Decision:
        """Choose among the ports of the table by those that are free."""
        decision = super().unit(node, arrival, header, selection)
        if selection is None:
            return decision
        own = np.maximum(decision.port, 0)
        port = first_free(self._ways(node, header), own, selection)
        return Decision(port, decision.header, decision.error)

    def selections(
        self, node: IntArray, arrival: IntArray, header: IntArray
    ) -> tuple[IntArray, IntArray | None]:
        """Return one selection for each port on a shortest way: it alone is free."""
        own = np.maximum(super().unit(node, arrival, header, None).port, 0)
        return each_alone(self._ways(node, header), own, self.topology.local + 1)

    def _ways(self, node: IntArray, header: IntArray) -> IntArray:
        row = np.minimum(self.header.cut("destination", header), len(self.ways) - 1)
        return self.ways[row, node].astype(np.int64)

    def table_bits(self) -> dict[str, int]:
        """Return the bits of one node's tables: those of the ports besides."""
        ways = self.topology.degree * len(self.topology.terminals)
        return {**super().table_bits(), "ways": ways}

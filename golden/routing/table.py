"""Table routing: the next hop from every node to every destination, on any network."""

from typing import Annotated, Literal

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.header import Layout, bits
from fingerpost.golden.parameters import Parameter, ParameterError, check_choices
from fingerpost.golden.routing.balance import PortArray, next_hops
from fingerpost.golden.routing.base import Decision, Routing
from fingerpost.golden.routing.straps import Straps
from fingerpost.golden.topology.base import Topology

LARGEST = 25_000_000
"""More entries than this are refused: they would take minutes."""


class ByTable(Routing):
    """Routing by tables, another at every node, with an entry for each terminal."""

    @property
    def orbit(self) -> IntArray:
        """Return an orbit for every node: a symmetry of the network is none of the tables."""
        return np.arange(self.topology.nodes)

    def encode(self, source: IntArray, destination: IntArray) -> IntArray:
        """Return the number of the destination; the source does not matter."""
        return self.header.pack(
            destination=np.searchsorted(self.topology.terminals, np.asarray(destination))
        )


class Table(ByTable):
    """Shortest paths from a table of next hops, which is another one at every node.

    The table look-up of vertex-transitivity-1992, Section 5, and the yardstick for all else: it
    serves every network, and a router holds an entry for each destination. The entries of a node
    are its straps: one ROM for all nodes would have n times as many, in every router.

    Parameters
    ----------
    topology : Topology
    choice : "balanced" or "first"
        Which of the links on shortest paths is taken: one such that all links carry the same load
        as nearly as can be, or the one with the smallest port number.

    Attributes
    ----------
    next_hop : (terminals, nodes)
        The port to take at each node for each terminal, in the order of `topology.terminals`; -1
        where there is no way: no packet for that terminal ever comes there.

    Raises
    ------
    ValueError
        If `choice` is neither, or the table would be too large.
    """

    algorithm = "table"
    families = ()  # any

    def __init__(
        self,
        topology: Topology,
        *,
        choice: Annotated[
            Literal["balanced", "first"],
            Parameter("Which of several shortest next links the table holds."),
        ] = "balanced",
    ) -> None:
        check_choices(Table, self.title, choice=choice)
        n, terminals = topology.nodes, len(topology.terminals)
        if n * terminals > LARGEST:
            raise ParameterError(
                "algorithm",
                f"Table routing needs at most {LARGEST} entries, one at each node for each "
                f"terminal, not {n}*{terminals} = {n * terminals}",
            )
        self.topology, self.choice = topology, choice
        self.next_hop: PortArray = next_hops(topology, balanced=choice == "balanced")
        self.header = Layout.sequence(
            destination=(bits(terminals), "number of the destination, counting terminals only")
        )
        self.straps = Straps(self._hops())

    def _hops(self) -> dict[str, tuple[int, str, IntArray]]:
        """Return the straps of the table."""
        width = bits(self.topology.degree + 1)
        return {
            f"hop{i}": (width, f"the port to destination {i}", np.maximum(row, 0))
            for i, row in enumerate(self.next_hop.astype(np.int64))
        }

    def unit(
        self, node: IntArray, arrival: IntArray, header: IntArray, selection: IntArray | None
    ) -> Decision:
        """Look up the port; the header stays as it is."""
        destination = self.header.cut("destination", header)
        terminals = len(self.next_hop)
        row = np.minimum(destination, terminals - 1)
        port = self.next_hop[row, node].astype(np.int64)
        error = (destination >= terminals) | (port < 0)
        return Decision(port, self.header.join(destination=destination), error.astype(np.int64))

    def table_bits(self) -> dict[str, int]:
        """Return the bits of one node's table: a port for each terminal."""
        return {"next hops": bits(self.topology.degree + 1) * len(self.topology.terminals)}

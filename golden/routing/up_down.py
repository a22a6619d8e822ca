"""Up*/down* routing on any network whose links go both ways (Autonet, Schroeder et al. 1991)."""

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.header import Layout, bits
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.routing.balance import Ways, choose_hops
from fingerpost.golden.routing.base import Decision
from fingerpost.golden.routing.straps import Straps
from fingerpost.golden.routing.table import ByTable
from fingerpost.golden.topology.base import Topology
from fingerpost.golden.topology.distance import distances

LARGEST = 25_000_000
"""More entries than this are refused: they would take minutes."""


def _centre(topology: Topology) -> int:
    """Return the node with the least sum of distances to all others, the first of these."""
    first = np.unique(topology.orbit, return_index=True)[1]
    first = np.setdiff1d(first, topology.lost)
    total = [int(distances(topology.neighbour, node).sum()) for node in first.tolist()]
    return int(first[np.argmin(total)])


class UpDown(ByTable):
    """Up towards a root first, then down: the shortest of such routes, by tables at every node.

    The nodes come in an order: by their distance from the root, and by number where that is the
    same. A link goes up if it leads to the earlier node. No packet goes up after it has gone down,
    so that no links can wait for each other in a circle: one channel is enough on any network.

    A packet that comes by a link from above has gone down. For these a node has another table,
    of links that lead down; nothing about it travels with the packet.

    Parameters
    ----------
    topology : Topology

    Attributes
    ----------
    root : int
        The node with the least sum of distances to all others.
    above : (nodes, degree)
        Whether the node at the other end of a port comes earlier in the order.
    climbing, falling : (terminals, nodes)
        The port to take for each terminal, in the order of `topology.terminals`, by packets that
        may still go up, and by those that have gone down; -1 where there is no way.

    Raises
    ------
    ParameterError
        If links go one way, or the tables are too large.
    """

    algorithm = "up-down"
    families = ()  # any that is not directed

    def __init__(self, topology: Topology) -> None:
        n, terminals = topology.nodes, topology.terminals
        if topology.directed:
            raise ParameterError(
                "algorithm",
                f"Up-down routing needs links that go both ways, which those of "
                f"{topology.family} do not",
            )
        if 2 * n * len(terminals) > LARGEST:
            raise ParameterError(
                "algorithm",
                f"Up-down routing needs at most {LARGEST} entries, two at each node for each "
                f"terminal, not 2*{n}*{len(terminals)} = {2 * n * len(terminals)}",
            )
        self.topology = topology
        self.root = _centre(topology)
        level = distances(topology.neighbour, self.root)
        level[topology.lost] = topology.nodes  # below all others, and no link leads there
        if level.min() < 0:
            raise ParameterError(
                "algorithm",
                f"Up-down routing needs a way from node {self.root} to {level.argmin()}",
            )
        order = level * n + np.arange(n)
        neighbour = topology.neighbour
        self.above: BoolArray = (order[neighbour] < order[:, None]) & (neighbour >= 0)
        hops = choose_hops(_ways(topology, self.above), terminals, topology.local, balanced=True)
        self.climbing, self.falling = hops[:, :n], hops[:, n:]
        self.header = Layout.sequence(
            destination=(bits(len(terminals)), "number of the destination, counting terminals only")
        )
        width = bits(topology.degree + 1)
        tables = {
            "hop": (self.climbing, "the port to destination {}"),
            "fall": (self.falling, "the port to destination {} of what came from above"),
        }
        what = "a bit for each port that leads up, to a node above"
        above = self.above @ (1 << np.arange(topology.degree))
        self.straps = Straps(
            {"above": (topology.degree, what, above)}
            | {
                f"{name}{i}": (width, meaning.format(i), np.maximum(row, 0))
                for name, (table, meaning) in tables.items()
                for i, row in enumerate(table.astype(np.int64))
            }
        )

    def unit(
        self, node: IntArray, arrival: IntArray, header: IntArray, selection: IntArray | None
    ) -> Decision:
        """Look up the port in the table for what came that way; the header stays as it is.

        Where no packet has a way on the port is 0.
        """
        local, terminals = self.topology.local, len(self.topology.terminals)
        destination = self.header.cut("destination", header)
        row = np.minimum(destination, terminals - 1)
        fallen = (arrival != local) & self.above[node, np.minimum(arrival, local - 1)]
        port = np.where(fallen, self.falling[row, node], self.climbing[row, node])
        return Decision(
            np.maximum(port, 0).astype(np.int64),
            self.header.join(destination=destination),
            (destination >= terminals).astype(np.int64),
        )

    def vc_increments(self) -> BoolArray:
        ports = self.topology.degree + 1
        return np.zeros((self.topology.nodes, ports, ports), np.bool_)

    def constants(self) -> dict[str, object]:
        return {"root": self.topology.name(self.root)}

    def table_bits(self) -> dict[str, int]:
        """Return the bits of one node's two tables: a port for each terminal."""
        return {"next hops": 2 * bits(self.topology.degree + 1) * len(self.topology.terminals)}


def _ways(topology: Topology, above: BoolArray) -> Ways:
    """Return where packets may go: states 0..n-1 may still go up, n..2n-1 have gone down."""
    n, neighbour = topology.nodes, topology.neighbour
    up, down = np.where(above, neighbour, -1), np.where(above, -1, neighbour)
    falls = np.where(down >= 0, n + down, -1)
    nothing = np.full_like(neighbour, -1)
    # A way back leads from a state that may go up to nodes below, from one that has not to both
    # states of nodes above.
    back = np.block([[down, nothing], [up, np.where(up >= 0, n + up, -1)]])

    def distance(destination: int) -> IntArray:
        one, other = (distances(back, state) for state in (destination, n + destination))
        return np.where((one < 0) | (other >= 0) & (other < one), other, one)

    return Ways(
        onward=np.block([[np.where(above, neighbour, falls)], [falls]]),
        node=np.tile(np.arange(n), 2),
        sources=topology.terminals,
        distance=distance,
    )

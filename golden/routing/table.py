"""Table routing, on any network: the next hop from every node to every destination.

By shortest paths, by any of these as the ports are free, or up and down a spanning tree.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.header import Layout, bits
from fingerpost.golden.parameters import Parameter, ParameterError, check_choices
from fingerpost.golden.routing.balance import PortArray, Ways, choose_hops, nearer, next_hops
from fingerpost.golden.routing.base import Decision, Routing, Straps
from fingerpost.golden.routing.given import Row, Rows, follow
from fingerpost.golden.routing.vertex_transitive import each_alone, first_free
from fingerpost.golden.topology.base import Topology, distances

LARGEST = 25_000_000
"""More entries than this are refused: they would take minutes."""


class ByTable(Routing):
    """Routing by tables, another at every node, with an entry for each terminal."""

    families = ()  # any

    def _prepare(self, topology: Topology, each: int = 1) -> None:
        """Lay out the header, where tables of `each` node and terminal are not too large."""
        self.topology = topology
        n, terminals = topology.nodes, len(topology.terminal_nodes)
        if each * n * terminals > LARGEST:
            count, factor = ("one", "") if each == 1 else ("two", f"{each}*")
            raise ParameterError(
                "algorithm",
                f"{self.title} needs at most {LARGEST} entries, {count} at each node for each "
                f"terminal, not {factor}{n}*{terminals} = {each * n * terminals}",
            )
        self.header = Layout.sequence(
            destination=(
                bits(terminals),
                "number of the destination, counting nodes with terminals only",
            )
        )

    def _ports(
        self, name: str, table: PortArray, what: str = ""
    ) -> dict[str, tuple[int, str, IntArray]]:
        """Return the straps of a table of ports; where no packet comes they are 0."""
        width = bits(self.topology.degree + 1)
        return {
            f"{name}{i}": (width, f"the port to destination {i}{what}", np.maximum(row, 0))
            for i, row in enumerate(table.astype(np.int64))
        }

    @property
    def destinations(self) -> IntArray:
        return self.topology.terminal_nodes

    def encode(self, source: IntArray, destination: IntArray) -> IntArray:
        """Return the number of the destination; the source does not matter."""
        return self.header.pack(
            destination=np.searchsorted(self.topology.terminal_nodes, np.asarray(destination))
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
    routes : sequence of (node, destination, port)
        Your own routes instead; rows that no packet needs may be left out.

    Attributes
    ----------
    next_hop : (terminals, nodes)
        The port to take at each node for each node with a terminal, in their order; -1 where there
        is no way: no packet for that terminal ever comes there.

    Raises
    ------
    ValueError
        If `choice` is neither, some route does not arrive, or the table would be too large.
    """

    algorithm = "table"

    def __init__(
        self,
        topology: Topology,
        *,
        choice: Annotated[
            Literal["balanced", "first"],
            Parameter("Which of several shortest next links the table holds."),
        ] = "balanced",
        routes: Annotated[
            Sequence[Row] | None,
            Parameter(
                "Routes of your own; shortest ones if absent.",
                "the name of a CSV file beside this one, with columns node, destination, and port "
                "or next",
                in_file=True,
            ),
        ] = None,
    ) -> None:
        check_choices(Table, self.title, choice=choice)
        self._prepare(topology)
        self.choice = choice
        self.next_hop: PortArray = (
            next_hops(topology, balanced=choice == "balanced")
            if routes is None
            else _given(topology, routes, self.title)
        )
        self.straps = Straps(self._ports("hop", self.next_hop))

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
        return {"next hops": bits(self.topology.degree + 1) * len(self.topology.terminal_nodes)}


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
                for destination in topology.terminal_nodes.tolist()
            ],
            np.int16 if topology.degree < 16 else np.int64,
        )
        what = "a bit for each port on a shortest way to destination {}"
        self.straps = Straps(
            self._ports("hop", self.next_hop)
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
        ways = self.topology.degree * len(self.topology.terminal_nodes)
        return {**super().table_bits(), "ways": ways}


def _given(topology: Topology, routes: Sequence[Row], title: str) -> PortArray:
    """Return the table of routes that are given, as `Table.next_hop`."""
    rows = Rows(topology, routes, title)
    if rows.by_source:
        raise ParameterError(
            "routes",
            f"{title} needs routes without a source; for these take algorithm: source-table",
        )
    follow(topology, rows.port, title, topology.nodes)
    destination, node = np.meshgrid(
        topology.terminal_nodes, np.arange(topology.nodes), indexing="ij"
    )
    table = rows.port(node, destination, node)
    table[destination == node] = topology.local
    return table.astype(np.int8)


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
        The port to take for each node with a terminal, in their order, by packets that may still
        go up, and by those that have gone down; -1 where there is no way.

    Raises
    ------
    ParameterError
        If links go one way, or the tables are too large.
    """

    algorithm = "up-down"

    def __init__(self, topology: Topology) -> None:
        n = topology.nodes
        if topology.directed:
            raise ParameterError(
                "algorithm",
                f"Up-down routing needs links that go both ways, which those of "
                f"{topology.family} do not",
            )
        self._prepare(topology, each=2)
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
        hops = choose_hops(_ways(topology, self.above), topology, balanced=True)
        self.climbing, self.falling = hops[:, :n], hops[:, n:]
        what = "a bit for each port that leads up, to a node above"
        above = self.above @ (1 << np.arange(topology.degree))
        self.straps = Straps(
            {"above": (topology.degree, what, above)}
            | self._ports("hop", self.climbing)
            | self._ports("fall", self.falling, " of what came from above")
        )

    def unit(
        self, node: IntArray, arrival: IntArray, header: IntArray, selection: IntArray | None
    ) -> Decision:
        """Look up the port in the table for what came that way; the header stays as it is.

        Where no packet has a way on the port is 0.
        """
        local, terminals = self.topology.local, len(self.topology.terminal_nodes)
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
        return {"next hops": 2 * bits(self.topology.degree + 1) * len(self.topology.terminal_nodes)}


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
        sources=topology.terminal_nodes,
        distance=distance,
    )

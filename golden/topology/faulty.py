"""What is left of a network when links and nodes have failed."""

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.topology.base import Topology


class Faulty(Topology):
    """A network without some of its links and nodes; nodes and ports keep their numbers.

    What remains is the part in which every node reaches every other: of several the one with the
    most terminals, then with the most nodes, then with the smallest node. The other nodes are
    `lost`: they have failed themselves, or are cut off. A lost node has no links and no terminal,
    and its number stays free. In a directed network a node is cut off too if it can only send to
    the others, or only hear them.

    Parameters
    ----------
    whole : Topology
        The network before.
    links : (nodes, degree)
        Whether the link at each out-port has failed. Unless the network is directed a link fails
        both ways, if it is given for one of them.
    nodes : (failed,)
        The nodes that have failed.

    Attributes
    ----------
    whole : Topology
    failed_links : (nodes, degree)
        As given, both ways; links of a node that has failed are not among them if they did not.
    failed_nodes : (failed,)
        Ascending.

    Raises
    ------
    ParameterError
        If fewer than two terminals reach one another.
    """

    def __init__(self, whole: Topology, *, links: BoolArray, nodes: IntArray) -> None:
        self.whole, self.family = whole, whole.family
        linked = whole.neighbour >= 0
        failed = links & linked
        if not whole.directed:
            node, port = np.nonzero(failed)
            failed[whole.neighbour[node, port], whole.arrival_port[node, port]] = True
        self.failed_links, self.failed_nodes = failed, np.unique(nodes)

        alive = np.ones(whole.nodes, np.bool_)
        alive[self.failed_nodes] = False
        works = linked & ~failed & alive[:, None]  # a node that sends nothing is by itself
        stays = _main_part(whole, works)
        left = np.where(stays, whole.terminals_at, 0)
        if left.sum() < 2:
            raise ParameterError(
                "", "Network needs faults that leave two terminals that reach one another, not none"
            )
        works &= stays[:, None] & stays[whole.neighbour]
        super().__init__(
            np.where(works, whole.neighbour, -1),
            np.where(works, whole.arrival_port, -1),
            whole.port_names,
            np.repeat(np.arange(whole.nodes), left),
        )
        self.lost = np.flatnonzero(~stays)

    @property
    def connected(self) -> float:
        """Return the share of the pairs of terminals that still reach each other."""
        left, before = len(self.terminals), len(self.whole.terminals)
        return left * (left - 1) / (before * (before - 1))

    @property
    def positions(self) -> IntArray | None:
        return self.whole.positions

    def name(self, node: int) -> str:
        return self.whole.name(node)

    def node(self, name: str) -> int:
        return self.whole.node(name)

    @property
    def rings(self) -> IntArray:
        return self.whole.rings

    def constants(self) -> dict[str, object]:
        return self.whole.constants()


def _main_part(whole: Topology, works: BoolArray) -> BoolArray:
    """Return which nodes are in the largest part in which all reach one another."""
    node, port = np.nonzero(works)
    # Imported here: a network without faults needs no scipy.
    from scipy.sparse import csgraph, csr_array

    graph = csr_array(
        (np.ones(len(node), np.int8), (node, whole.neighbour[node, port])),
        shape=(whole.nodes, whole.nodes),
    )
    count, part = csgraph.connected_components(graph, connection="strong")
    first = np.full(count, whole.nodes)
    np.minimum.at(first, part, np.arange(whole.nodes))
    terminals, nodes = np.zeros(count, np.int64), np.bincount(part)
    np.add.at(terminals, part, whole.terminals_at)
    main: BoolArray = part == np.lexsort((-first, nodes, terminals))[-1]
    return main

"""Links and their order, as the compiled search of paths sees them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.topology.base import Topology


class LinkGraph(NamedTuple):
    """The links of a network, in an order. Those of an orbit by one port are one link here.

    Attributes
    ----------
    order : (links,)
        The links, orbit * degree + port, the first one first.
    neighbour : (nodes * degree,)
        The node to which each port leads, -1 where there is no link.
    first, members
        The nodes of orbit i are `members[first[i]:first[i + 1]]`.
    sources, terminals
        The first terminal of every orbit, and all terminals.
    degree : int
    """

    order: IntArray
    neighbour: IntArray
    first: IntArray
    members: IntArray
    sources: IntArray
    terminals: IntArray
    degree: int

    @property
    def every(self) -> IntArray:
        """Return all links, ascending."""
        orbit = self.members[self.first[:-1]]
        links = self.neighbour.reshape(-1, self.degree)[orbit] >= 0
        return np.flatnonzero(links)

    def scratch(self, channels: int) -> "Labels":
        """Return room for the labels of paths from one source."""
        nodes, most = len(self.members), channels * len(self.neighbour) + 1
        return Labels(
            length=np.empty(nodes),
            label=np.empty(nodes, np.int64),
            link=np.empty(most, np.int32),
            before=np.empty(most, np.int32),
            hops=np.empty(most, np.int32),
            paths=np.empty(most, np.int64),
        )


class Labels(NamedTuple):
    """The paths from one source: see `fingerpost.golden.link_order.kernel`.

    By node, the length of the shortest path and its label, -1 if there is none; by label, the last
    link, the label before, the hops, and the paths that go through it.
    """

    length: NDArray[np.float64]
    label: IntArray
    link: NDArray[np.int32]
    before: NDArray[np.int32]
    hops: NDArray[np.int32]
    paths: IntArray


def link_graph(topology: Topology, orbit: IntArray) -> LinkGraph:
    """Return the links of a network by orbits of its nodes, which are in no order yet."""
    first = np.concatenate([[0], np.bincount(orbit).cumsum()])
    terminals = topology.terminal_nodes
    return LinkGraph(
        order=np.empty(0, np.int64),
        neighbour=topology.neighbour.astype(np.int64).ravel(),
        first=first,
        members=np.argsort(orbit, kind="stable"),
        sources=terminals[np.unique(orbit[terminals], return_index=True)[1]],
        terminals=terminals.astype(np.int64),
        degree=topology.degree,
    )

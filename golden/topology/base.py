"""What every network is: nodes, ports, where each port leads, and the distances between nodes."""

from collections import Counter
from collections.abc import Sequence
from copy import copy
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np

from fingerpost.golden.arrays import IntArray

MAX_NODES = 4_000_000
"""More nodes than this are refused: the arrays of one network would fill a workstation."""

MAX_DEGREE = 15
"""More links at a node are refused in families: an allocator of more than 16 ports
is slow and large."""


class NodeType(NamedTuple):
    """What sets the routers of some nodes apart: the ports in use, and how many terminals it has.

    Ports are ascending; those of terminals are not among them.
    """

    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    terminals: int


class Topology:
    """An immutable network of `nodes` nodes with link ports 0..degree-1.

    In a directed network the ports are outputs and inputs counted separately: leaving by output p
    of u a packet arrives at input `arrival_port[u, p]` of `neighbour[u, p]`, and there need be no
    way back. `degree` is the larger of the two counts.

    Attributes
    ----------
    family : str
        Its name in network files.
    neighbour : (nodes, degree)
        The node at the other end of each port, -1 where there is no link.
    arrival_port : (nodes, degree)
        The in-port at which that link ends there, -1 where there is no link.
    terminals_at : (nodes,)
        How many terminals each node has.
    terminals : (terminals,)
        The terminals, ascending: the sources and destinations of packets. Terminal number
        node * `local_ports` + l is at local port l of a node. Where no node has two, it is the
        number of the node.
    terminal_nodes : (nodes with terminals,)
        The nodes that have terminals, ascending.
    lost : (lost,)
        The nodes that faults have taken away, ascending: they have neither links nor a terminal.
    orbit : (nodes,)
        Two nodes share an orbit when a symmetry of the network that keeps port numbers
        takes one to the other. Every node is an orbit of its own unless a family says more, and
        all nodes of an orbit have as many terminals.
    port_names : tuple of str
        What the papers call each link port; those of terminals, from `local` on, come behind them.
    vertex_transitive : bool
        True when distances from node 0 stand for distances from every node.
    """

    family: str
    vertex_transitive: bool = False

    neighbour: IntArray
    arrival_port: IntArray
    orbit: IntArray
    terminals_at: IntArray
    terminals: IntArray
    terminal_nodes: IntArray
    lost: IntArray
    port_names: tuple[str, ...]

    def __init__(
        self,
        neighbour: IntArray,
        arrival_port: IntArray,
        port_names: tuple[str, ...],
        terminals: IntArray | None = None,
    ) -> None:
        self.neighbour = neighbour
        self.arrival_port = arrival_port
        self.port_names = port_names
        self.orbit = np.arange(len(neighbour))
        self.lost = np.empty(0, np.int64)
        for array in (neighbour, arrival_port):
            array.setflags(write=False)
        self._place(self.orbit if terminals is None else terminals)

    def _place(self, terminals: IntArray) -> None:
        """Place terminals at these nodes, at one that is named twice two."""
        self.terminals_at = np.bincount(terminals, minlength=self.nodes)
        self.terminal_nodes = np.flatnonzero(self.terminals_at)
        local = np.arange(self.local_ports)
        self.terminals = np.flatnonzero(local < self.terminals_at[:, None])
        for array in (self.terminals_at, self.terminal_nodes, self.terminals):
            array.setflags(write=False)

    def with_terminals(self, terminals: IntArray) -> Self:
        """Return the same network with terminals at other nodes, at one that is named twice two.

        Where they break a symmetry it is forgotten.
        """
        other = copy(self)
        other.__dict__.pop("node_type", None)
        other._place(terminals)
        other.orbit = other.alike(self.orbit)
        some = other.terminals_at[~np.isin(np.arange(self.nodes), self.lost)]
        other.vertex_transitive = self.vertex_transitive and len(np.unique(some)) == 1
        return other

    def alike(self, orbit: IntArray) -> IntArray:
        """Return the orbits if all nodes of each have as many terminals, else every node apart."""
        first = np.unique(orbit, return_index=True)[1]
        count = self.terminals_at
        return orbit if (count[first][orbit] == count).all() else np.arange(self.nodes)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.nodes} nodes of degree {self.degree}>"

    @property
    def nodes(self) -> int:
        """Return the number of nodes, n."""
        return len(self.neighbour)

    @property
    def degree(self) -> int:
        """Return the number of link ports at a node."""
        return int(self.neighbour.shape[1])

    @property
    def local_ports(self) -> int:
        """Return the largest number of terminals at a node, at least 1."""
        return max(1, int(self.terminals_at.max(initial=0)))

    @property
    def all_ports(self) -> int:
        """Return the number of ports of a node: of links, then of terminals."""
        return self.degree + self.local_ports

    @property
    def terminal_numbers(self) -> int:
        """Return for how many terminals there are numbers: `local_ports` at each node."""
        return self.nodes * self.local_ports

    @property
    def directed(self) -> bool:
        """Return whether some link has no way back between the same two ports."""
        node, port = np.nonzero(self.neighbour >= 0)
        there, by = self.neighbour[node, port], self.arrival_port[node, port]
        return bool((self.neighbour[there, by] != node).any())

    @cached_property
    def node_type(self) -> list[NodeType]:
        """Return the type of every node."""
        inputs, outputs = self.origin >= 0, self.neighbour >= 0
        rows, number = np.unique(
            np.concatenate([inputs, outputs, self.terminals_at[:, None]], axis=1),
            axis=0,
            return_inverse=True,
        )
        node_types = [
            NodeType(
                tuple(np.flatnonzero(row[: self.degree]).tolist()),
                tuple(np.flatnonzero(row[self.degree : -1]).tolist()),
                int(row[-1]),
            )
            for row in rows
        ]
        return [node_types[i] for i in number.ravel().tolist()]

    @property
    def node_types(self) -> list[NodeType]:
        """Return every node type once, the most frequent first."""
        return [node_type for node_type, _ in Counter(self.node_type).most_common()]

    @property
    def origin(self) -> IntArray:
        """Return the node from which the link to each in-port comes, -1 for none; as neighbour."""
        node, port = np.nonzero(self.neighbour >= 0)
        origin = np.full_like(self.neighbour, -1)
        origin[self.neighbour[node, port], self.arrival_port[node, port]] = node
        return origin

    @property
    def local(self) -> int:
        """Return the number of the first terminal's port."""
        return self.degree

    def port_name(self, port: int) -> str:
        """Return what the paper calls `port`, or ``LOCAL``, with a number if there are several."""
        if port < self.local:
            return self.port_names[port]
        return "LOCAL" if self.local_ports == 1 else f"LOCAL{port - self.local}"

    def name(self, node: int) -> str:
        """Return the family's label of `node`."""
        return str(node)

    def node(self, name: str) -> int:
        """Return the node that `name`, a number or a family label, stands for.

        Raises
        ------
        ValueError
            If `name` names no node of this network.
        """
        text = name.strip()
        if self.is_number(text):
            if int(text) >= self.nodes:
                raise ValueError(f"Node needs a number in 0..{self.nodes - 1}, not {name}")
            return int(text)
        node = self.parse(text)
        if node is None:
            form = f" or {self.label_form}" * bool(self.label_form)
            raise ValueError(f"Node needs a number in 0..{self.nodes - 1}{form}, not {name!r}")
        return node

    def node_of(self, terminal: IntArray) -> IntArray:
        """Return the nodes of terminals."""
        return terminal // self.local_ports

    def terminal_name(self, terminal: int) -> str:
        """Return the name of a terminal: its node, and if some have several ``.`` and a number."""
        node, local = divmod(terminal, self.local_ports)
        return self.name(node) if self.local_ports == 1 else f"{self.name(node)}.{local}"

    def terminal(self, name: str) -> int:
        """Return the terminal that `name` stands for: its number, or as `terminal_name` has it.

        Raises
        ------
        ValueError
            If there is no such terminal.
        """
        node, dot, local = name.strip().rpartition(".")
        if self.local_ports == 1:
            found = self.node(name)
            if found not in self.terminals:
                raise ValueError(f"Node needs a terminal, which {name} has not")
            return found
        if dot and local.isdecimal() and int(local) < self.local_ports:
            found = self.node(node) * self.local_ports + int(local)
        else:
            found = int(local) if self.is_number(name.strip()) else -1
        if found not in self.terminals:
            raise ValueError(
                f"Terminal needs the number of one that there is or NODE.0, not {name}"
            )
        return found

    @property
    def label_form(self) -> str:
        """Return how nodes are named beside their numbers, as in ``a permutation of 1..4``."""
        return ""

    def is_number(self, text: str) -> bool:
        """Return whether the name of a node is its number, and not a label."""
        return text.isdecimal() and len(text) < 19

    def parse(self, label: str) -> int | None:
        """Return the node with a label of the family, if there is one."""
        return None

    @property
    def rings(self) -> IntArray:
        """Return for each port the number of the ring on which its links are, -1: on none."""
        return np.full(self.degree, -1)

    @property
    def positions(self) -> IntArray | None:
        """Return the tile [x, y] where each node naturally is on a chip, shape (nodes, 2)."""
        return None

    def constants(self) -> dict[str, object]:
        """Return the numbers that characterise this network within its family, for `info`."""
        return {}


def by_coordinates(label: str, sizes: Sequence[int]) -> int | None:
    """Return x0 + s0 (x1 + s1 (...)) for the label ``x0,x1,...``; None if an x is not below its s.

    >>> by_coordinates("1, 2", (4, 3)), by_coordinates("1,3", (4, 3))
    (9, None)
    """
    words = [word.strip() for word in label.split(",")]
    if len(words) != len(sizes) or not all(word.isdecimal() for word in words):
        return None
    place = tuple(map(int, words))
    if any(x >= size for x, size in zip(place, sizes, strict=True)):
        return None
    return int(np.ravel_multi_index(place[::-1], tuple(sizes)[::-1]))


def distances(neighbour: IntArray, source: int) -> IntArray:
    """Return the number of hops from `source` to every node, -1 where there is no way.

    Examples
    --------
    >>> ring = np.array([[1, 4], [2, 0], [3, 1], [4, 2], [0, 3]])
    >>> distances(ring, 0).tolist()
    [0, 1, 2, 2, 1]
    """
    distance = np.full(len(neighbour), -1)
    place = np.empty(len(neighbour), np.int64)
    distance[source] = depth = 0
    frontier = np.array([source])
    while len(frontier):
        depth += 1
        reached = neighbour[frontier].ravel()
        new = reached[(distance[reached] < 0) & (reached >= 0)]
        distance[new] = depth
        # A node reached several times stands in `new` as often: keep the last place.
        here = np.arange(len(new))
        place[new] = here
        frontier = new[place[new] == here]
    return distance


def summary(topology: Topology, *, among_terminals: bool = False) -> tuple[int, float]:
    """Return the diameter D and the mean distance over the n-1 other nodes.

    With `among_terminals` both are of the nodes that have a terminal, to one another. Nodes that
    faults have taken away do not count.

    Raises
    ------
    ValueError
        If some node cannot reach another.

    Examples
    --------
    >>> from fingerpost.golden.topology import EdgeList
    >>> summary(EdgeList(links=[(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)], nodes=5))
    (2, 1.5)
    """
    present = np.delete(np.arange(topology.nodes), topology.lost)
    some = topology.node_of(topology.terminals) if among_terminals else present
    _, first, size = np.unique(topology.orbit[some], return_index=True, return_counts=True)
    if topology.vertex_transitive:
        first, size = first[:1], size[:1]
    diameter, total = 0, 0
    for source, weight in zip(some[first].tolist(), size.tolist(), strict=True):
        distance = distances(topology.neighbour, source)[some]
        if distance.min() < 0:
            lost = some[distance.argmin()]
            raise ValueError(f"Topology needs a way from node {source} to {lost}")
        diameter = max(diameter, int(distance.max()))
        total += weight * int(distance.sum())
    return diameter, total / int(size.sum()) / (len(some) - 1)

"""What every network is: nodes, ports, and where each port leads."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["IntArray", "Topology"]

IntArray = NDArray[np.int64]


class Topology:
    """An immutable network of `nodes` nodes with link ports 0..degree-1.

    Attributes
    ----------
    neighbour : (nodes, degree)
        The node at the other end of each port, -1 where there is no link.
    arrival_port : (nodes, degree)
        The in-port at which that link ends there, -1 where there is no link.
    orbit : (nodes,)
        Two nodes share an orbit when a symmetry of the network that keeps port numbers
        takes one to the other. Every node is an orbit of its own unless a family says more.
    port_names : tuple of str
        What the papers call each port; the terminal port, `local`, is number `degree`.
    vertex_transitive : bool
        True when distances from node 0 stand for distances from every node.
    """

    family: ClassVar[str]
    vertex_transitive: ClassVar[bool] = False

    neighbour: IntArray
    arrival_port: IntArray
    orbit: IntArray
    port_names: tuple[str, ...]

    def __init__(
        self, neighbour: IntArray, arrival_port: IntArray, port_names: tuple[str, ...]
    ) -> None:
        self.neighbour = neighbour
        self.arrival_port = arrival_port
        self.port_names = port_names
        self.orbit = np.arange(len(neighbour))
        for array in (neighbour, arrival_port):
            array.setflags(write=False)

    @property
    def nodes(self) -> int:
        """Return the number of nodes, n."""
        return len(self.neighbour)

    @property
    def degree(self) -> int:
        """Return the number of link ports at a node."""
        return int(self.neighbour.shape[1])

    @property
    def local(self) -> int:
        """Return the number of the terminal port."""
        return self.degree

    def port_name(self, port: int) -> str:
        """Return what the paper calls `port`, or ``LOCAL``."""
        return "LOCAL" if port == self.local else self.port_names[port]

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
        node = int(name) if name.strip().isdecimal() else self.parse(name)
        if not 0 <= node < self.nodes:
            raise ValueError(f"Node needs a number in 0..{self.nodes - 1}, not {name}")
        return node

    def parse(self, name: str) -> int:
        """Return the node with the family label `name`; families with labels override it."""
        raise ValueError(f"Node needs a number in 0..{self.nodes - 1}, not {name!r}")

    def constants(self) -> dict[str, object]:
        """Return the numbers that characterise this network within its family, for `info`."""
        return {}

"""Rotator graphs, and super rotator graphs, which have any number of nodes.

(super-rotator-1996, Sections 2 and 3; Corbett 1992.)
"""

from math import factorial
from typing import Annotated

import numpy as np

from fingerpost.golden.algebra.group import number, permutations
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.parameters import Parameter, check_limits
from fingerpost.golden.topology.base import Topology
from fingerpost.golden.topology.star import Permutations

MOST_LETTERS = 9
"""More letters are refused: R_10 has 33 million ports, and its letters are no digits."""


def rotated(labels: IntArray, letters: int) -> IntArray:
    """Return the labels with their first `letters` letters rotated one place left."""
    parts = (labels[..., 1:letters], labels[..., :1], labels[..., letters:])
    return np.concatenate(parts, axis=-1)


class Rotator(Permutations):
    """The rotator graph R_n on the permutations of 1..n; its links have one direction.

    Port l - 2 is the generator g_l, which rotates the first l letters one place left; the link
    arrives at the in-port of the same number. The number of a node is that of its permutation,
    as `fingerpost.golden.algebra.group` counts.

    Parameters
    ----------
    n : int
        The number of letters, in 2..9.

    Attributes
    ----------
    labels : (n!, n)
        The permutation of every node, as letters 1..n.

    Raises
    ------
    ValueError
        If n is out of range.
    """

    family = "rotator"
    vertex_transitive = True

    def __init__(
        self,
        *,
        n: Annotated[int, Parameter("Letters.", minimum=2, maximum=MOST_LETTERS, example=4)],
    ) -> None:
        check_limits(Rotator, "Rotator", n=n)
        self.n = n
        self.labels = permutations(np.arange(factorial(n)), n)
        self.labels.setflags(write=False)
        ends = [number(rotated(self.labels, letters)) for letters in range(2, n + 1)]
        neighbour = np.stack(ends, axis=1)
        arrival_port = np.broadcast_to(np.arange(n - 1), neighbour.shape).copy()
        super().__init__(neighbour, arrival_port, tuple(f"g{i}" for i in range(2, n + 1)))


MOST_NODES = 1_000_000
"""More nodes than this are refused: their labels and ports would fill a workstation."""


class SuperRotator(Topology):
    """The super rotator graph SR_n(N) with N = <c_n, ..., c_1>; its links have one direction.

    Class i has c_i components, each a rotator graph R_i; its first component is the leader.
    Classes of more letters have the smaller vertex numbers. With x the label of a node of class
    i, as a permutation of n + 1 letters, the links are

    - R: g_l for 2 <= l <= i, to the rotation of the first l letters, at port l - 2;
    - A: g_(i+1) where it stays in the class, at port `a_port`;
    - B, upward: for every higher class k, with j the next class below k, k - j links to the
      leader of k, at the ports j - 1..k - 2: those of the g_l that a node of class k has more;
    - B, downward: one from some nodes of a leader, at port `b_port`.

    A link of kind R or A arrives at the in-port of its own number. An upward link arrives at
    `b_port`, a downward one at the in-port of the opposite upward link. If no node has links of
    both kinds A and B downward, one port serves both.

    Parameters
    ----------
    nodes : int
        N, at least 2.

    Attributes
    ----------
    n : int
        The highest class: n! <= N < (n+1)!.
    counts : (n+1,)
        c_i, the components of class i; c_0 = 0.
    base, end : (n+1,)
        Class i holds the vertices base_i..end_i - 1.
    lower : (n+1,)
        The next class below class i that is not null; i itself if there is none.
    b_links : (n+1,)
        i - lower_i: the links to the leader of class i from every node of every lower class, and
        back.
    node_class : (N,)
        The class of every node.
    a_port, b_port : int
        The ports of type A links and of downward type B links.

    Raises
    ------
    ValueError
        If N is out of range.
    """

    family = "super-rotator"

    def __init__(
        self,
        *,
        nodes: Annotated[int, Parameter("Nodes, N.", minimum=2, maximum=MOST_NODES, example=13)],
    ) -> None:
        check_limits(SuperRotator, "Super-rotator", nodes=nodes)
        self.n = n = next(i for i in range(1, nodes + 1) if nodes < factorial(i + 1))
        radix = np.array([factorial(i) for i in range(n + 2)])
        index = np.arange(n + 1)
        self.counts = nodes // radix[:-1] % (index + 1)  # Step 1
        self.base = nodes // radix[1:] * radix[1:]
        self.end = nodes // radix[:-1] * radix[:-1]
        present = np.flatnonzero(self.counts)
        self.lower = index.copy()
        self.lower[present[1:]] = present[:-1]
        self.b_links = index - self.lower
        self.node_class = np.repeat(present[::-1], (self.end - self.base)[present[::-1]])

        neighbour = np.full((nodes, n + 1), -1)
        arrival_port = neighbour.copy()
        self.a_port, self.b_port = n - 1, n
        self._rotations(neighbour, arrival_port)  # Step 3
        for i in present[1:].tolist():
            self._type_b(i, neighbour, arrival_port)  # Step 4
        extra = self._fold(neighbour, arrival_port)
        names = [f"g{i}" if i <= present[0] else f"g{i}/B" for i in range(2, n + 1)]
        kinds = ["A"] * bool(self.counts.max() > 1) + ["B"] * (len(present) > 1)
        names += kinds if len(kinds) == extra else ["/".join(kinds)]
        ports = n - 1 + extra
        super().__init__(neighbour[:, :ports].copy(), arrival_port[:, :ports].copy(), tuple(names))

    def _rotations(self, neighbour: IntArray, arrival_port: IntArray) -> None:
        """Enter the links of the components, and those of type A between them."""
        labels = permutations(np.arange(len(neighbour)), self.n + 1)
        for letters in range(2, self.n + 2):
            x = np.flatnonzero(self.node_class >= letters - 1)
            turned = number(rotated(labels[x], letters))
            inside = self.node_class[x] >= letters
            neighbour[x[inside], letters - 2] = turned[inside]
            arrival_port[x[inside], letters - 2] = letters - 2
            across = ~inside & (turned < self.end[letters - 1])
            neighbour[x[across], self.a_port] = turned[across]
            arrival_port[x[across], self.a_port] = self.a_port

    def _type_b(self, i: int, neighbour: IntArray, arrival_port: IntArray) -> None:
        """Enter the type B links between the leader of class i and all lower classes."""
        x = np.arange(self.end[i], len(neighbour))
        for s in range(self.b_links[i]):
            port = self.lower[i] - 1 + s
            place = (x - self.end[i]) * self.b_links[i] + s
            successor, predecessor = self.base[i] + place, self.base[i] + factorial(i) - 1 - place
            neighbour[x, port] = successor
            arrival_port[x, port] = self.b_port
            neighbour[predecessor, self.b_port] = x
            arrival_port[predecessor, self.b_port] = port

    def _fold(self, neighbour: IntArray, arrival_port: IntArray) -> int:
        """Move B to the port of A if no node needs both; return how many ports the two need."""
        arrivals = np.zeros(neighbour.shape, np.int64)
        linked = neighbour >= 0
        arrivals[neighbour[linked], arrival_port[linked]] = 1
        used = [kind[:, self.a_port :].sum(axis=1).max() for kind in (linked, arrivals)]
        extra = int(max(used))
        if extra < 2:
            for array in (neighbour, arrival_port):
                array[:, self.a_port] = array[:, self.a_port :].max(axis=1)
            arrival_port[arrival_port == self.b_port] = self.a_port
            self.b_port = self.a_port
        return extra

    def constants(self) -> dict[str, object]:
        """Return n, and of every class the number of its components and its first node."""
        present = [i for i in range(self.n, 0, -1) if self.counts[i]]
        return {
            "n": self.n,
            "components": {f"C_{i}": int(self.counts[i]) for i in present},
            "first_node": {f"C_{i}": int(self.base[i]) for i in present},
        }

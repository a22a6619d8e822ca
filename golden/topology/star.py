"""Star graphs and star-connected cycles (star-connected-cycles-1995, Sections 2.1 and 2.2)."""

from math import factorial
from typing import Annotated

import numpy as np

from fingerpost.golden.algebra.group import number, permutations
from fingerpost.golden.algebra.star_cycles import ring_distance
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.parameters import Parameter, check_limits
from fingerpost.golden.topology.base import Topology


def parse_permutation(text: str, n: int) -> int | None:
    """Return the number of a permutation of 1..n such as ``34125``, None for other texts."""
    if sorted(text) != [str(symbol) for symbol in range(1, n + 1)]:
        return None
    return int(number(np.array([int(symbol) for symbol in text])))


class Permutations(Topology):
    """Nodes with the numbers and the names of permutations; n is at most 9, a digit.

    Attributes
    ----------
    n : int
    labels : (n!, n)
        The permutation of every node, as symbols 1..n.
    """

    n: int
    labels: IntArray

    def name(self, node: int) -> str:
        """Return the permutation, such as ``34125``."""
        return "".join(map(str, self.labels[node].tolist()))

    def is_number(self, text: str) -> bool:
        """Return whether a name is a number; n digits are too many for one."""
        return len(text) != self.n and super().is_number(text)

    @property
    def label_form(self) -> str:
        """Return that labels are permutations."""
        return f"a permutation of 1..{self.n}"

    def parse(self, label: str) -> int | None:
        return parse_permutation(label, self.n)

    def constants(self) -> dict[str, object]:
        return {"n": self.n}


LARGEST = 9
"""More symbols are refused: S_10 has 33 million ports, and its symbols are no digits."""

Symbols = Annotated[int, Parameter("Symbols.", minimum=3, maximum=LARGEST, example=4)]


class Star(Permutations):
    """The star graph S_n on the permutations of 1..n.

    The ports are the lateral links 2..n: link i exchanges the symbols at positions 1 and i. The
    number of a node is that of its permutation, as `fingerpost.golden.algebra.group` counts.

    Parameters
    ----------
    n : int
        The number of symbols, in 3..9.

    Attributes
    ----------
    labels : (n!, n)
        The permutation of every node, as symbols 1..n.
    distance : (n, n)
        Zeros: a star graph has no ring (compare `Scc.distance`).

    Raises
    ------
    ValueError
        If n is out of range.
    """

    family = "star"
    vertex_transitive = True

    def __init__(self, *, n: Symbols) -> None:
        check_limits(Star, "Star", n=n)
        self.n = n
        self.labels = permutations(np.arange(factorial(n)), n)
        self.distance = np.zeros((n, n), np.int64)
        neighbour = np.empty((len(self.labels), n - 1), np.int64)
        for i in range(1, n):
            swapped = self.labels.copy()
            swapped[:, [0, i]] = self.labels[:, [i, 0]]
            neighbour[:, i - 1] = number(swapped)
        arrival_port = np.broadcast_to(np.arange(n - 1), neighbour.shape).copy()
        super().__init__(neighbour, arrival_port, tuple(map(str, range(2, n + 1))))
        self.orbit = self.parity  # renaming the symbols keeps the ports; every link leaves a parity

    @property
    def parity(self) -> IntArray:
        """Return 0 for the even permutations, 1 for the odd ones."""
        inversions = [self.labels[:, :j] > self.labels[:, j : j + 1] for j in range(1, self.n)]
        parity: IntArray = np.concatenate(inversions, axis=1).sum(axis=1) % 2
        return parity


class Scc(Topology):
    """SCC_n: the star graph S_n with a ring of n-1 nodes, a supernode, in place of each node.

    Node <i, pi>, 2 <= i <= n, has the number (number of pi)*(n-1) + i-2. The ports are the local
    links + (to i+1) and - (to i-1), around the ring, and the lateral link i of the star graph.
    The ring of SCC_3 has two nodes and one link, +.

    Parameters
    ----------
    n : int
        The number of symbols, in 3..9.

    Attributes
    ----------
    labels : (n!, n)
        The permutation of every supernode, as symbols 1..n.
    distance : (n, n)
        Eq. (7): local links from position i to j, at [i-1, j-1].

    Raises
    ------
    ValueError
        If n is out of range.
    """

    family = "scc"
    vertex_transitive = True

    def __init__(self, *, n: Symbols) -> None:
        check_limits(Scc, "Scc", n=n)
        star = Star(n=n)
        self.n, self.labels, self.distance = n, star.labels, ring_distance(n)
        supernode, i = np.divmod(np.arange(star.nodes * (n - 1)), n - 1)  # i: from 0
        first = supernode * (n - 1)
        plus = first + (i + 1) % (n - 1)
        minus = first + (i - 1) % (n - 1)
        lateral = star.neighbour[supernode, i] * (n - 1) + i
        neighbour, back = np.stack([plus, minus, lateral], axis=1), np.array([1, 0, 2])
        names: tuple[str, ...] = ("+", "-", "lateral")
        if n == 3:  # + and - are one link
            neighbour, back, names = neighbour[:, [0, 2]], np.array([0, 1]), ("+", "lateral")
        super().__init__(neighbour, np.broadcast_to(back, neighbour.shape).copy(), names)
        self.orbit = i * 2 + star.parity[supernode]  # no link stays within an orbit

    @property
    def minus(self) -> int:
        """Return the port that leads back round the ring; the only local one where n = 3."""
        return 0 if self.n == 3 else 1

    @property
    def lateral(self) -> int:
        """Return the port of the lateral link."""
        return self.degree - 1

    def position(self, node: IntArray) -> IntArray:
        """Return the position i on the ring, 2..n."""
        return node % (self.n - 1) + 2

    def towards(self, i: IntArray, t: IntArray) -> IntArray:
        """Return the local port from position `i` to `t` != i: the shorter way round.

        Halfway round, + leads to the larger position and - to the smaller: such moves never go
        from n to 2, so they do not close the ring.
        """
        ring = self.n - 1
        steps = (t - i) % ring
        forward = (2 * steps < ring) | ((2 * steps == ring) & (t > i))
        return np.where(forward, 0, self.minus)

    def name(self, node: int) -> str:
        """Return position and permutation, such as ``3:34125``."""
        supernode, i = divmod(node, self.n - 1)
        return f"{i + 2}:" + "".join(map(str, self.labels[supernode].tolist()))

    @property
    def label_form(self) -> str:
        """Return that labels have a position and a permutation."""
        return f"a label i:p with i in 2..{self.n} and p a permutation of 1..{self.n}"

    def parse(self, label: str) -> int | None:
        position, _, text = label.partition(":")
        supernode = parse_permutation(text.strip(), self.n)
        if supernode is None or position.strip() not in map(str, range(2, self.n + 1)):
            return None
        return supernode * (self.n - 1) + int(position) - 2

    def constants(self) -> dict[str, object]:
        """Return n, the number of supernodes and the length of their rings."""
        return {"n": self.n, "supernodes": len(self.labels), "ring": self.n - 1}

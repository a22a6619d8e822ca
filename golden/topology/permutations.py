"""Topologies whose nodes are all permutations of 1..n."""

import numpy as np

from fingerpost.golden.algebra.permutation import number
from fingerpost.golden.arrays import IntArray
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

    def node(self, name: str) -> int:
        """Return the node with this number or permutation; n digits are too many for a number."""
        return self.parse(name) if len(name.strip()) == self.n else super().node(name)

    def parse(self, name: str) -> int:
        """Return the node ``34125``.

        Raises
        ------
        ValueError
            If `name` names no node of this network.
        """
        node = parse_permutation(name.strip(), self.n)
        if node is None:
            raise ValueError(
                f"Node needs a number in 0..{self.nodes - 1} or a permutation of 1..{self.n}, "
                f"not {name!r}"
            )
        return node

    def constants(self) -> dict[str, object]:
        return {"n": self.n}

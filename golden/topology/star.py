"""Star graphs (star-connected-cycles-1995, Section 2.1)."""

from math import factorial
from typing import Annotated

import numpy as np

from fingerpost.golden.algebra.permutation import number, permutations
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.parameters import Parameter, ParameterError
from fingerpost.golden.topology.permutations import Permutations

LARGEST = 9
"""More symbols are refused: S_10 has 33 million ports, and its symbols are no digits."""


class Star(Permutations):
    """The star graph S_n on the permutations of 1..n.

    The ports are the lateral links 2..n: link i exchanges the symbols at positions 1 and i. The
    number of a node is that of its permutation, as `fingerpost.golden.algebra.permutation` counts.

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

    def __init__(
        self, *, n: Annotated[int, Parameter("Symbols.", minimum=3, maximum=LARGEST, example=4)]
    ) -> None:
        if not 3 <= n <= LARGEST:
            raise ParameterError("n", f"Star needs an n in 3..{LARGEST}, not {n}")
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

"""Rotator graphs (super-rotator-1996, Section 2; Corbett 1992)."""

from math import factorial
from typing import Annotated

import numpy as np

from fingerpost.golden.algebra.permutation import number, permutations
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.parameters import Parameter, ParameterError
from fingerpost.golden.topology.permutations import Permutations

LARGEST = 9
"""More letters are refused: R_10 has 33 million ports, and its letters are no digits."""


def rotated(labels: IntArray, letters: int) -> IntArray:
    """Return the labels with their first `letters` letters rotated one place left."""
    parts = (labels[..., 1:letters], labels[..., :1], labels[..., letters:])
    return np.concatenate(parts, axis=-1)


class Rotator(Permutations):
    """The rotator graph R_n on the permutations of 1..n; its links have one direction.

    Port l - 2 is the generator g_l, which rotates the first l letters one place left; the link
    arrives at the in-port of the same number. The number of a node is that of its permutation,
    as `fingerpost.golden.algebra.permutation` counts.

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
        self, *, n: Annotated[int, Parameter("Letters.", minimum=2, maximum=LARGEST, example=4)]
    ) -> None:
        if not 2 <= n <= LARGEST:
            raise ParameterError("n", f"Rotator needs an n in 2..{LARGEST}, not {n}")
        self.n = n
        self.labels = permutations(np.arange(factorial(n)), n)
        self.labels.setflags(write=False)
        ends = [number(rotated(self.labels, letters)) for letters in range(2, n + 1)]
        neighbour = np.stack(ends, axis=1)
        arrival_port = np.broadcast_to(np.arange(n - 1), neighbour.shape).copy()
        super().__init__(neighbour, arrival_port, tuple(f"g{i}" for i in range(2, n + 1)))

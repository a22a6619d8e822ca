"""Kautz graphs (W. H. Kautz 1968; J.-C. Bermond and C. Peyrat 1989)."""

from typing import Annotated

import numpy as np

from fingerpost.golden.parameters import Parameter, ParameterError, check_limits
from fingerpost.golden.topology.base import MAX_NODES, Topology


class Kautz(Topology):
    """The Kautz graph K(d, D) of (d+1) d^(D-1) nodes; its links have one direction.

    A node is a word of D letters 0..d without equal neighbours; a link drops the first letter and
    appends another. The step from one letter to the next is their difference modulo d+1, less 1, a
    number in 0..d-1. Out-port p appends the letter at step p; the link arrives at the in-port with
    the number of the step that it drops. The number of a node is the first letter and the D-1
    steps, read as digits of base d. Adding a number to all letters modulo d+1 keeps all ports.

    Parameters
    ----------
    degree : int
        d, the links out of and into a node.
    diameter : int
        D, the letters of a word.

    Attributes
    ----------
    diameter : int
    labels : (nodes, D)
        The word of every node, as letters 0..d.

    Raises
    ------
    ValueError
        If a parameter is out of range, or the graph has too many nodes.
    """

    family = "kautz"

    def __init__(
        self,
        *,
        degree: Annotated[
            int, Parameter("Links out of and into a node, d.", minimum=2, maximum=25, example=2)
        ],
        diameter: Annotated[
            int, Parameter("Letters of a word, D.", minimum=1, maximum=21, example=3)
        ],
    ) -> None:
        check_limits(Kautz, "Kautz", degree=degree, diameter=diameter)
        words = degree ** (diameter - 1)
        nodes = (degree + 1) * words
        if nodes > MAX_NODES:
            raise ParameterError(
                "diameter", f"Kautz needs a network of at most {MAX_NODES} nodes, not {nodes}"
            )
        self.diameter = diameter
        first, steps = np.divmod(np.arange(nodes), words)
        step = steps[:, None] // degree ** np.arange(diameter - 2, -1, -1) % degree
        letters = np.concatenate([first[:, None], step + 1], axis=1)
        self.labels = letters.cumsum(axis=1) % (degree + 1)
        self.labels.setflags(write=False)
        dropped, kept = np.divmod(steps[:, None] * degree + np.arange(degree), words)
        neighbour = (first[:, None] + 1 + dropped) % (degree + 1) * words + kept
        super().__init__(neighbour, dropped, tuple(f"s{p}" for p in range(degree)))
        self.orbit = steps

    def name(self, node: int) -> str:
        """Return the word, such as ``abac``."""
        return "".join(chr(ord("a") + letter) for letter in self.labels[node].tolist())

    def parse(self, name: str) -> int:
        """Return the node ``abac``.

        Raises
        ------
        ValueError
            If `name` names no node of this network.
        """
        word = [ord(letter) - ord("a") for letter in name.strip()]
        found = []
        if len(word) == self.diameter:
            found = np.flatnonzero((self.labels == word).all(axis=1)).tolist()
        if not found:
            last = chr(ord("a") + self.degree)
            raise ValueError(
                f"Node needs a number in 0..{self.nodes - 1} or a word of {self.diameter} letters "
                f"a..{last} without equal neighbours, not {name!r}"
            )
        return int(found[0])

    def constants(self) -> dict[str, object]:
        return {"d": self.degree, "D": self.diameter}

"""Kautz and de Bruijn graphs, and rings with chords whose links have one direction.

Kautz graphs: W. H. Kautz 1968; J.-C. Bermond and C. Peyrat 1989. Double loops: Section II of
Hwang & Wright; the last page of two-phase-1995. The definition of directed chordal rings is on a
page that is lost; see `DirectedChordalRing`. De Bruijn and Kautz graphs of any number of nodes have
links both ways: S. M. Reddy, D. K. Pradhan and J. G. Kuhl 1980; M. Imase and M. Itoh 1981, 1983.
"""

from math import gcd
from typing import Annotated, ClassVar

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.parameters import Parameter, ParameterError, check_limits
from fingerpost.golden.topology.base import MAX_DEGREE, MAX_NODES, Topology
from fingerpost.golden.topology.edge_list import LARGEST, EdgeList


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

    @property
    def label_form(self) -> str:
        """Return that labels are words."""
        last = chr(ord("a") + self.degree)
        return f"a word of {self.diameter} letters a..{last} without equal neighbours"

    def parse(self, label: str) -> int | None:
        if len(label) != self.diameter:
            return None
        word = [ord(letter) - ord("a") for letter in label]
        return next(iter(np.flatnonzero((self.labels == word).all(axis=1)).tolist()), None)

    def constants(self) -> dict[str, object]:
        return {"d": self.degree, "D": self.diameter}


NAMED = {"DDLCN": (1, -1), "daisy chain": (1, -2), "braided ring": (1, 2)}
"""The steps (a, b), modulo n, of the well-known double loops."""


class DoubleLoop(Topology):
    """The digraph DL(n; a, b): from every node i a link to i+a and a link to i+b, modulo n.

    Out-port 0 is the a-link and out-port 1 the b-link; each arrives at the in-port of its own
    number. DL(n; 1, n-1) is the distributed double-loop computer network (DDLCN), DL(n; 1, n-2)
    the daisy chain, DL(n; 1, 2) the braided ring.

    Parameters
    ----------
    nodes : int
        The n of the paper.
    a, b : int
        The steps, in 1..n-1 and different.

    Raises
    ------
    ValueError
        If a link would lead back to its node or run beside another, or not all nodes are reached.
    """

    family = "double-loop"
    vertex_transitive = True

    def __init__(
        self,
        *,
        nodes: Annotated[int, Parameter("Nodes, n.", minimum=3, maximum=MAX_NODES, example=9)],
        a: Annotated[int, Parameter("The step of the first loop.", minimum=1, example=1)],
        b: Annotated[int, Parameter("The step of the second loop.", minimum=1, example=2)],
    ) -> None:
        check_limits(DoubleLoop, "Double-loop", nodes=nodes)
        for name, step in (("a", a), ("b", b)):
            if not 1 <= step < nodes:
                raise ParameterError(
                    name,
                    f"Double-loop needs a step {name} in 1..nodes-1 = 1..{nodes - 1}, not {step}",
                )
        if a == b:
            raise ParameterError(
                "b", f"Double-loop needs two different steps a and b, not {a} and {b}"
            )
        if gcd(nodes, a, b) != 1:
            raise ParameterError(
                "",
                f"Double-loop needs gcd(nodes, a, b) = 1 to be connected, "
                f"not gcd({nodes}, {a}, {b}) = {gcd(nodes, a, b)}",
            )
        self.a, self.b = a, b
        neighbour = (np.arange(nodes)[:, None] + np.array([a, b])) % nodes
        arrival_port = np.broadcast_to(np.arange(2), (nodes, 2)).copy()
        super().__init__(neighbour, arrival_port, ("a", "b"))

    @property
    def rings(self) -> IntArray:
        """Return the number of each port: both steps lead round."""
        return np.arange(2)

    def constants(self) -> dict[str, object]:
        """Return the steps, and the names under which this network is known, if any."""
        steps = {"a": self.a, "b": self.b}
        known = [
            name
            for name, (a, b) in NAMED.items()
            if {self.a, self.b} == {a % self.nodes, b % self.nodes}
        ]
        return steps | ({"known_as": ", ".join(known)} if known else {})


class DirectedChordalRing(Topology):
    """A ring of links i -> i+1 with a chord i -> i+w from every odd node, modulo n.

    Out-port 0 is the link of the ring, out-port 1 the chord, which even nodes do not have. Each
    arrives at the in-port of its own number; chords arrive at even nodes.

    Parameters
    ----------
    nodes : int
        The n of the paper, even.
    w : int
        The length of a chord, odd, in 3..n-1.

    Raises
    ------
    ValueError
        If n is odd, or a chord would join two nodes of one parity or run beside the ring.
    """

    family = "directed-chordal-ring"

    def __init__(
        self,
        *,
        nodes: Annotated[
            int,
            Parameter(
                "Nodes, n.",
                "an even number of at least 4",
                minimum=4,
                maximum=MAX_NODES,
                example=10,
            ),
        ],
        w: Annotated[
            int, Parameter("The length of a chord.", "an odd number", minimum=3, example=3)
        ],
    ) -> None:
        if not 4 <= nodes <= MAX_NODES or nodes % 2:
            raise ParameterError(
                "nodes",
                f"Directed-chordal-ring needs an even number of nodes in 4..{MAX_NODES}, "
                f"not {nodes}",
            )
        if not 3 <= w < nodes or w % 2 == 0:
            raise ParameterError(
                "w",
                f"Directed-chordal-ring needs an odd chord w in 3..nodes-1 = 3..{nodes - 1}, "
                f"not {w}",
            )
        self.w = w
        node = np.arange(nodes)
        chord = np.where(node % 2 == 1, (node + w) % nodes, -1)
        neighbour = np.stack([(node + 1) % nodes, chord], axis=1)
        arrival_port = np.where(neighbour >= 0, np.arange(2), -1)
        super().__init__(neighbour, arrival_port, ("ring", "chord"))

    def constants(self) -> dict[str, object]:
        return {"w": self.w}


class GeneralizedDeBruijn(EdgeList):
    """Links i - d i + a modulo n, for a = 0..d-1, each once, and none from a node to itself.

    With n = d^D it is the de Bruijn graph of words of D letters. Nodes have at most 2 d links.

    Parameters
    ----------
    nodes : int
        n, more than d.
    d : int

    Raises
    ------
    ParameterError
        If a parameter is out of range.
    """

    family = "generalized-de-bruijn"
    factor: ClassVar[int] = 1
    first: ClassVar[int] = 0

    def __init__(
        self,
        *,
        nodes: Annotated[
            int,
            Parameter("Nodes, n.", minimum=3, maximum=LARGEST // MAX_DEGREE, example=10),
        ],
        d: Annotated[
            int,
            Parameter(
                "Half the links at a node, at most.", minimum=2, maximum=MAX_DEGREE // 2, example=2
            ),
        ],
    ) -> None:
        check_limits(type(self), self.family.capitalize(), nodes=nodes, d=d)
        self.d = d
        links = {
            (min(i, j), max(i, j))
            for i in range(nodes)
            for a in range(self.first, self.first + d)
            if i != (j := self.factor * (d * i + a) % nodes)
        }
        super().__init__(links=sorted(links), nodes=nodes)

    def constants(self) -> dict[str, object]:
        return {"d": self.d, **super().constants()}


class GeneralizedKautz(GeneralizedDeBruijn):
    """Links i - -d i - a modulo n, for a = 1..d, each once, and none from a node to itself.

    With n = (d + 1) d^(D-1) it is the Kautz graph K(d, D), without directions. Nodes have at most
    2 d links.
    """

    family = "generalized-kautz"
    factor = -1
    first = 1

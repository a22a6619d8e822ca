"""Borel Cayley graphs in their GCR representation (two-phase-1995, Definition 3, Prop. 3)."""

from math import gcd, isqrt
from typing import Annotated

import numpy as np

from golden.arrays import IntArray
from golden.parameters import Parameter, ParameterError
from golden.topology.base import Topology

__all__ = ["Borel", "Element"]

Element = tuple[int, int]
"""The matrix (a^t, y; 0, 1), as (t, y)."""

LARGEST = 4_000_000
"""More nodes than this are refused: the arrays of one network would fill a workstation."""


def _order(a: int, p: int) -> int:
    """Return the least k >= 1 with a^k = 1 mod p."""
    k, power = 1, a
    while power != 1:
        k, power = k + 1, power * a % p
    return k


class Borel(Topology):
    """The Cayley graph of the Borel group V(p, a) with generators A, B and their inverses.

    Node (t, y) has the label y*k + t and lies in class t, where k is the order of a. The ports
    are the links A, B, A^-1, B^-1, in this order; a link g leads from v to v*g.

    Parameters
    ----------
    p, a : int
        A prime, and an element of order k >= 2 modulo p.
    A, B : (t, y)
        The generators.

    Attributes
    ----------
    k : int
        The order of a; the number q of classes.
    generators : tuple of 4 elements
        A, B, A^-1, B^-1.
    power : (k,)
        a^i mod p.
    gcr : (k, 4)
        The GCR constants alpha_i, beta_i and their inverses, in port order, in 0..n-1: node j
        of class i is joined to j + gcr[i, port] mod n. (Eq. (1), corrected as in its proof.)

    Raises
    ------
    ValueError
        If p is not prime, a has no order >= 2, the links are not four, or the graph is not
        connected.
    """

    family = "borel"
    vertex_transitive = True

    def __init__(  # by the paper's names
        self,
        *,
        p: Annotated[int, Parameter("A prime.", f"a prime, at most {LARGEST // 2}", example=7)],
        a: Annotated[
            int,
            Parameter(
                "A number in 2..p-1; its order k modulo p is the number of classes.",
                "a whole number in 2..p-1",
                example=2,
            ),
        ],
        A: Annotated[
            Element,
            Parameter(
                "Generator A as [t, y]: the matrix (a^t, y; 0, 1).",
                "two whole numbers, [t, y]",
                example=[1, 1],
            ),
        ],
        B: Annotated[
            Element,
            Parameter("Generator B as [t, y].", "two whole numbers, [t, y]", example=[2, 4]),
        ],
    ) -> None:
        if p > LARGEST // 2:  # all its graphs are too large; and it would take minutes to tell
            raise ParameterError("p", f"Borel needs a prime p, at most {LARGEST // 2}, not {p}")
        if p < 2 or any(p % d == 0 for d in range(2, isqrt(p) + 1)):
            raise ParameterError("p", f"Borel needs a prime p, not {p}")
        if not 2 <= a < p:
            raise ParameterError("a", f"Borel needs an a in 2..p-1 = 2..{p - 1}, not {a}")
        self.p, self.a, self.k = p, a, _order(a, p)
        n = p * self.k
        if n > LARGEST:
            raise ParameterError(
                "p", f"Borel needs at most {LARGEST} nodes, not p*k = {p}*{self.k} = {n}"
            )
        self.power = np.array([pow(a, i, p) for i in range(self.k)])
        A, B = (A[0], A[1]), (B[0], B[1])  # lists, when they come from a file
        for name, (t, y) in (("A", A), ("B", B)):
            if not (0 <= t < self.k and 0 <= y < p):
                raise ParameterError(
                    name,
                    f"Borel needs {name} = (t, y) with t in 0..{self.k - 1} (a = {a} has order "
                    f"{self.k} modulo {p}) and y in 0..{p - 1}, not ({t}, {y})",
                )
        self.generators = (A, B, self.inverse(A), self.inverse(B))
        if (0, 0) in self.generators or len(set(self.generators)) != 4:
            raise ParameterError(
                "",
                f"Borel needs four different links A, B, A^-1, B^-1, none the identity, "
                f"not {self.generators}",
            )
        (t1, y1), (t2, y2) = A, B
        if gcd(t1, t2, self.k) != 1:
            raise ParameterError(
                "",
                f"Borel needs gcd(t1, t2, k) = 1 to be connected, not gcd({t1}, {t2}, {self.k}) "
                f"= {gcd(t1, t2, self.k)}",
            )
        if (y1 * (1 - self.power[t2]) - y2 * (1 - self.power[t1])) % p == 0:
            raise ParameterError(
                "",
                f"Borel needs y1 (1 - a^t2) != y2 (1 - a^t1) mod p to be connected, "
                f"not equality, as for A = {A}, B = {B}",
            )
        self.shift = np.array([t for t, _ in self.generators])  # c1..c4 of Eq. (2)
        i = np.arange(self.k)
        self.gcr: IntArray = np.stack(
            [
                ((i + t) % self.k + self.power[i] * y % p * self.k - i) % n
                for t, y in self.generators
            ],
            axis=1,
        )
        label = np.arange(n)
        neighbour = (label[:, None] + self.gcr[label % self.k]) % n
        arrival_port = np.broadcast_to((np.arange(4) + 2) % 4, (n, 4)).copy()
        super().__init__(neighbour, arrival_port, ("A", "B", "A^-1", "B^-1"))
        self.orbit = label % self.k  # left multiplication by (0, 1) adds k to every label

    def multiply(self, g: Element, h: Element) -> Element:
        """Return the product g*h in the Borel group."""
        return (g[0] + h[0]) % self.k, int(g[1] + self.power[g[0]] * h[1]) % self.p

    def inverse(self, g: Element) -> Element:
        """Return g^-1 = (-t, -a^-t y)."""
        t = -g[0] % self.k
        return t, int(-self.power[t] * g[1]) % self.p

    def name(self, node: int) -> str:
        """Return ``t,y``."""
        return f"{node % self.k},{node // self.k}"

    def parse(self, name: str) -> int:
        """Return the node ``t,y``.

        Raises
        ------
        ValueError
            If `name` names no node of this network.
        """
        try:
            t, y = (int(part) for part in name.split(","))
        except ValueError:
            raise ValueError(
                f"Node needs a number in 0..{self.nodes - 1} or a label t,y, not {name!r}"
            ) from None
        if not (0 <= t < self.k and 0 <= y < self.p):
            raise ValueError(
                f"Node needs t in 0..{self.k - 1} and y in 0..{self.p - 1}, not {name!r}"
            )
        return y * self.k + t

    def signed_gcr(self) -> IntArray:
        """Return the GCR constants as Table I prints them, in -n/2..n/2; shape (k, 4)."""
        return np.where(self.gcr > self.nodes // 2, self.gcr - self.nodes, self.gcr)

    def constants(self) -> dict[str, object]:
        """Return p, a, k, the generators, and the GCR constants of every class by port."""
        return {
            "p": self.p,
            "a": self.a,
            "k": self.k,
            "generators": dict(zip(self.port_names, self.generators, strict=True)),
            "class_shift": dict(zip(self.port_names, self.shift.tolist(), strict=True)),
            "gcr": dict(zip(self.port_names, self.signed_gcr().T.tolist(), strict=True)),
        }

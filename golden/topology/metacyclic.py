"""Cayley graphs of metacyclic groups in their GCR representation: Borel graphs, and denser ones.

Nothing in Proposition 3, in class congruence or in the routing of two-phase-1995 needs a prime
modulus, or a multiplier whose order is the number of classes.
"""

from math import gcd, isqrt
from typing import Annotated, ClassVar

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.parameters import Parameter, ParameterError
from fingerpost.golden.topology.base import MAX_NODES, Topology, by_coordinates, distances

Element = tuple[int, int]
"""The element (t, y) of Z_m x|_r Z_k."""

GENERATOR = "two whole numbers, [t, y]"


class MetacyclicGraph(Topology):
    """A Cayley graph of Z_m x|_r Z_k.

    The product is (t, y)(s, z) = (t + s mod k, y + r^t z mod m); with r^k = 1 mod m it is a group.
    Node (t, y) has the label y*k + t and lies in class t. A link g leads from v to v*g.

    Parameters
    ----------
    m, k, r : int
        The modulus, the number of classes, and the multiplier.
    A, B : (t, y)
        The generators.

    Attributes
    ----------
    p, a : int
        The modulus m and the multiplier r, by the names that they have in two-phase-1995.
    k : int
        The number q of classes.
    generators : tuple of elements
        In port order.
    power : (k,)
        a^i mod p.
    gcr : (k, degree)
        The GCR constants alpha_i, beta_i, and their inverses, in port order, in 0..n-1: node j
        of class i is joined to j + gcr[i, port] mod n. (Eq. (1), corrected as in its proof.)

    Raises
    ------
    ValueError
        If r^k is not 1 modulo m, links coincide, or the graph is too large or not connected.
    """

    vertex_transitive = True
    two_way: ClassVar[bool]
    """Whether the inverses of A and B are links, too."""

    def __init__(  # by the names of two-phase-1995 where it has them
        self,
        *,
        m: Annotated[
            int, Parameter("The modulus of y.", "a whole number of at least 2", example=9)
        ],
        k: Annotated[
            int,
            Parameter("The modulus of t: classes.", "a whole number of at least 2", example=3),
        ],
        r: Annotated[
            int,
            Parameter("The multiplier: r^k = 1 modulo m.", "a whole number in 1..m-1", example=4),
        ],
        A: Annotated[Element, Parameter("Generator A as [t, y].", GENERATOR, example=[1, 1])],
        B: Annotated[Element, Parameter("Generator B as [t, y].", GENERATOR, example=[2, 1])],
    ) -> None:
        self._prepare(m, r, k, A=A, B=B)

    def _prepare(self, m: int, r: int, k: int, **given: Element | None) -> None:
        """Check the group, lay the links, and see that they reach all nodes."""
        title = type(self).__name__
        for key, value in (("m", m), ("k", k)):
            if not 2 <= value <= MAX_NODES // 2:
                raise ParameterError(
                    key, f"{title} needs {key} in 2..{MAX_NODES // 2}, not {value}"
                )
        if m * k > MAX_NODES:
            raise ParameterError(
                "m", f"{title} needs at most {MAX_NODES} nodes, not m*k = {m}*{k} = {m * k}"
            )
        if not (1 <= r < m and pow(r, k, m) == 1):
            raise ParameterError(
                "r",
                f"{title} needs an r in 1..{m - 1} with r^{k} = 1 modulo {m}, not {r}",
            )
        chosen = self._build(m, r, k, **given)
        reached = int((distances(self.neighbour, 0) >= 0).sum())
        if reached < self.nodes:
            raise ParameterError(
                "",
                f"{title} needs {' and '.join(chosen)} that generate the group, not "
                f"{', '.join(f'{name} = {g}' for name, g in chosen.items())}, "
                f"which generate {reached} of the {self.nodes} elements",
            )

    def _build(self, p: int, a: int, k: int, **given: Element | None) -> dict[str, Element]:
        """Check the generators, lay the links, and return the generators by name."""
        title = type(self).__name__
        self.p, self.a, self.k = p, a, k
        self.power = np.array([pow(a, i, p) for i in range(k)])
        # lists, when they come from a file
        chosen = {name: (g[0], g[1]) for name, g in given.items() if g is not None}
        for name, (t, y) in chosen.items():
            if not (0 <= t < k and 0 <= y < p):
                raise ParameterError(
                    name,
                    f"{title} needs {name} = (t, y) with t in 0..{k - 1}{self._why_k()} "
                    f"and y in 0..{p - 1}, not ({t}, {y})",
                )
        links, arrives = self._links(chosen)
        names = tuple(links)
        self.generators: tuple[Element, ...] = tuple(links.values())
        if (0, 0) in self.generators or len(set(self.generators)) != len(names):
            count = {2: "two", 3: "three", 4: "four"}[len(names)]
            raise ParameterError(
                "",
                f"{title} needs {count} different links {', '.join(names)}, "
                f"none the identity, not {self.generators}",
            )
        n = p * k
        self.shift = np.array([t for t, _ in self.generators])  # c1..c4 of Eq. (2)
        i = np.arange(k)
        self.gcr: IntArray = np.stack(
            [((i + t) % k + self.power[i] * y % p * k - i) % n for t, y in self.generators],
            axis=1,
        )
        label = np.arange(n)
        neighbour = (label[:, None] + self.gcr[label % k]) % n
        super().__init__(neighbour, np.broadcast_to(arrives, neighbour.shape).copy(), names)
        self.orbit = label % k  # left multiplication by (0, 1) adds k to every label
        return chosen

    def _links(self, chosen: dict[str, Element]) -> tuple[dict[str, Element], list[int]]:
        """Return the links by name, in port order, and the in-port at which each arrives."""
        if not self.two_way:
            return chosen, [0, 1]
        back = {f"{name}^-1": self.inverse(g) for name, g in chosen.items()}
        return {**chosen, **back}, [2, 3, 0, 1]

    def _why_k(self) -> str:
        """Say where k comes from, if it is no parameter."""
        return ""

    def multiply(self, g: Element, h: Element) -> Element:
        """Return the product g*h."""
        return (g[0] + h[0]) % self.k, int(g[1] + self.power[g[0]] * h[1]) % self.p

    def inverse(self, g: Element) -> Element:
        """Return g^-1 = (-t, -a^-t y)."""
        t = -g[0] % self.k
        return t, int(-self.power[t] * g[1]) % self.p

    def name(self, node: int) -> str:
        return f"{node % self.k},{node // self.k}"

    @property
    def label_form(self) -> str:
        """Return that labels are elements (t, y)."""
        return f"a label t,y with t in 0..{self.k - 1} and y in 0..{self.p - 1}"

    def parse(self, label: str) -> int | None:
        return by_coordinates(label, (self.k, self.p))

    def signed_gcr(self) -> IntArray:
        """Return the GCR constants as Table I prints them, in -n/2..n/2; shape (k, degree)."""
        return np.where(self.gcr > self.nodes // 2, self.gcr - self.nodes, self.gcr)

    def group_constants(self) -> dict[str, object]:
        """Return the numbers of the group, by the names of the family's keys."""
        return {"m": self.p, "k": self.k, "r": self.a}

    def constants(self) -> dict[str, object]:
        """Return the group, the generators, and the GCR constants of every class by port."""
        return {
            **self.group_constants(),
            "generators": dict(zip(self.port_names, self.generators, strict=True)),
            "class_shift": dict(zip(self.port_names, self.shift.tolist(), strict=True)),
            "gcr": dict(zip(self.port_names, self.signed_gcr().T.tolist(), strict=True)),
        }


class Metacyclic(MetacyclicGraph):
    """The Cayley graph of Z_m x|_r Z_k with the links A, B, A^-1, B^-1, the ports in this order.

    Where m is prime and k the order of r this is a Borel Cayley graph (two-phase-1995,
    Definition 3).
    """

    family = "metacyclic"
    two_way = True


class MetacyclicDigraph(MetacyclicGraph):
    """The Cayley digraph of Z_m x|_r Z_k with the links A and B only, the ports in this order.

    A link g ends at in-port g. Where m is prime and k the order of r this is a Borel digraph.
    """

    family = "metacyclic-digraph"
    two_way = False


def _order(a: int, p: int) -> int:
    """Return the least k >= 1 with a^k = 1 mod p."""
    k, power = 1, a
    while power != 1:
        k, power = k + 1, power * a % p
    return k


class Borel(Metacyclic):
    """The Cayley graph of the Borel group V(p, a) with generators A, B and their inverses.

    The metacyclic graph of a prime p and an a of order k; (t, y) is the matrix (a^t, y; 0, 1).

    Parameters
    ----------
    p, a : int
        A prime, and an element of order k >= 2 modulo p.
    A, B : (t, y)
        The generators.

    Raises
    ------
    ValueError
        If p is not prime, a has no order >= 2, the links are not four, or the graph is not
        connected.
    """

    family = "borel"

    def __init__(  # by the paper's names
        self,
        *,
        p: Annotated[int, Parameter("A prime.", f"a prime, at most {MAX_NODES // 2}", example=7)],
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
                "Generator A as [t, y]: the matrix (a^t, y; 0, 1).", GENERATOR, example=[1, 1]
            ),
        ],
        B: Annotated[Element, Parameter("Generator B as [t, y].", GENERATOR, example=[2, 4])],
    ) -> None:
        if p > MAX_NODES // 2:  # all its graphs are too large; and it would take minutes to tell
            raise ParameterError("p", f"Borel needs a prime p, at most {MAX_NODES // 2}, not {p}")
        if p < 2 or any(p % d == 0 for d in range(2, isqrt(p) + 1)):
            raise ParameterError("p", f"Borel needs a prime p, not {p}")
        if not 2 <= a < p:
            raise ParameterError("a", f"Borel needs an a in 2..p-1 = 2..{p - 1}, not {a}")
        k = _order(a, p)
        if p * k > MAX_NODES:
            raise ParameterError(
                "p", f"Borel needs at most {MAX_NODES} nodes, not p*k = {p}*{k} = {p * k}"
            )
        self._build(p, a, k, A=A, B=B)
        (t1, y1), (t2, y2) = self.generators[:2]
        if gcd(t1, t2, k) != 1:
            raise ParameterError(
                "",
                f"Borel needs gcd(t1, t2, k) = 1 to be connected, not gcd({t1}, {t2}, {k}) "
                f"= {gcd(t1, t2, k)}",
            )
        if (y1 * (1 - self.power[t2]) - y2 * (1 - self.power[t1])) % p == 0:
            raise ParameterError(
                "",
                f"Borel needs y1 (1 - a^t2) != y2 (1 - a^t1) mod p to be connected, "
                f"not equality, as for A = {A}, B = {B}",
            )

    def _why_k(self) -> str:
        return f" (a = {self.a} has order {self.k} modulo {self.p})"

    def group_constants(self) -> dict[str, object]:
        return {"p": self.p, "a": self.a, "k": self.k}


class MetacyclicCubic(MetacyclicGraph):
    """The Cayley graph of Z_m x|_r Z_k with the links A, B, A^-1, where B is its own inverse.

    With C all three are their own inverses, and the links are A, B, C. Such elements are
    (k/2, y) with y (1 + r^(k/2)) = 0 modulo m, and (0, m/2); a group of odd order has none.

    Parameters
    ----------
    m, k, r : int
        The modulus, the number of classes, and the multiplier.
    A, B : (t, y)
        The generators.
    C : (t, y), optional
        The third one.

    Raises
    ------
    ValueError
        If r^k is not 1 modulo m; if B, or with C any of the three, is not its own inverse; if A is
        without C; if links coincide; if the graph is too large or not connected.
    """

    family = "metacyclic-cubic"
    two_way = True

    def __init__(  # the same keys, and one more
        self,
        *,
        m: Annotated[
            int, Parameter("The modulus of y.", "a whole number of at least 2", example=7)
        ],
        k: Annotated[
            int,
            Parameter("The modulus of t: classes.", "a whole number of at least 2", example=6),
        ],
        r: Annotated[
            int,
            Parameter("The multiplier: r^k = 1 modulo m.", "a whole number in 1..m-1", example=3),
        ],
        A: Annotated[Element, Parameter("Generator A as [t, y].", GENERATOR, example=[1, 1])],
        B: Annotated[
            Element,
            Parameter("Generator B as [t, y], its own inverse.", GENERATOR, example=[3, 0]),
        ],
        C: Annotated[
            Element | None,
            Parameter("A third generator; then A is its own inverse, too, as is C.", GENERATOR),
        ] = None,
    ) -> None:
        self._prepare(m, r, k, A=A, B=B, C=C)

    def _links(self, chosen: dict[str, Element]) -> tuple[dict[str, Element], list[int]]:
        """Return A, B and the inverse of A, or A, B and C; each arrives at its inverse."""
        alone = [name for name, g in chosen.items() if self.inverse(g) != g]
        if "C" in chosen:
            if alone:
                raise ParameterError(
                    alone[0],
                    "MetacyclicCubic needs A, B and C that are their own inverses, not "
                    f"{alone[0]} = {chosen[alone[0]]}",
                )
            return chosen, [0, 1, 2]
        if alone != ["A"]:
            self._refuse_pair(alone, chosen)
        return {**chosen, "A^-1": self.inverse(chosen["A"])}, [2, 1, 0]

    def _refuse_pair(self, alone: list[str], chosen: dict[str, Element]) -> None:
        """Say what is wrong with A or B."""
        if "B" not in alone:
            raise ParameterError(
                "A",
                "MetacyclicCubic needs an A that is not its own inverse, or a third generator C, "
                f"not A = {chosen['A']} alone",
            )
        why = " (a group of odd order has none)" if self.p * self.k % 2 else ""
        raise ParameterError(
            "B",
            f"MetacyclicCubic needs a B that is its own inverse{why}, not B = {chosen['B']}",
        )

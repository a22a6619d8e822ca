"""Borel Cayley graphs in their GCR representation (two-phase-1995, Definition 3, Prop. 3)."""

from math import gcd, isqrt
from typing import Annotated

from fingerpost.golden.parameters import Parameter, ParameterError
from fingerpost.golden.topology.base import MAX_NODES
from fingerpost.golden.topology.metacyclic import GENERATOR, Element, Metacyclic


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

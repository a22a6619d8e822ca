"""Theorem 2.1 of Hwang & Wright: the survival reliability of DL(n; 1, n-1), the DDLCN."""

from typing import Any

from fingerpost.golden.reliability.links import Chance


def ddlcn(n: int, node: Chance, a: Chance, b: Chance) -> Any:
    """Return R(n, 1, n-1) by Eq. (2.1).

    Survival means that at least two nodes survive, and the survivors are strongly connected: the
    sum stops at k = n-2, so a single survivor does not count.

    Parameters
    ----------
    n : int
        At least 2.
    node, a, b : (works, fails)
        Probabilities of a node, of an a-link, of a b-link.
    """
    (p, q), (p_a, q_a), (p_b, q_b) = node, a, b
    block = sum(q**k * p ** (n - k) * (p_a * p_b) ** (n - k - 1) for k in range(1, n - 1))
    whole = p_a**n + p_b**n - (p_a * p_b) ** n + n * q_a * q_b * (p_a * p_b) ** (n - 1)
    return n * block + p**n * whole

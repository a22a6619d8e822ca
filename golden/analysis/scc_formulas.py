"""The closed formulas of star-connected-cycles-1995, exactly.

Eqs. (4), (7), (8) and (16) are in `fingerpost.golden.algebra.star_cycles`, Eq. (15) in
`fingerpost.golden.analysis.scc_search`.
"""

from fractions import Fraction
from math import factorial

__all__ = [
    "diameter_bound",
    "harmonic",
    "length_bound",
    "local_step",
    "mean_lateral",
    "mean_move_between",
    "mean_move_in",
    "mean_to_first",
    "random_mean",
]


def _product(n: int) -> int:
    """Return the sum of d(i, 2) over all positions i: floor(n/2) floor((n-1)/2)."""
    return n // 2 * ((n - 1) // 2)


def diameter_bound(n: int) -> int:
    """Return Eq. (1), which is an upper bound: BFS finds 30, not 31, at n = 7, 48, not 50, at 9."""
    if n == 3:
        return 6
    return (n * n + n - 4) // 2 if n % 2 == 0 else (n * n + 3 * n - 8) // 2


def harmonic(n: int) -> Fraction:
    """Return H_n, the sum of 1/k for k = 1..n."""
    return sum((Fraction(1, k) for k in range(1, n + 1)), Fraction(0))


def mean_lateral(n: int) -> Fraction:
    """Return the average number of lateral links, Eq. (6)."""
    return n + harmonic(n) + Fraction(2, n) - 4


def local_step(n: int) -> Fraction:
    """Return d(loc), the average local links between two different lateral links, Eq. (10)."""
    return Fraction(_product(n), n - 2)


def mean_to_first(n: int) -> Fraction:
    """Return d(in) = d(out), the average local links from the source to any lateral link."""
    return Fraction(_product(n), n - 1)


def mean_move_in(n: int) -> Fraction:
    """Return the average number of MI local links, Eq. (9)."""
    return Fraction((n - 1) * _product(n), n)


def mean_move_between(n: int) -> Fraction:
    """Return the average number of MB local links of random routing, Eq. (12)."""
    return _product(n) * (harmonic(n) * (n - 1) - 2) / (n * n - 3 * n + 2)


def length_bound(n: int) -> Fraction:
    """Return the bound on the average distance, Eq. (14)."""
    term = Fraction(n * n + 1, n * n - n) + (harmonic(n) - 2) / (n - 2)
    return n + harmonic(n) + Fraction(2, n) - 4 + _product(n) * term


def random_mean(n: int) -> Fraction:
    """Return the exact average length of random routing.

    Eq. (12) counts the moves between c r-cycles as c - 1, also where c = 0; there, in one
    permutation of n!, the moves in and out are one, from the source to the destination.
    """
    return length_bound(n) + (local_step(n) - mean_to_first(n)) / factorial(n)

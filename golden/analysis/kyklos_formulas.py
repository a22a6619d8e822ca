"""The formulas of kyklos-1988, as they hold: traffic both ways, means over a level."""

from math import sqrt


def h2_level_traffic(m: int, r: int, n: int, v: int) -> float:
    """Return the traffic below level v of one tree under H-r (Section VI, second theorem)."""
    h = n // r
    N: int = m**n
    return 2 * (1 - (1 / m) ** (h - v + 1)) * N**2 if v <= h else 0


def h2_link_traffic(m: int, r: int, n: int, v: int) -> float:
    """Return that of one link: a tree has m^(n-v+1) of them. The printed 1/r is one too many."""
    links: int = m ** (n - v + 1)
    return h2_level_traffic(m, r, n, v) / links


def y2_link_traffic(n: int, v: int) -> float:
    """Return the traffic of a link below level v of <2, 2, n> under Y-2 (Appendix C, doubled).

    An upper bound for v < h-1, which is reached at v = h-2; exact from there on.
    """
    h = n // 2
    both_ways: int = 2 * 2**n * 2**h
    if v > h:
        return both_ways / 8
    if v == h:
        return both_ways * 3 / 16
    return both_ways * (5 / 32 if v == h - 1 else 25 / 256)


def h2_loads(n: int, v: int) -> float:
    """Return the joins of a node at level v of <2, 2, n> under H-2 (Section VII)."""
    N: int = 2**n
    h = n // 2
    if v == 0:
        return 1
    if v == 1:
        return N / 2 + sqrt(N) - 1
    return N / 2 if v <= h else 0


def y2_loads(r: int, n: int, v: int) -> float:
    """Return the joins of a node at level v of <2, r, n> under Y-2: N/r (Section VII)."""
    N: int = 2**n
    return N / r if v else 1


def link_crossings(n: int, v: int, d: int) -> int:
    """Return the crossings of links below level v of a binary tree (Table B-1, footnote 13)."""
    crossings: int = 2**n // 2 ** (v + 1) * (2**d - 1)
    return crossings

"""The formulas of kyklos-1988, as they hold: traffic both ways, means over a level."""

__all__ = ["h2_level_traffic", "link_crossings"]


def h2_level_traffic(m: int, r: int, n: int, v: int) -> float:
    """Return the traffic below level v of one tree under H-r (Section VI, second theorem)."""
    h = n // r
    N: int = m**n
    return 2 * (1 - (1 / m) ** (h - v + 1)) * N**2 if v <= h else 0


def link_crossings(n: int, v: int, d: int) -> int:
    """Return the crossings of links below level v of a binary tree (Table B-1, footnote 13)."""
    crossings: int = 2**n // 2 ** (v + 1) * (2**d - 1)
    return crossings

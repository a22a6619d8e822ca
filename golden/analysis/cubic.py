"""Dense cubic Cayley graphs of metacyclic groups; `golden.analysis.metacyclic` has degree 4.

A node has three links: A, its inverse and an involution B, or three involutions A, B, C. An
involution of Z_m x|_r Z_k is (k/2, y) with y (1 + r^(k/2)) = 0 modulo m, or (0, m/2). A group of
odd order has none, and no cubic graph.

- The steps of A and B generate Z_k: A is any t that does so with k/2, or with 0; -t names A^-1.
- Three involutions have steps 0 and k/2, so k is 2. As the products of two of them commute, no
  more than 1 + 3 D (D + 1)/2 nodes are within D hops.
- The automorphisms are those of `golden.analysis.metacyclic`.
"""

from itertools import combinations
from math import gcd

import numpy as np

from fingerpost.golden.analysis.dense import explored, near, sampled
from fingerpost.golden.analysis.metacyclic import generating_units, multipliers, orbits, sums
from fingerpost.golden.arrays import IntArray

Graph = tuple[int, ...]
"""r, then t and y of two or three generators, and the diameter."""

THERE_AND_BACK = np.array([2, 1, 0])
"""The inverses of the links A, B, A^-1."""

INVOLUTIONS = np.array([0, 1, 2])
"""Those of three links that are their own inverses."""


def moore(diameter: int) -> int:
    """Return the Moore bound: no graph of degree 3 has more nodes."""
    return 3 * int(2**diameter) - 2


def groups(least: int, most: int, diameter: int) -> list[tuple[int, int]]:
    """Return (m, k) of all groups of `least` to `most` elements, even ones, large to small.

    Words of D links reach at most 4 D classes: A stands -D..D times, and B an even number of
    times or an odd one.
    """
    found = [
        (m, k)
        for k in range(2, 4 * diameter + 1)
        for m in range(max(3, -(-least // k)), most // k + 1)
        if m * k % 2 == 0
    ]
    return sorted(found, key=lambda group: (-group[0] * group[1], group[1]))


def involutions(m: int, k: int, r: int) -> list[tuple[int, int]]:
    """Return all elements of order 2.

    >>> involutions(5, 2, 4)
    [(1, 0), (1, 1), (1, 2), (1, 3), (1, 4)]
    >>> involutions(7, 3, 2)
    []
    """
    found = [(0, m // 2)] if m % 2 == 0 else []
    if k % 2 == 0:
        half = 1 + pow(r, k // 2, m)
        found += [(k // 2, y) for y in range(m) if y * half % m == 0]
    return found


def pairs(m: int, k: int, r: int, diameter: int) -> IntArray:
    """Return (t1, y1, t2, y2) of A and an involution B, one pair of each orbit; (graphs, 4).

    Without those that have too few words of at most `diameter` links for some class.
    """
    total = sums(m, k, r)
    w = m // gcd(int(total[k]), m)
    units = generating_units(m)
    involution_y = {t: np.array(y) for t, y in _by_step(involutions(m, k, r)).items()}
    graphs = [np.empty((0, 4), np.int64)]
    for t2, y_of_b in involution_y.items():
        t1 = np.array([t for t in range(k // 2 + 1) if gcd(t, t2, k) == 1], np.int64)
        t1 = t1[_room(k, np.stack([t1, np.full_like(t1, t2), -t1], axis=1) % k, diameter) >= m]
        for t in t1.tolist():
            y1, y2 = orbits(m, w * int(total[t]) % m, w * int(total[t2]) % m, units)
            keep = np.isin(y2, y_of_b)
            if 2 * t % k == 0:  # A must not be an involution
                keep &= y1 * (1 + pow(r, t, m)) % m != 0
            y1, y2 = y1[keep], y2[keep]
            graphs.append(np.stack([np.full_like(y1, t), y1, np.full_like(y2, t2), y2], axis=1))
    return np.concatenate(graphs)


def triples(m: int, k: int, r: int, diameter: int) -> IntArray:
    """Return (t1, y1, t2, y2, t3, y3) of three involutions, in rising order; (graphs, 6)."""
    if k != 2 or 2 * m > 1 + 3 * diameter * (diameter + 1) // 2:
        return np.empty((0, 6), np.int64)
    every = involutions(m, k, r)
    return np.array(list(combinations(every, 3)), np.int64).reshape(-1, 6)


def cubic(m: int, k: int, most: int, sample: int | None = None) -> tuple[int, list[Graph]]:
    """Return how many graphs of all groups of m and k were tried, and the dense ones.

    These are the graphs with a diameter of at most `most`. All are tried, or of each group as many
    pairs as a `sample` holds, drawn by chance, but by the same each time.
    """
    tried = 0
    found: list[Graph] = []
    for r in multipliers(m, k):
        power = np.array([pow(r, t, m) for t in range(k)])

        def diameter(batch: IntArray, power: IntArray = power) -> IntArray:
            t, y = batch[:, ::2], batch[:, 1::2]
            if t.shape[1] == 3:
                return explored(m, power, t, y, INVOLUTIONS, most)
            back = -t[:, :1] % k
            t = np.concatenate([t, back], axis=1)
            y = np.concatenate([y, -power[back] * y[:, :1] % m], axis=1)
            return explored(m, power, t, y, THERE_AND_BACK, most)

        two = sampled(pairs(m, k, r, most), sample, (m, k, r))
        for graphs in (two, triples(m, k, r, most)):
            tried += len(graphs)
            found += [(r, *graph) for graph in near(graphs, m * k, diameter)]
    return tried, found


def _by_step(elements: list[tuple[int, int]]) -> dict[int, list[int]]:
    """Return the y of elements by their t."""
    found: dict[int, list[int]] = {}
    for t, y in elements:
        found.setdefault(t, []).append(y)
    return found


def _room(k: int, steps: IntArray, diameter: int) -> IntArray:
    """Return how many reduced words end in the class where the fewest do; (graphs,).

    `steps` are those of A, B and A^-1, shape (graphs, 3).
    """
    graph = np.arange(len(steps))[:, None, None]
    origin = (np.arange(k) - steps[:, :, None]) % k
    port = np.arange(3)[None, :, None]
    count = np.zeros((len(steps), k), np.int64)
    count[:, 0] = 1
    last = np.zeros((len(steps), 3, k), np.int64)  # words by their last link and class
    every = count.copy()
    for _ in range(diameter):
        before = every[:, None, :] - last[:, THERE_AND_BACK, :]  # those that may take each link
        last = before[graph, port, origin]
        every = last.sum(axis=1)
        count += every
    fewest: IntArray = count.min(axis=1)
    return fewest

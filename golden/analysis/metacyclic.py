"""Dense metacyclic Cayley graphs: which graphs there are, and which have a small diameter.

Written (m, k, r; t1, y1, t2, y2): links A = (t1, y1), B = (t2, y2) and inverses in Z_m x|_r Z_k.
Every graph of degree 4 of such a group that is not abelian is among these, up to isomorphism:

- (t, y) -> (ut, y), u a unit modulo k, takes the group of r^u to that of r: one r for each cyclic
  group of multipliers will do.
- (t, y) -> (t, uy + v S(t)) with S(t) = 1 + r + ... + r^(t-1), u a unit modulo m, and v S(k) = 0
  modulo m, is an automorphism: the t-th power of (1, v) is (t, v S(t)), and (1, v) has to have
  the order that (1, 0) has. So of every (y1, y2) only one of each orbit is taken.
- A step -t instead of t names the inverse link, and A and B may change places: t1 <= t2 <= k/2.
  If links are one-way, without their inverses, t1 <= t2 < k.

Some graphs come more than once, for a group has more automorphisms than these.

A cubic graph has three links: A, its inverse and an involution B, or three involutions A, B, C. An
involution of Z_m x|_r Z_k is (k/2, y) with y (1 + r^(k/2)) = 0 modulo m, or (0, m/2). A group of
odd order has none, and no cubic graph.

- The steps of A and B generate Z_k: A is any t that does so with k/2, or with 0; -t names A^-1.
- Three involutions have steps 0 and k/2, so k is 2. As the products of two of them commute, no
  more than 1 + 3 D (D + 1)/2 nodes are within D hops.
"""

from itertools import combinations
from math import gcd

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from fingerpost.golden.analysis.dense import diameters, explored, near, room, sampled
from fingerpost.golden.arrays import BoolArray, IntArray

Graph = tuple[int, ...]
"""r, then t and y of each generator, and the diameter."""


def multipliers(m: int, k: int) -> list[int]:
    """Return the least r of every cyclic group of multipliers with r^k = 1 modulo m, without 1.

    >>> multipliers(8, 2)
    [3, 5, 7]
    """
    units = [u for u in range(1, k + 1) if gcd(u, k) == 1]
    found: list[int] = []
    seen: set[int] = set()
    for r in range(2, m):
        if r not in seen and pow(r, k, m) == 1:
            found.append(r)
            seen.update(pow(r, u, m) for u in units)
    return found


def classes(diameter: int, *, two_way: bool = True) -> range:
    """Return how many classes there may be.

    They form a circulant of degree 4, so there are at most 2D^2 + 2D + 1 of them; with one-way
    links at most (D + 1)(D + 2)/2.
    """
    if not two_way:
        return range(2, (diameter + 1) * (diameter + 2) // 2 + 1)
    return range(2, 2 * diameter**2 + 2 * diameter + 2)


def groups(least: int, most: int, diameter: int, *, two_way: bool = True) -> list[tuple[int, int]]:
    """Return (m, k) of all groups of `least` to `most` elements, large to small."""
    found = [
        (m, k)
        for k in classes(diameter, two_way=two_way)
        for m in range(max(3, -(-least // k)), most // k + 1)
    ]
    return sorted(found, key=lambda group: (-group[0] * group[1], group[1]))


def sums(m: int, k: int, r: int) -> IntArray:
    """Return S(t) modulo m for t in 0..k."""
    total = np.zeros(k + 1, np.int64)
    for t in range(k):
        total[t + 1] = (total[t] * r + 1) % m
    return total


def generators(m: int, k: int, r: int, diameter: int, *, two_way: bool = True) -> IntArray:
    """Return (t1, y1, t2, y2) of the graphs of a group; shape (graphs, 4).

    Without those that have too few words of at most `diameter` links for some class.
    """
    total = sums(m, k, r)
    w = m // gcd(int(total[k]), m)  # v is any multiple of it
    t1, t2 = np.triu_indices(k // 2 + 1 if two_way else k)
    steps = np.stack([t1, t2], axis=1)[np.gcd(np.gcd(t1, t2), k) == 1]
    steps = steps[room(k, steps, diameter, two_way=two_way) >= m]
    units = generating_units(m)
    graphs = [np.empty((0, 4), np.int64)]
    for t1, t2 in steps.tolist():
        y1, y2 = orbits(m, w * int(total[t1]) % m, w * int(total[t2]) % m, units)
        graphs.append(np.stack([np.full_like(y1, t1), y1, np.full_like(y2, t2), y2], axis=1))
    every = np.concatenate(graphs)
    return every[_different_links(m, k, r, every, two_way=two_way)]


def generating_units(m: int) -> list[int]:
    """Return units modulo m of which all others are products."""
    found, reached = [], {1}
    for u in range(2, m):
        if gcd(u, m) == 1 and u not in reached:
            found.append(u)
            while not (more := {x * u % m for x in reached}) <= reached:
                reached |= more
    return found


def orbits(m: int, s1: int, s2: int, units: list[int]) -> tuple[IntArray, IntArray]:
    """Return a (y1, y2) of each orbit under units and (y1, y2) -> (y1 + s1, y2 + s2), modulo m."""
    g1 = gcd(s1, m)  # y1 modulo g1 is all that counts; then this is left of y2:
    g2 = gcd(m // g1 * s2, m)
    back = pow(s1 // g1, -1, m // g1) if m > g1 else 0
    y1, y2 = np.divmod(np.arange(g1 * g2), g2)
    starts, ends = [], []
    for u in units:
        v1, v2 = u * y1 % m, u * y2 % m
        turns = v1 // g1 * back % (m // g1)
        starts.append(y1 * g2 + y2)
        ends.append(v1 % g1 * g2 + (v2 - turns * s2) % g2)
    if not units:
        return y1, y2
    start, end = np.concatenate(starts), np.concatenate(ends)
    size = g1 * g2
    joined = csr_array((np.ones(len(start), np.int8), (start, end)), shape=(size, size))
    _, part = connected_components(joined, directed=False)
    first = np.unique(part, return_index=True)[1]
    return y1[first], y2[first]


def _different_links(m: int, k: int, r: int, graphs: IntArray, *, two_way: bool) -> BoolArray:
    """Return the graphs all of whose links differ, none the identity."""
    power = np.array([pow(r, t, m) for t in range(k)])
    t, y = graphs[:, ::2], graphs[:, 1::2]
    links = t * m + y
    if two_way:
        inverse = -t % k * m + -power[-t % k] * y % m
        links = np.concatenate([links, inverse], axis=1)
    links = np.sort(links, axis=1)
    return (np.diff(links, axis=1) > 0).all(axis=1) & (links[:, 0] > 0)


def metacyclic(
    m: int, k: int, most: int, sample: int | None = None, *, two_way: bool = True
) -> tuple[int, list[Graph]]:
    """Return how many graphs of all groups of m and k were tried, and the dense ones.

    These are the graphs with a diameter of at most `most`. All are tried, or of each group as many
    as a `sample` holds, drawn by chance, but by the same each time.
    """
    tried = 0
    found: list[Graph] = []
    for r in multipliers(m, k):
        graphs = sampled(generators(m, k, r, most, two_way=two_way), sample, (m, k, r))
        tried += len(graphs)

        def diameter(batch: IntArray, r: int = r) -> IntArray:
            return diameters(m, r, k, batch[:, ::2], most, batch[:, 1::2], two_way=two_way)

        found += [(r, *graph) for graph in near(graphs, m * k, diameter)]
    return tried, found


THERE_AND_BACK = np.array([2, 1, 0])
"""The inverses of the links A, B, A^-1."""

INVOLUTIONS = np.array([0, 1, 2])
"""Those of three links that are their own inverses."""


def cubic_moore(diameter: int) -> int:
    """Return the Moore bound: no graph of degree 3 has more nodes."""
    return 3 * int(2**diameter) - 2


def cubic_groups(least: int, most: int, diameter: int) -> list[tuple[int, int]]:
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

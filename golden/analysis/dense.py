"""Dense Borel Cayley graphs and circulants: all that there are, of small diameter.

Circulants that are alike are tried once.

Borel Cayley graphs are written (p, k; t1, t2): links A = (t1, 1), B = (t2, 1) and inverses, in the
group V(p, a) of two-phase-1995, Definition 3, with a of order k. These are
all Borel Cayley graphs of degree 4:

- There is one group for each p and k: the elements of order k are powers a^u, and taking a^u for
  a takes the step t to t/u. So one a for each k will do.
- (t, y) -> (t, uy + v(1 - a^t)), u != 0, is an automorphism. These map any two generators with
  the steps t1, t2 that generate the group to any other two. So y does not matter.
- A step -t instead of t names the inverse link, and A and B may be exchanged.

There remain the pairs {+-t1, +-t2}, without t = k/2, whose link is its own inverse.
"""

from collections.abc import Callable
from itertools import combinations, product
from math import comb, gcd, isqrt

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from fingerpost.golden.algebra.gcr import circulant_distances
from fingerpost.golden.arrays import IntArray

AT_ONCE = 700_000
"""Nodes of all the graphs that are explored together: they fit in a processor's cache."""

LIST = 6
"""Words up to this length are listed, which is faster than to take each link at each node."""

A, B, A_INVERSE, B_INVERSE = range(4)
INVERSE = np.array([A_INVERSE, B_INVERSE, A, B])
EXPONENTS = (1, 0), (0, 1), (-1, 0), (0, -1)
"""What each link adds to the exponents (i, j) of A and B in a word."""


def moore(diameter: int, *, two_way: bool = True) -> int:
    """Return the Moore bound of a diameter: no graph of degree 4 has more nodes.

    If links are one-way, no digraph with two links out of each node has more.
    """
    return 2 * int(3**diameter) - 1 if two_way else int(2 ** (diameter + 1)) - 1


def groups(p_min: int, p_max: int, n_min: int, n_max: int) -> list[tuple[int, int]]:
    """Return (p, k) of all groups with p in p_min..p_max and p*k in n_min..n_max, large to small.

    k is at least 3: the groups with less have no graph of degree 4.
    """
    p_max = min(p_max, n_max // 3)
    prime = np.ones(max(p_max + 1, 2), bool)
    prime[:2] = False
    for d in range(2, isqrt(len(prime)) + 1):
        prime[d * d :: d] = False
    found = []
    for p in np.nonzero(prime)[0].tolist():
        if p >= p_min:
            orders = np.arange(max(3, -(-n_min // p)), min(p - 1, n_max // p) + 1)
            found += [(p, k) for k in orders[(p - 1) % orders == 0].tolist()]
    return sorted(found, key=lambda group: (-group[0] * group[1], group))


def element(p: int, k: int) -> int:
    """Return the least a of order k modulo the prime p; k divides p-1."""
    primes = [q for q in range(2, k + 1) if k % q == 0 and all(q % d for d in range(2, q))]
    return next(
        a for a in range(1, p) if pow(a, k, p) == 1 and all(pow(a, k // q, p) != 1 for q in primes)
    )


def steps(k: int) -> IntArray:
    """Return (t1, t2) of all graphs of a group, t1 <= t2; shape (graphs, 2).

    t2 is below k/2, but for k - t1: the pair {+-t, +-t}. With t1 = t2 and y = 1 links would
    coincide.
    """
    t1, t2 = np.triu_indices((k + 1) // 2)
    t2 = np.where(t1 == t2, k - t1, t2)
    connected = (np.gcd(np.gcd(t1, t2), k) == 1) & (t2 < k)
    pairs: IntArray = np.stack([t1, t2], axis=1)[connected]
    return pairs


def words(diameter: int, *, two_way: bool = True) -> IntArray:
    """Return the number of reduced words of at most that length, by the exponents of A and B.

    Entry [D + i, D + j] counts those in which A stands i and B j times, less the inverses, which
    stand in words of two-way links only; they all end in class i t1 + j t2. Shape (2D+1, 2D+1);
    the sum is the Moore bound.
    """
    total: IntArray = np.zeros((2 * diameter + 1,) * 2, np.int64)
    if not two_way:
        for length in range(diameter + 1):
            for i in range(length + 1):
                total[diameter + i, diameter + length - i] = comb(length, i)
        return total
    total[diameter, diameter] = 1
    last = np.stack([np.roll(total, link, (0, 1)) for link in EXPONENTS])  # words of one letter
    for _ in range(diameter):
        total += last.sum(axis=0)
        longer = last.sum(axis=0) - last[INVERSE]  # a link goes on any word but its inverse's
        last = np.stack([np.roll(longer[g], EXPONENTS[g], (0, 1)) for g in range(4)])
    return total


def room(k: int, steps: IntArray, diameter: int, *, two_way: bool = True) -> IntArray:
    """Return for each (t1, t2) how many words end in the class where the fewest do.

    If these are less than p, the number of nodes in a class, the diameter is larger than so many
    hops. Shape (graphs,).
    """
    count = words(diameter, two_way=two_way)
    i, j = np.nonzero(count)
    graph = np.arange(len(steps))[:, None]
    end = (steps[:, :1] * (i - diameter) + steps[:, 1:] * (j - diameter)) % k
    weight = np.broadcast_to(count[i, j], end.shape)
    in_class = np.bincount((graph * k + end).ravel(), weight.ravel(), len(steps) * k)
    fewest: IntArray = in_class.reshape(len(steps), k).min(axis=1).astype(np.int64)
    return fewest


def diameters(
    p: int,
    a: int,
    k: int,
    steps: IntArray,
    most: int,
    turns: IntArray | int = 1,
    *,
    two_way: bool = True,
) -> IntArray:
    """Return the diameter of each (t1, t2), -1 where it is larger than `most`; shape (graphs,).

    All graphs are explored together from the identity, as sets of nodes [graph, t, y]. A link
    (t', y') takes class t to class t + t', as a whole, and turns it by a^t y'. `turns` are the
    (y1, y2), in any metacyclic group.
    """
    power = np.array([pow(a, t, p) for t in range(k)])
    t, y = steps, np.broadcast_to(turns, steps.shape)
    if not two_way:
        return explored(p, power, t, y, None, most)
    # (t, y)^-1 = (-t, -a^-t y)
    t = np.concatenate([t, -t], axis=1) % k
    y = np.concatenate([y, -power[-steps % k] * y], axis=1) % p
    return explored(p, power, t, y, INVERSE, most)


def explored(
    p: int, power: IntArray, t: IntArray, y: IntArray, inverse: IntArray | None, most: int
) -> IntArray:
    """Return the diameter of each graph, -1 where it is larger than `most`; shape (graphs,).

    The links of a graph are (t, y), shapes (graphs, links); `power` holds a^t for every class t.
    Link `inverse[g]` goes back along g, or none does.
    """
    graphs, links = t.shape
    k = len(power)
    listed = LIST if inverse is not None else 2 * LIST
    graph = np.arange(graphs)[:, None]
    reached = np.zeros((graphs, k, p), bool)
    diameter = np.full(graphs, -1)

    end_t, end_y = np.zeros((2, graphs, 1), np.int64)
    reached[graph, end_t, end_y] = True
    link = np.array([-1])
    for hops in range(1, min(most, listed) + 1):
        goes_on = np.ones((len(link), links), bool)
        if inverse is not None:
            goes_on = link[:, None] != inverse
        word, link = np.nonzero(goes_on)
        end_y = (end_y[:, word] + power[end_t[:, word]] * y[:, link]) % p
        end_t = (end_t[:, word] + t[:, link]) % k
        reached[graph, end_t, end_y] = True
        diameter[(diameter < 0) & reached.all(axis=(1, 2))] = hops

    origin = [(np.arange(k) - t[:, [g]]) % k for g in range(links)]
    start = [-power[origin[g]] * y[:, [g]] % p for g in range(links)]
    for hops in range(listed + 1, most + 1):
        turned = sliding_window_view(np.concatenate([reached, reached], axis=2), p, axis=2)
        reached = reached.copy()
        for g in range(links):
            reached |= turned[graph, origin[g], start[g]]
        diameter[(diameter < 0) & reached.all(axis=(1, 2))] = hops
    return diameter


def near(
    graphs: IntArray, nodes: int, diameter: Callable[[IntArray], IntArray]
) -> list[tuple[int, ...]]:
    """Return the graphs of so many nodes with a diameter, which comes last; a batch at a time.

    Parameters
    ----------
    graphs : (graphs, parameters)
    diameter : callable
        Takes some graphs and returns their diameters, -1 where these are too large.
    """
    found = []
    at_once = max(1, AT_ONCE // nodes)
    for i in range(0, len(graphs), at_once):
        batch = graphs[i : i + at_once]
        hops = diameter(batch)
        found += np.column_stack([batch, hops])[hops >= 0].tolist()
    return [tuple(graph) for graph in found]


def sampled(graphs: IntArray, sample: int | None, seed: tuple[int, ...]) -> IntArray:
    """Return all graphs, or as many as a sample holds, drawn by chance; the same each time."""
    if sample is None or sample >= len(graphs):
        return graphs
    chosen = np.random.default_rng(seed).choice(len(graphs), sample, replace=False)
    return graphs[np.sort(chosen)]


def dense(p: int, k: int, first: int, last: int, most: int) -> list[tuple[int, int, int]]:
    """Return (t1, t2, diameter) of graphs first..last-1 of `steps(k)` with diameter <= most."""
    graphs = steps(k)[first:last]
    graphs = graphs[room(k, graphs, most) >= p]
    a = element(p, k)
    found = near(graphs, p * k, lambda batch: diameters(p, a, k, batch, most))
    return [(t1, t2, diameter) for t1, t2, diameter in found]


def bound(jumps: int, diameter: int) -> int:
    """Return the most nodes of a circulant: the points of a lattice so many steps away at most.

    Examples
    --------
    >>> [bound(2, diameter) for diameter in (1, 2, 6)], bound(3, 3)
    ([5, 13, 85], 63)
    """
    return sum(2**i * comb(jumps, i) * comb(diameter, i) for i in range(jumps + 1))


def circulants(nodes: int, jumps: int, most: int) -> tuple[int, list[tuple[int, ...]]]:
    """Return how many circulants were tried, and jumps and diameter of the dense ones.

    These have a diameter of at most `most`. Where a jump has no common divisor with the nodes, all
    can be multiplied so that it is 1: only that one of the alike graphs is tried.
    """
    some = [jump for jump in range(2, (nodes + 1) // 2) if gcd(jump, nodes) > 1]
    units = [(1, *rest) for rest in combinations(range(2, (nodes + 1) // 2), jumps - 1)]
    others = [each for each in combinations(some, jumps) if gcd(nodes, *each) == 1]
    found = []
    for each in units + others:
        shift = np.array([sign * jump for sign, jump in product((1, -1), each)])
        distance = circulant_distances(nodes, shift)
        if distance.max() <= most:
            found.append((*each, int(distance.max())))
    return len(units) + len(others), found

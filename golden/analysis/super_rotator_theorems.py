"""What super-rotator-1996 proves of SR_n(N), and what is true of it, for any directed network.

The measure of strong connectedness xi is the most nodes that can fail, whichever they are, and
leave the rest strongly connected (Definition 3): one less than the vertex connectivity.
"""

from dataclasses import dataclass
from math import comb, factorial

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.topology.base import Topology


def radix(nodes: int) -> list[int]:
    """Return c_1, ..., c_n of N = sum of c_i i! (Definition 4)."""
    digits: list[int] = []
    while nodes:
        nodes, digit = divmod(nodes, len(digits) + 2)
        digits.append(digit)
    return digits


@dataclass(frozen=True)
class Claims:
    """What the theorems say of SR_n(N); `max_degree` as corrected."""

    n: int
    strong_connectedness: int
    diameter_bound: int
    links: int
    max_degree_bound: int
    max_degree: int
    min_degree: int


def claims(nodes: int) -> Claims:
    """Return what Theorems 1, 3, 4 and 5 and Corollary 1 say of N = `nodes`.

    Theorem 5 holds as an upper bound: the maximum is n + 1 just where a class of two components
    or more, which has type A links, has a class below it. The nodes 0 and i! - 1 of its leader
    then have links of both kinds. With one of the two anywhere it is n, else, in R_n, n - 1.
    """
    digits = radix(nodes)
    n = len(digits)
    classes = [i for i in range(1, n + 1) if digits[i - 1]]
    several = [i for i in classes if digits[i - 1] > 1]
    if any(i > classes[0] for i in several):
        max_degree = n + 1
    else:
        max_degree = n if several or len(classes) > 1 else n - 1
    return Claims(
        n=n,
        strong_connectedness=n - 2,  # Theorem 1
        diameter_bound=2 * n,  # Theorem 3
        links=sum(  # Theorem 4: R, A, B
            c * (i - 1) * factorial(i)
            + 2 * comb(c, 2) * factorial(i - 1)
            + 2 * c * (n - i) * factorial(i)
            for i, c in enumerate(digits, start=1)
        ),
        max_degree_bound=n + 1,  # Theorem 5
        max_degree=max_degree,
        min_degree=n - 1,  # Corollary 1
    )


def links(topology: Topology) -> int:
    """Return the number of directed links."""
    return int((topology.neighbour >= 0).sum())


def degrees(topology: Topology) -> IntArray:
    """Return the out-degree and the in-degree of every node; shape (2, nodes)."""
    return np.stack([(topology.neighbour >= 0).sum(axis=1), (topology.origin >= 0).sum(axis=1)])


def strong_connectedness(topology: Topology) -> int:
    """Return xi, by Menger's theorem: the least flow of disjoint paths, less one.

    Let k be the least degree, an upper bound of the connectivity, and K any k nodes. Suppose that
    fewer than k failures cut the rest. They leave a node of K. In one direction, they cut two
    nodes of K from each other, or the rest of K from some node. So the least of these flows
    decides: between the nodes of K, and between K, joined to one more node, and every other node
    (Even).
    """
    n, least = topology.nodes, int(degrees(topology).min())
    node, port = np.nonzero(topology.neighbour >= 0)
    entry, leave = np.arange(n), np.arange(n) + n  # every node is a link of capacity 1
    chosen = np.arange(least)
    joined = np.full(least, 2 * n)
    start = np.concatenate([entry, leave[node], joined, leave[chosen]])
    end = np.concatenate([leave, entry[topology.neighbour[node, port]], entry[chosen], joined + 1])
    graph = csr_array((np.ones(len(start), np.int32), (start, end)), shape=(2 * n + 2, 2 * n + 2))
    graph.sum_duplicates()
    graph.data[:] = 1

    pairs = [(leave[a], entry[b]) for a in chosen for b in chosen if a != b]
    others = range(least, n)
    pairs += [(2 * n, entry[x]) for x in others] + [(leave[x], 2 * n + 1) for x in others]
    return min(int(maximum_flow(graph, int(a), int(b)).flow_value) for a, b in pairs) - 1

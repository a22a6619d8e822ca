"""Borel Cayley graphs from explicit 2x2 matrices: slow, plain, and independent of golden."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from hypothesis import assume
from hypothesis import strategies as st

from fingerpost.golden.topology import Borel
from tests.golden.star_group import hops_to

Matrix = tuple[tuple[int, int], tuple[int, int]]

IDENTITY: Matrix = ((1, 0), (0, 1))
PRIMES = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59]


def times(g: Matrix, h: Matrix, p: int) -> Matrix:
    (a, b), (c, d) = g
    (e, f), (i, j) = h
    return (((a * e + b * i) % p, (a * f + b * j) % p), ((c * e + d * i) % p, (c * f + d * j) % p))


@dataclass(frozen=True)
class Group:
    """Definition 3 of two-phase-1995, with the generators of a graph."""

    p: int
    a: int
    A: tuple[int, int]
    B: tuple[int, int]

    @cached_property
    def k(self) -> int:
        return next(i for i in range(1, self.p) if self.a**i % self.p == 1)

    @property
    def nodes(self) -> int:
        return self.p * self.k

    def matrix(self, t: int, y: int) -> Matrix:
        return ((self.a**t % self.p, y % self.p), (0, 1))

    def inverse(self, g: Matrix) -> Matrix:
        (x, y), _ = g
        one_over_x = pow(x, -1, self.p)
        return ((one_over_x, -one_over_x * y % self.p), (0, 1))

    @cached_property
    def links(self) -> list[Matrix]:
        """A, B, A^-1, B^-1."""
        forward = [self.matrix(*self.A), self.matrix(*self.B)]
        return forward + [self.inverse(g) for g in forward]

    @cached_property
    def label(self) -> dict[Matrix, int]:
        """The label y*k + t of (a^t, y; 0, 1)."""
        return {self.matrix(t, y): y * self.k + t for y in range(self.p) for t in range(self.k)}

    @cached_property
    def neighbours(self) -> list[list[int]]:
        """The nodes v*g for the four links g, for every node v."""
        return [[self.label[times(v, g, self.p)] for g in self.links] for v in self.label]

    def word_end(self, word: tuple[int, ...]) -> int:
        """Return the label of the product of links."""
        product = IDENTITY
        for port in word:
            product = times(product, self.links[port], self.p)
        return self.label[product]

    @cached_property
    def away(self) -> list[int]:
        """The distances from the identity."""
        return breadth_first(self.nodes, lambda v: self.neighbours[v], 0)

    def first_word(self, label: int) -> list[int]:
        """Return the first of the shortest words, taking the first link that is nearer to it."""
        left = next(g for g, v in self.label.items() if v == label)
        word = []
        while left != IDENTITY:
            steps = [times(self.inverse(g), left, self.p) for g in self.links]
            distance = self.away[self.label[left]]
            port = next(i for i in range(4) if self.away[self.label[steps[i]]] < distance)
            word.append(port)
            left = steps[port]
        return word

    @property
    def is_valid(self) -> bool:
        """Four different links, none the identity, that reach all of the group."""
        return len({IDENTITY, *self.links}) == 5 and -1 not in self.away

    def topology(self) -> Borel:
        return Borel(p=self.p, a=self.a, A=self.A, B=self.B)


def breadth_first(nodes: int, neighbours: Callable[[int], list[int]], source: int) -> list[int]:
    """Return the distances from `source`, -1 where there is no way."""
    away = hops_to(source, neighbours)
    return [away.get(node, -1) for node in range(nodes)]


def circulant(k: int, t1: int, t2: int) -> list[int]:
    """Return the distances from 0 in the circulant C_k(+-t1, +-t2)."""
    steps = [t1, t2, -t1, -t2]
    return breadth_first(k, lambda r: [(r + t) % k for t in steps], 0)


@st.composite
def groups(draw: st.DrawFn, *, largest: int = 59, most: int = 4000) -> Group:
    """Parameters in range, of graphs valid or not, with at most `most` nodes."""
    p = draw(st.sampled_from([q for q in PRIMES if 3 <= q <= largest]))
    a = draw(st.integers(2, p - 1))
    k = Group(p, a, (0, 0), (0, 0)).k
    assume(p * k <= most)
    element = st.tuples(st.integers(0, k - 1), st.integers(0, p - 1))
    return Group(p, a, draw(element), draw(element))


def valid_groups(*, largest: int = 59, most: int = 4000) -> st.SearchStrategy[Group]:
    """Parameters of connected graphs of degree 4."""
    return groups(largest=largest, most=most).filter(lambda group: group.is_valid)


EXAMPLE = Group(p=7, a=2, A=(0, 1), B=(1, 1))
"""The network of 21 nodes of Section II.C."""

"""Generalized Chordal Rings: Cayley graphs with integers for labels (vertex-transitivity-1992)."""

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from fingerpost.golden.algebra.group import Group, Number
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.parameters import ParameterError

NEVER = 1 << 30
"""Longer than any way."""


def circulant_distances(k: int, shift: IntArray) -> IntArray:
    """Return d1(r), the hops from class 0 to class r in the circulant C_k(+-t1, +-t2)."""
    distance = np.full(k, -1)
    distance[0] = 0
    frontier = np.array([0])
    while len(frontier):
        reached = np.unique((frontier[:, None] + shift) % k)
        depth = distance[frontier[0]] + 1
        frontier = reached[distance[reached] < 0]
        distance[frontier] = depth
    return distance


class TableII(NamedTuple):
    """What the computation of phase I comes to."""

    pairs: IntArray
    """Shape (k, 2). (m1, m2) with m1 t1 + m2 t2 = r mod k and least |m1| + |m2|, for every r."""
    steps: tuple[tuple[int, int, int], ...]
    """The steps of Table II whose candidate is taken for some r, in their order. The others need
    not be made."""


def computed_phase1(k: int, t1: int, t2: int, d1: int) -> TableII:
    """Compute phase I for every r by Table II as corrected: O(D1^2) steps, and no table.

    Raises
    ------
    ValueError
        If t1 or t2 is 0: the computation divides by both.
    """
    if 0 in (t1, t2):
        raise ParameterError(
            "phase1", f"Phase I can be computed only for t1, t2 != 0, not ({t1}, {t2})"
        )
    hi, lo = max(t1, t2), min(t1, t2)
    turns = d1 * hi // k + d1 * lo // k  # l1 + l2
    quotient = d1 * lo // hi  # Q
    steps = np.array(list(product((1, -1), range(turns + 1), range(-quotient - 1, quotient + 1))))
    sign, turn, extra = steps.T[..., None]
    r = np.arange(k)
    u = turn * k + np.where(sign > 0, r, k - r)
    m1 = u // hi - extra
    m2, rest = np.divmod(u - m1 * hi, lo)
    length = np.where(rest == 0, np.abs(m1) + np.abs(m2), NEVER)
    best = length.argmin(axis=0)
    pairs = np.stack([m1[best, r], m2[best, r]], axis=1) * steps[best, :1]
    taken = tuple((int(s), int(turn), int(q)) for s, turn, q in steps[np.unique(best)])
    return TableII(pairs if t1 >= t2 else pairs[:, ::-1], taken)


LARGEST = 5000
"""More classes than this are refused: a table has the square of that."""


class GCR:
    """A group with element T^m * a_c labelled m*q + c: q classes, <T> turned round in each.

    Parameters
    ----------
    group : Group
    T : int
        The transform element.
    representatives : sequence of int, optional
        The element a_c of every class c, one of each coset <T>*a. By default the least of each
        coset, in rising order: class 0 is then that of the identity.

    Attributes
    ----------
    m, q : int
        The order of T, and the number of classes.
    element : (n,)
        The element with each label.
    label : (n,)
        The label of each element.
    inverse : two of (q,)
        Table (1): l and r with a_i^-1 = T^l[i] * a_r[i].
    product : two of (q, q)
        Table (2): l and r with a_i * a_j = T^l[i,j] * a_r[i,j].
    turned : two of (q, m)
        Table (3): l and r with a_i * T^h = T^l[i,h] * a_r[i,h].

    Raises
    ------
    ValueError
        If T is no element, has too many classes, or the representatives are not one of each coset.
    """

    def __init__(self, group: Group, T: int, representatives: Sequence[int] | None = None) -> None:
        if not 0 <= T < group.size:
            raise ValueError(f"GCR needs a transform element in 0..{group.size - 1}, not {T}")
        self.group, n = group, group.size
        powers = group.powers(T)
        self.m, self.q = len(powers), n // len(powers)
        if self.q > LARGEST:
            raise ValueError(
                f"GCR needs a T with at most {LARGEST} classes, for tables of their products, "
                f"not {self.q} as for T = {T}"
            )
        if representatives is None:
            least = np.arange(n)
            for power in powers.tolist():
                least = np.minimum(least, group.times(power, np.arange(n)))
            representatives = np.unique(least).tolist()
        a = np.asarray(representatives)
        self.element: IntArray = group.times(powers[:, None], a % n).ravel()
        if not (np.array_equal(np.sort(self.element), np.arange(n)) and (a == a % n).all()):
            raise ValueError(
                f"GCR needs a representative of each of the {self.q} cosets <T>*a of T = {T}, "
                f"not {list(representatives)}"
            )
        self.label: IntArray = np.argsort(self.element)
        self.inverse = self.split(self.label[group.inverse(a)])
        self.product = self.split(self.label[group.times(a[:, None], a)])
        self.turned = self.split(self.label[group.times(a[:, None], powers)])

    def split(self, label: Number) -> tuple[IntArray, IntArray]:
        """Return m and c of the labels m*q + c."""
        m, c = np.divmod(label, self.q)
        return m, c

    def constants(self, generators: Sequence[int]) -> IntArray:
        """Return what each generator adds to the labels of each class, in 0..n-1.

        Node j of class i is joined to j + constants[i, g] mod n. Shape (q, generators).
        """
        i = np.arange(self.q)[:, None]
        ends: IntArray = self.label[self.group.times(self.element[i], np.asarray(generators))]
        return (ends - i) % self.group.size

    def transfer(self, i: Number, j: Number, to: Number) -> IntArray:
        """Return j', to which the way from i to j leads when it starts at `to` = i'.

        Eq. (4): T^m' * a_c' * a_c1^-1 * T^(m2-m1) * a_c2, by the three tables alone.
        """
        (m1, c1), (m2, c2), (t, c) = self.split(i), self.split(j), self.split(to)
        l1, r1 = (table[c1] for table in self.inverse)
        for table, right in (
            (self.turned, l1),
            (self.product, r1),
            (self.turned, (m2 - m1) % self.m),
            (self.product, c2),
        ):
            t, c = t + table[0][c, right], table[1][c, right]
        return t % self.m * self.q + c

"""Finite groups, whose multiplication works on arrays; permutations and their numbers."""

from abc import ABC, abstractmethod
from math import factorial, isqrt

import numpy as np

from fingerpost.golden.arrays import IntArray


def number(labels: IntArray) -> IntArray:
    """Return the vertex number of every permutation: the sum of d_i * i!.

    `labels` is (..., n), `d_i` the number of letters before letter i that are smaller.
    """
    n = labels.shape[-1]
    total = np.zeros(labels.shape[:-1], np.int64)
    for i in range(1, n):
        total += (labels[..., :i] < labels[..., i : i + 1]).sum(axis=-1) * factorial(i)
    return total


def permutations(numbers: IntArray, n: int) -> IntArray:
    """Return the permutations of 1..n with these vertex numbers; shape (..., n)."""
    rest = np.asarray(numbers, np.int64).copy()
    labels = np.zeros((*rest.shape, n), np.int64)
    # Letter i has d_i smaller ones before it: those from d_i + 1 up make room for it.
    for i in range(n):
        d = rest // factorial(i) % (i + 1)
        labels[..., :i] += labels[..., :i] > d[..., None]
        labels[..., i] = d + 1
    return labels


Number = IntArray | int
"""Elements, by their numbers."""


class Group(ABC):
    """A finite group of elements 0..size-1.

    Attributes
    ----------
    size : int
        The number of elements.
    identity : int
        The one that changes nothing: element 0 unless a group says otherwise.
    """

    size: int
    identity: int = 0

    @abstractmethod
    def times(self, g: Number, h: Number) -> IntArray:
        """Return the products g*h."""

    def power(self, g: Number, exponent: int) -> IntArray:
        """Return g^exponent for an exponent >= 0, by repeated squaring."""
        square, result = np.asarray(g), np.full_like(g, self.identity)
        while exponent:
            if exponent & 1:
                result = self.times(result, square)
            square, exponent = self.times(square, square), exponent >> 1
        return result

    def inverse(self, g: Number) -> IntArray:
        """Return g^-1, which is g^(size-1) by the theorem of Lagrange."""
        return self.power(g, self.size - 1)

    def powers(self, g: int) -> IntArray:
        """Return all powers of one element, g^0 first; as many as its order."""
        found = [self.identity]
        while (following := int(self.times(found[-1], g))) != self.identity:
            found.append(following)
        return np.array(found)

    def order(self, g: int) -> int:
        """Return the least m >= 1 with g^m the identity."""
        return len(self.powers(g))


class BorelGroup(Group):
    """The matrices (a^t, y; 0, 1) modulo a prime p; the number of one is y*k + t, k the order of a.

    (vertex-transitivity-1992, Definition 3)

    Raises
    ------
    ValueError
        If p is not prime, or a is not in 1..p-1.
    """

    def __init__(self, p: int, a: int) -> None:
        if p < 2 or any(p % d == 0 for d in range(2, isqrt(p) + 1)):
            raise ValueError(f"Borel group needs a prime p, not {p}")
        if not 1 <= a < p:
            raise ValueError(f"Borel group needs an a in 1..p-1 = 1..{p - 1}, not {a}")
        scales = [1]
        while (scale := scales[-1] * a % p) != 1:
            scales.append(scale)
        self.p, self.k, self.scale = p, len(scales), np.array(scales)  # a^t
        self.size = p * self.k

    def times(self, g: Number, h: Number) -> IntArray:
        """Return (t, y) (t', y') = (t + t' mod k, y + a^t y' mod p)."""
        (y, t), (y2, t2) = np.divmod(g, self.k), np.divmod(h, self.k)
        product: IntArray = (y + self.scale[t] * y2) % self.p * self.k + (t + t2) % self.k
        return product

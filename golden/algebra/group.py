"""Finite groups: a multiplication of element numbers that works on arrays."""

from abc import ABC, abstractmethod
from math import factorial, isqrt, prod

import numpy as np

from fingerpost.golden.algebra.permutation import number, permutations
from fingerpost.golden.arrays import IntArray

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


class SymmetricGroup(Group):
    """The permutations of n symbols, by their vertex numbers (`golden.algebra.permutation`).

    The product g*h applies h first: position i of it holds symbol g[h[i]]. So a generator on the
    right exchanges positions, as the links of star and rotator graphs do.

    Raises
    ------
    ValueError
        If n is not in 1..12.
    """

    def __init__(self, n: int) -> None:
        if not 1 <= n <= 12:
            raise ValueError(f"Symmetric group needs an n in 1..12, not {n}")
        self.n, self.size = n, factorial(n)
        self.identity = self.size - 1

    def times(self, g: Number, h: Number) -> IntArray:
        """Return the product: h, then g."""
        g, h = np.broadcast_arrays(g, h)
        places = permutations(h, self.n) - 1
        return number(np.take_along_axis(permutations(g, self.n), places, axis=-1))


class CyclicProduct(Group):
    """The product Z_m0 x Z_m1 x ...; the number of (x0, x1, ...) is x0 + m0 (x1 + m1 (...)).

    Raises
    ------
    ValueError
        If there is no modulus, or one that is not positive.
    """

    def __init__(self, *moduli: int) -> None:
        if not moduli or min(moduli) < 1:
            raise ValueError(f"Cyclic product needs moduli >= 1, at least one, not {moduli}")
        self.moduli, self.size = moduli, prod(moduli)

    def times(self, g: Number, h: Number) -> IntArray:
        """Return the sums, coordinate by coordinate."""
        g, h = np.broadcast_arrays(g, h)
        product, unit = np.zeros_like(g), 1
        for m in self.moduli:
            product = product + (g // unit + h // unit) % m * unit
            unit *= m
        return product

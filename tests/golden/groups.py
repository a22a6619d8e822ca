"""Groups that no family is made of: permutations, and products of cyclic groups."""

from math import factorial, prod

import numpy as np

from fingerpost.golden.algebra.group import Group, Number, number, permutations
from fingerpost.golden.arrays import IntArray


class SymmetricGroup(Group):
    """The permutations of n symbols, by their vertex numbers (`golden.algebra.group`).

    The product g*h applies h first: position i of it holds symbol g[h[i]]. So a generator on the
    right exchanges positions, as the links of star and rotator graphs do.
    """

    def __init__(self, n: int) -> None:
        self.n, self.size = n, factorial(n)
        self.identity = self.size - 1

    def times(self, g: Number, h: Number) -> IntArray:
        g, h = np.broadcast_arrays(g, h)
        places = permutations(h, self.n) - 1
        return number(np.take_along_axis(permutations(g, self.n), places, axis=-1))


class CyclicProduct(Group):
    """The product Z_m0 x Z_m1 x ...; the number of (x0, x1, ...) is x0 + m0 (x1 + m1 (...))."""

    def __init__(self, *moduli: int) -> None:
        self.moduli, self.size = moduli, prod(moduli)

    def times(self, g: Number, h: Number) -> IntArray:
        g, h = np.broadcast_arrays(g, h)
        product, unit = np.zeros_like(g), 1
        for m in self.moduli:
            product = product + (g // unit + h // unit) % m * unit
            unit *= m
        return product

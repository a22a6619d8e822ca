"""Groups that no family is made of: products of cyclic groups."""

from math import prod

import numpy as np

from fingerpost.golden.algebra.group import Group, Number
from fingerpost.golden.arrays import IntArray


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

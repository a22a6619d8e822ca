"""Finite fields, by tables: for graphs that are made of points and lines."""

from functools import cached_property

import numpy as np

from fingerpost.golden.arrays import IntArray


def is_prime_power(q: int) -> bool:
    """Return whether a field of q elements exists.

    Examples
    --------
    >>> [q for q in range(12) if is_prime_power(q)]
    [2, 3, 4, 5, 7, 8, 9, 11]
    """
    p = next((p for p in range(2, q + 1) if q % p == 0), 0)
    while p and q % p == 0:
        q //= p
    return q == 1 and p > 0


class Field:
    """The field GF(q), q = p^m: the digits of element e of base p are coefficients of a polynomial.

    Polynomials are taken modulo x^m - c, with the least element c such that x is primitive: each
    element but 0 is a power of x. If m is 1, x is the least primitive root of q.

    Parameters
    ----------
    q : int
        A prime power.

    Attributes
    ----------
    q : int
    sum : (q, q)
    power : (q - 1,)
        x^0, x^1, ...
    negative : (q,)

    Raises
    ------
    ValueError
        If there is no such field.

    Examples
    --------
    >>> Field(4).product.tolist()  # x^2 = x + 1
    [[0, 0, 0, 0], [0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2]]
    """

    def __init__(self, q: int) -> None:
        if not is_prime_power(q):
            raise ValueError(f"Field needs a prime power of elements, not {q}")
        p = next(p for p in range(2, q + 1) if q % p == 0)
        weight = p ** np.arange(next(m for m in range(1, q) if p**m == q))
        digit = np.arange(q)[:, None] // weight % p
        self.q = q
        self.sum: IntArray = (digit[:, None] + digit) % p @ weight
        self.negative: IntArray = -digit % p @ weight
        powers = (self._powers(digit[c], weight, p) for c in range(1, q))
        self.power: IntArray = np.array(next(found for found in powers if len(found) == q - 1))

    def _powers(self, c: IntArray, weight: IntArray, p: int) -> list[int]:
        """Return the powers of x until one is 1 again or there are too many, if x^m = c."""
        found, element = [1], np.eye(1, len(weight), dtype=np.int64)[0]
        while len(found) < self.q:
            element = (np.append(0, element[:-1]) + element[-1] * c) % p
            if (number := int(element @ weight)) <= 1:
                break
            found.append(number)
        return found

    @cached_property
    def product(self) -> IntArray:
        """Return the products of all pairs; shape (q, q)."""
        log = np.empty(self.q, np.int64)
        log[self.power] = np.arange(self.q - 1)
        product = self.power[(log[1:, None] + log[1:]) % (self.q - 1)]
        return np.pad(product, ((1, 0), (1, 0)))

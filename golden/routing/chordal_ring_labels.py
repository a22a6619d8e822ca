"""CR representations: Borel graphs drawn around a Hamiltonian cycle (two-phase-1995, Section II).

The construction is in the authors' third paper [3], which is not at hand; this one gives the CR
constants of Table I and all CR figures of Tables III and IV.
"""

from math import gcd

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.topology.borel import Borel
from fingerpost.golden.topology.metacyclic import Element


def _word(borel: Borel) -> list[int]:
    """Return a Hamiltonian word: the links of one turn through all classes, as ports."""
    A, B, k = 0, 1, borel.k
    t1, t2 = borel.shift[:2].tolist()
    if t1 != 0 and (t2 == 0 or gcd(t1, k) != 1):
        A, B, t1, t2 = B, A, t2, t1
    if t1 == 0:  # then t2 has an inverse: the graph is connected
        return [A] * (borel.p - 1) + [B]
    if gcd(t1, k) != 1:
        raise ParameterError(
            "algorithm",
            f"Chordal ring needs a generator with gcd(t, k) = 1, not t = {t2} and {t1} for k = {k}",
        )
    s = t2 * pow(t1, -1, k) % k
    return [B] + [A] * (k - s - 1) + [B] + [A + 2] * (s - 1)


class Ring:
    """The CR representation of a Borel graph: every node has links +1, -1 and two chords.

    A Hamiltonian word w of q links has the product T, and its proper prefixes the products a_i:
    one node of each class. Node T^m a_i has the CR label m*q + i. Left multiplication by T is a
    symmetry, so where a link leads, relative to the label, depends on the class i only.

    Parameters
    ----------
    borel : Borel

    Attributes
    ----------
    word : (q,)
        The ports of w. Node v + 1 is behind port `word[v % q]` of node v.
    q : int
        The number of classes: k, or p if a generator has t = 0 (Table I).
    T : Element
        The transform element, of order n/q.
    node : (n,)
        The node (its GCR label) that has each CR label.
    label : (n,)
        The CR label of each node.
    orbit : (n,)
        The class of each node. The orbits of the topology can be others: T need not be (0, y).
    links : (q, 4)
        The ports of the links gamma, lambda, +1, -1 at each class. The chords gamma and lambda
        come in the order A, A^-1, B, B^-1.
    constants : (q, 4)
        What these links add to a CR label, in 0..n-1: node v is joined to v + constants[v % q].

    Raises
    ------
    ValueError
        If no generator has a t that is prime to k.
    """

    def __init__(self, borel: Borel) -> None:
        self.borel = borel
        self.word: IntArray = np.array(_word(borel))
        self.q = len(self.word)
        prefix = [(0, 0)]
        for port in self.word:
            prefix.append(borel.multiply(prefix[-1], borel.generators[port]))
        self.T: Element = prefix.pop()
        self.node = self._nodes(np.array(prefix))
        self.label = np.argsort(self.node)
        self.orbit = self.label % self.q

        before = (np.roll(self.word, 1) + 2) % 4  # the inverse of the link that led here
        chords = [
            [port for port in (0, 2, 1, 3) if port not in ring]
            for ring in zip(self.word.tolist(), before.tolist(), strict=True)
        ]
        self.links = np.column_stack([np.array(chords), self.word, before])
        i = np.arange(self.q)
        ends = self.label[borel.neighbour[self.node[i, None], self.links]]
        self.constants: IntArray = (ends - i[:, None]) % borel.nodes

    def _nodes(self, a: IntArray) -> IntArray:
        """Return T^m a_i for m = 0..n/q-1 and i = 0..q-1, flat: by CR label."""
        p, k, power = self.borel.p, self.borel.k, self.borel.power
        turns = [(0, 0)]
        while len(turns) * self.q < self.borel.nodes:
            turns.append(self.borel.multiply(turns[-1], self.T))
        t, y = np.array(turns).T[:, :, None]
        node: IntArray = (y + power[t] * a[:, 1]) % p * k + (t + a[:, 0]) % k
        return node.ravel()

    def signed_chords(self) -> IntArray:
        """Return gamma and lambda of each class in -n/2..n/2, as Table I prints; shape (q, 2)."""
        chords, n = self.constants[:, :2], self.borel.nodes
        return np.where(chords > n // 2, chords - n, chords)

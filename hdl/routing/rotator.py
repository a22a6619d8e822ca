"""Optimal routing in rotator graphs in hardware; the twin of fingerpost.golden.routing.rotator."""

from collections.abc import Sequence
from functools import reduce
from itertools import pairwise
from operator import or_

from amaranth import Array, Cat, Module, Signal, Value

from fingerpost.golden.routing import LongestSuffix as Golden
from fingerpost.hdl.lib.logic import encode, highest
from fingerpost.hdl.routing.base import HeaderGenerator, RoutingUnit


def renamed(m: Module, name: str, place: Sequence[Value], letters: Sequence[Value]) -> list[Signal]:
    """Return the label `letters` with every letter named by its place in the destination."""
    label = [Signal(len(place[0]), name=f"{name}{t}") for t in range(len(letters))]
    m.d.comb += [new.eq(Array(place)[old]) for new, old in zip(label, letters, strict=True)]
    return label


def descents(label: Sequence[Value]) -> Value:
    """Return in which places the letter before is larger; the last of them is k.

    The longest increasing suffix begins there.
    """
    return Cat(0, *(a > b for a, b in pairwise(label)))


class LongestSuffixHeaderGenerator(HeaderGenerator):
    """Pass the header on if it is a permutation; combinational."""

    routing: Golden

    def elaborate(self, platform: object) -> Module:
        """Look for every place among those that the letters have."""
        m = Module()
        n = self.routing.topology.n
        place = [self.header[f"place{a}"] for a in range(n)]
        there = Cat(reduce(or_, (given == t for given in place)) for t in range(n))
        m.d.comb += [self.next_header.eq(self.header), self.error.eq(~there.all())]
        return m


class LongestSuffix(RoutingUnit):
    """Rotate the first letter into the longest suffix that is in order; combinational.

    The l of the link g_l is the highest place with a descent, or the one behind the highest letter
    of S below the first letter. Letters before S, which begins at place k, may be taken for letters
    of S: the places behind them are k at most.
    """

    algorithm = "rotator"
    header_generator = LongestSuffixHeaderGenerator

    routing: Golden

    def elaborate(self, platform: object) -> Module:
        """Find l by comparators in parallel, and take port l - 2; without an l: deliver."""
        m = Module()
        n = self.routing.topology.n
        place = [self.header[f"place{a}"] for a in range(n)]
        letters = [self.straps[f"letter{t}"] for t in range(n)]
        label = renamed(m, "label", place, letters)
        smaller = Cat(letter < label[0] for letter in label)
        rotate = (descents(label) | (smaller << 1))[2 : n + 1]
        m.d.comb += [
            self.port.eq(encode(Cat(highest(rotate), ~rotate.any()))),
            self.next_header.eq(self.header),
        ]
        return m

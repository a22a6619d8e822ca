"""What all routing on KYKLOS has in common, in hardware; the twin of golden.routing.kyklos.

A word has its lowest bit first. Trees are counted from the start tree s on: the first of a list is
that of tree s, the next that of tree s + 1, and so on. All are made of the string Y_s, and from
there they are made alike whatever s is: level v of tree s + i changes that digit of Y_s which it
changes at s = 0.
"""

from abc import abstractmethod
from functools import reduce
from operator import and_

import numpy as np
from amaranth import Array, Cat, Const, Module, Mux, Signal, Value

from fingerpost.golden.header import bits
from fingerpost.golden.routing.kyklos import KyklosRouting as Golden
from fingerpost.golden.topology.kyklos import Kyklos
from fingerpost.hdl.lib.logic import encode, highest, lowest
from fingerpost.hdl.routing.base import HeaderGenerator, RoutingUnit

Relative = tuple[list[Value], Value]
"""L and the last tree, counted from the start tree on: L[s], L[s+1], ... and last - s."""


def _digits(routing: Golden, packed: Value) -> list[Value]:
    """Return the digits of a leaf one by one."""
    width = bits(routing.topology.m)
    return [packed[width * g :][:width] for g in range(routing.topology.n)]


class KyklosRouting(RoutingUnit):
    """The hop of every strategy (kyklos-1988, Section VI); combinational.

    A strap selects a leaf (L-node), which chooses the next tree, or a node inside a
    tree (IB-node), where packets go up, turn, or go down to the child that a digit names.
    """

    routing: Golden

    def elaborate(self, platform: object) -> Module:
        """Both kinds of nodes side by side: what a node is not falls away with its straps."""
        m = Module()
        topology = self.routing.topology
        children, r = topology.m, topology.r
        header, straps = self.header, self.straps
        levels = [header[f"L{t}"] for t in range(r)]

        # In a leaf: the tree that was climbed is done; of the others the next in falling order.
        m.d.comb += self.next_header.eq(header)
        waiting, tree = Signal(r), Signal(bits(r))
        for t, level in enumerate(levels):
            climbed = self.arrival == t
            m.d.comb += waiting[t].eq(level.any() & ~climbed)
            with m.If(straps.leaf & climbed):
                m.d.comb += self.next_header[f"L{t}"].eq(0)
        with m.Switch(header.last):
            for last in range(r):
                with m.Case(last):
                    for t in ((last + k) % r for k in range(r)):
                        with m.If(waiting[t]):
                            m.d.comb += tree.eq(t)

        # In a tree: up, or down by the digit z_tv.
        limit, child = Signal.like(levels[0]), Signal(bits(children))
        up = Signal()
        m.d.comb += [
            limit.eq(Array(levels)[straps.tree]),
            child.eq(Array(_digits(self.routing, header.dst))[straps.z]),
            up.eq((self.arrival < children) & (straps.level < limit)),
        ]

        with m.If(straps.leaf):
            m.d.comb += [
                self.port.eq(Mux(waiting.any(), tree, topology.local)),
                self.error.eq(header.last >= r),
            ]
        with m.Else():
            m.d.comb += [
                self.port.eq(Mux(up, children, child)),
                self.error.eq(~up & (child >= children)),
            ]
        return m


class KyklosHeaderGenerator(HeaderGenerator):
    """L, which the source computes; two cycles.

    First the string Y_s, of which digits differ, then the levels that the strategy makes of it.
    """

    routing: Golden

    @abstractmethod
    def relative(self, m: Module, y: Value) -> Relative:
        """Return L and the last tree for a string Y_s."""

    def elaborate(self, platform: object) -> Module:
        """Turn the trees so that the start tree is the first, compute L, and turn back."""
        m = Module()
        topology, start = self.routing.topology, self.straps.start
        r = topology.r
        goal = _digits(self.routing, self.header.dst)
        here = _digits(self.routing, self.straps.digits)
        x = Cat(a != b for a, b in zip(goal, here, strict=True))  # X = XOR_m
        y, dst, error = Signal(topology.n), Signal.like(self.header.dst), Signal()
        m.d.sync += [
            y.eq(Array(Cat(x[g] for g in row) for row in topology.z.tolist())[start]),
            dst.eq(self.header.dst),
            error.eq(Cat(digit >= topology.m for digit in goal).any()),
        ]

        levels, ahead = self.relative(m, y)
        last = Signal(range(2 * r))
        m.d.comb += last.eq(start + ahead)
        m.d.sync += [
            self.next_header.dst.eq(dst),
            self.next_header.last.eq(Mux(last >= r, last - r, last)),
            self.error.eq(error),
        ]
        for t in range(r):
            turned = Array(levels[(t - s) % r] for s in range(r))
            m.d.sync += self.next_header[f"L{t}"].eq(turned[start])
        return m


def strings(topology: Kyklos, y: Value) -> list[Value]:
    """Return Y_s, Y_(s+1), ..., given Y_s."""
    place = np.argsort(topology.z[0])[topology.z]
    return [Cat(y[v] for v in row) for row in place.tolist()]


def slices(topology: Kyklos, y: Value) -> list[Value]:
    """Return X_s, X_(s+1), ..., the lower h bits of the strings."""
    return [string[: topology.h] for string in strings(topology, y)]


def thermometer(word: Value) -> Value:
    """Return as many ones, from bit 0 on, as the word is long: bit v says that it is over v."""
    return Cat(word[v:].any() for v in range(len(word)))


def bit_length(word: Value) -> Value:
    """Return the place of the highest 1, counted from 1, or 0: the levels to be climbed."""
    return encode(Cat(Const(0, 1), highest(word)))


class MHeaderGenerator(KyklosHeaderGenerator):
    """The one tree whose string Y_t is shortest; two cycles."""

    def relative(self, m: Module, y: Value) -> Relative:
        """Compare the lengths as thermometers: the least is their AND."""
        topology = self.routing.topology
        lengths = [thermometer(string) for string in strings(topology, y)]
        least, shortest = Signal(topology.n), Signal(topology.r)
        m.d.comb += [
            least.eq(reduce(and_, lengths)),
            shortest.eq(lowest(Cat((length & ~least) == 0 for length in lengths))),
        ]
        levels = bit_length(least)
        chosen = [levels & one.replicate(len(levels)) for one in shortest]
        return chosen, encode(shortest)


class M(KyklosRouting):
    """The hop of M-r routing; combinational."""

    algorithm = "m"
    header_generator = MHeaderGenerator


class H2HeaderGenerator(KyklosHeaderGenerator):
    """Every tree within its equi-slice; two cycles."""

    def relative(self, m: Module, y: Value) -> Relative:
        """Return the bit length of every X_t."""
        x = slices(self.routing.topology, y)
        return [bit_length(word) for word in x], encode(lowest(Cat(word.any() for word in x)))


class H2(KyklosRouting):
    """The hop of H-r routing; combinational."""

    algorithm = "h2"
    header_generator = H2HeaderGenerator


class Y2HeaderGenerator(KyklosHeaderGenerator):
    """H-2 with trees that go on into the next slices, the loop unrolled; two cycles."""

    def relative(self, m: Module, y: Value) -> Relative:
        """Find where a tree goes on, forwards; then how far, backwards."""
        topology = self.routing.topology
        r, h = topology.r, topology.h
        x = slices(topology, y)
        top, full = [word[-1] for word in x], [word.all() for word in x]
        # The ones at the top of a slice, downwards; g of them. Below are them h - g - f levels.
        ones = [Cat(word[h - 1 - v :].all() for v in range(h)) for word in x]
        g = [bit_length(run) for run in ones]
        below = [bit_length(word & ~run[::-1]) for word, run in zip(x, ones, strict=True)]

        # Step 3: this tree goes on; that one, or another before, is still going on here.
        fresh = [Signal(name=f"fresh{i}") for i in range(r)]
        climbing = [Signal(name=f"climbing{i}") for i in range(r + 1)]
        for i in range(r):
            m.d.comb += [
                fresh[i].eq(~climbing[i] & top[i] & top[(i + 1) % r]),
                climbing[i + 1].eq(fresh[i] | climbing[i] & full[i]),
            ]
        # Step 7: the last tree may go on into slice s, unless tree s was itself extended.
        wraps = climbing[r] & ~fresh[0] & top[0]

        levels: list[Value] = []
        beyond: Value = Mux(wraps, g[0], 0)  # how far a tree goes on from here
        for i in reversed(range(r)):
            taken = climbing[i] & top[i] | (wraps if i == 0 else Const(0))
            level = Signal(len(self.next_header.L0), name=f"level{i}")
            more = Signal(len(self.next_header.L0), name=f"beyond{i}")
            within = Mux(taken, below[i], bit_length(x[i]))
            m.d.comb += [
                level.eq(Mux(fresh[i], beyond + h, within)),
                more.eq(Mux(full[i], beyond + h, g[i])),  # steps 4, 5
            ]
            beyond = more
            levels.insert(0, level)
        return levels, encode(lowest(Cat(word.any() for word in x)))


class Y2(KyklosRouting):
    """The hop of Y-2 routing; combinational."""

    algorithm = "y2"
    header_generator = Y2HeaderGenerator

"""Routing on star graphs and star-connected cycles in hardware; the twin of golden.routing.star."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import cast

from amaranth import Cat, Const, Module, Mux, Signal, Value

from fingerpost.golden import routing as golden
from fingerpost.golden.topology.star import Scc
from fingerpost.hdl.lib.logic import encode, select
from fingerpost.hdl.routing.base import HeaderGenerator, RoutingUnit
from fingerpost.hdl.routing.star_cycles import (
    apart,
    bsymbols,
    count,
    is_identity,
    is_permutation,
    lowest,
    misplaced,
    nearest,
    one_hot,
)


def ahead(i: int, n: int) -> int:
    """Return the mask of the positions that + leads to by the shorter way round, from `i`.

    Halfway round, + leads to the larger ones. Bit t is position t + 1; so is `i`.
    """
    ring = n - 1
    steps = {t: (t - i) % ring for t in range(1, n) if t != i}
    return sum(1 << t for t, k in steps.items() if 2 * k < ring or (2 * k == ring and t > i))


class StarRouting(RoutingUnit):
    """Take the lateral links of `target`, one after the other; combinational.

    The header is looked over only where it comes from the
    terminal: in the routers, where `arrival` is a constant, that logic is at one port.
    """

    routing: golden.star.StarRouting

    @abstractmethod
    def target(self, m: Module, p: Sequence[Value]) -> Value:
        """Return the lateral link to take next, one-hot: bit t - 1 for link t.

        Means nothing where p is the identity.
        """

    def remember(self, p: Sequence[Value], target: Value, taken: Value) -> Value:
        """Return the next memory; the packet takes link `target` now, or (not `taken`) later."""
        del p, target, taken
        return Const(0)

    def elaborate(self, platform: object) -> Module:
        """Go round the ring to the target, or i_d if there is none, and take the lateral link."""
        m = Module()
        n, header, onward = self.routing.topology.n, self.header, self.next_header
        symbols = [header[f"p{k}"] for k in range(1, n + 1)]
        p = [one_hot(m, f"p{k}", symbol, n) for k, symbol in enumerate(symbols, 1)]
        home, target, lateral = Signal(), Signal(n), Signal(n)
        m.d.comb += [home.eq(is_identity(p)), target.eq(self.target(m, p))]

        wrong = ~is_permutation(p)
        if isinstance(self.routing.topology, Scc):
            taken = self._round_the_ring(m, target, home)
            # A lateral link is taken where it is, so its position is a constant of the node.
            m.d.comb += [
                lateral.eq(Mux(taken, 1 << self.straps.i, 1)),
                onward.i_d.eq(header.i_d),
            ]
            wrong |= (header.i_d == 0) | (header.i_d >= n)
        else:
            taken = ~home
            m.d.comb += [
                lateral.eq(Mux(taken, target, 1)),
                self.port.eq(encode(Cat(lateral[1:], home))),
            ]
        if self.routing.memory:
            m.d.comb += onward[self.routing.memory].eq(self.remember(p, target, taken))

        # Behind lateral link t, positions 1 and t are exchanged; bit 0: none is taken.
        m.d.comb += onward.p1.eq(select(lateral, symbols))
        for k in range(2, n + 1):
            m.d.comb += onward[f"p{k}"].eq(Mux(lateral[k - 1], header.p1, header[f"p{k}"]))
        m.d.comb += self.error.eq((self.arrival == self.routing.topology.local) & wrong)
        return m

    def _round_the_ring(self, m: Module, target: Value, home: Value) -> Value:
        """Decide on the port in star-connected cycles; return whether the lateral link is taken."""
        topology, i = cast(Scc, self.routing.topology), self.straps.i
        n = topology.n
        goal, plus = Signal(n), Signal(n)  # sets of ring positions
        there = Signal()
        m.d.comb += [
            goal.eq(Mux(home, 1 << self.header.i_d, target)),
            there.eq((goal & (1 << i)).any()),
        ]
        with m.Switch(i):
            for position in range(1, n):
                with m.Case(position):
                    m.d.comb += plus.eq(ahead(position, n))
        with m.If(there):
            m.d.comb += self.port.eq(Mux(home, topology.local, topology.lateral))
        with m.Else():
            m.d.comb += self.port.eq(Mux((goal & plus).any(), 0, topology.minus))
        return there & ~home


class StarHeaderGenerator(HeaderGenerator):
    """Clear the memory, which is the routers' own; combinational."""

    routing: golden.star.StarRouting

    def elaborate(self, platform: object) -> Module:
        """Pass the other fields on."""
        m = super().elaborate(platform)
        if self.routing.memory:
            m.d.comb += self.next_header[self.routing.memory].eq(0)
        return m


class Greedy(StarRouting):
    """The nearest lateral link of B(p) next; combinational (Algorithm 2 of the paper)."""

    algorithm = "greedy"
    header_generator = StarHeaderGenerator

    routing: golden.Greedy

    def target(self, m: Module, p: Sequence[Value]) -> Value:
        """Return p[1] while an r-cycle is under way, else the nearest lateral link."""
        if not isinstance(self.routing.topology, Scc):
            # All links are equally near. The first in canonical order is p[1] or, if that is 1,
            # the smallest symbol that is out of place: it leads the first of the r-cycles.
            return Mux(p[0][0], lowest(misplaced(p)), p[0])
        link = nearest(m, p, self.straps.i)
        if not self.routing.memory:
            return link
        return Mux(self.header.anchor.any() & ~p[0][0], p[0], link)

    def remember(self, p: Sequence[Value], target: Value, taken: Value) -> Value:
        """Set the anchor where the link begins an r-cycle, and lift it where it completes one."""
        ring = isinstance(self.routing.topology, Scc)
        link = self.straps.i if ring else encode(target)  # on a ring, taken where the packet is
        anchor, p1 = self.header.anchor, self.header.p1
        after = Mux(p1 != link, link, Mux(anchor == link, 0, anchor))
        return Mux(taken, after, anchor)


class Random(StarRouting):
    """Any lateral link that brings nearer, drawn by 16 random bits; combinational (Algorithm 1)."""

    algorithm = "random"
    header_generator = StarHeaderGenerator

    routing: golden.Random

    def target(self, m: Module, p: Sequence[Value]) -> Value:
        """Return the target kept, or else element number selection * |B| / 2^16 of B(p), rising."""
        b = bsymbols(m, p, apart(m, p))
        size, place = Signal(range(len(p)), name="size"), Signal(range(len(p) - 1), name="place")
        # By shifts and adds: four bits are not worth a multiplier.
        parts = [Mux(bit, self.selection << k, 0) for k, bit in enumerate(size)]
        m.d.comb += [size.eq(count(m, b[1:])), place.eq(_sum(parts) >> len(self.selection))]
        drawn = Cat(0, _pick(m, b[1:], place))
        if not self.routing.memory:
            return drawn
        kept = self.header.target.any() & ~is_identity(p)
        return Mux(kept, 1 << self.header.target, drawn)

    def remember(self, p: Sequence[Value], target: Value, taken: Value) -> Value:
        """Keep the target on the way to its link."""
        return Mux(taken, 0, encode(target))


def _sum(parts: Sequence[Value]) -> Value:
    """Return the sum, added in a tree."""
    half = len(parts) // 2
    return _sum(parts[:half]) + _sum(parts[half:]) if half else parts[0]


def _pick(m: Module, mask: Value, place: Value) -> Value:
    """Return the bit of `mask` that has `place` lower ones, one-hot."""
    half = len(mask) // 2
    if not half:
        return mask & (place == 0)
    low, rest = count(m, mask[:half]), Signal.like(place, name="place")
    is_low = Signal()
    m.d.comb += [is_low.eq(place < low), rest.eq(place - low)]
    return Cat(
        _pick(m, mask[:half], place) & is_low.replicate(half),
        _pick(m, mask[half:], rest) & ~is_low.replicate(len(mask) - half),
    )

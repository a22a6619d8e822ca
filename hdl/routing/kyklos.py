"""What all routing on KYKLOS has in common, in hardware; the twin of golden.routing.kyklos."""

from abc import abstractmethod

from amaranth import Array, Cat, Module, Mux, Signal, Value

from fingerpost.golden.header import bits
from fingerpost.golden.routing.kyklos import KyklosRouting as Golden
from fingerpost.hdl.routing.base import HeaderGenerator, RoutingUnit

__all__ = ["KyklosHeaderGenerator", "KyklosRouting", "Relative"]

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
